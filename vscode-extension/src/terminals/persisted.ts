// What the windows on one folder remember of their terminals across a reload, each in a file of its own: VS Code shares
// its own memory among windows on the same folder, and the last one that writes wins. Knows nothing of VS Code.

import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Shape, flag, list, number, object, text, word } from '../binary/jsonShapes';
import type { As } from '../rules/terminals/attachedTerminals';

/** A terminal on an agent: whose it is, its process, and how we called it. */
export interface Remembered {
  id: string;
  as: As;
  pid: number;
  name: string;
}

/** What one window has written. */
interface Page {
  /** The process of its extension host. */
  host: number;
  /** Whether it has said goodbye; its process may live for some seconds more. */
  left: boolean;
  terminals: Remembered[];
}

const page: Shape<Page> = object<Page>({
  host: number,
  left: flag,
  terminals: list(object<Remembered>({ id: text, as: word(), pid: number, name: text })),
});

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

export class Memory {
  private readonly mine: string;
  private terminals: readonly Remembered[] = [];

  constructor(
    private readonly folder: string,
    private readonly host: number = process.pid,
  ) {
    // The number of a process alone comes again.
    this.mine = `${host}-${Date.now().toString(36)}.json`;
  }

  /** Keeps the terminals that this window has now, and those it had while their process lives: at a reload VS Code says
   *  of all that they were closed. */
  keep(terminals: readonly Remembered[]): void {
    const closed = this.terminals.filter(({ pid }) => terminals.every((each) => each.pid !== pid) && lives(pid));
    const all = [...terminals, ...closed];
    if (JSON.stringify(all) === JSON.stringify(this.terminals)) return;
    this.terminals = all;
    this.write({ host: this.host, left: false, terminals: all });
  }

  /** What a terminal of this window was in another one: before a reload, that was this one. */
  before(pid: number): Remembered | undefined {
    return this.others().flatMap(([, { terminals }]) => terminals).find((each) => each.pid === pid);
  }

  /** The terminals whose window is gone and that live on, in no window that is there. */
  left(): Remembered[] {
    const taken = new Set(this.terminals.map(({ pid }) => pid));
    const left: Remembered[] = [];
    for (const [name, { host, left: goodbye, terminals }] of this.others()) {
      const living = terminals.filter(({ pid }) => lives(pid));
      if (goodbye || host === this.host || !lives(host)) {
        left.push(...living);
        if (living.length === 0) rmSync(join(this.folder, name), { force: true });
      } else {
        for (const { pid } of living) taken.add(pid);
      }
    }
    return left.filter(({ pid }) => !taken.has(pid));
  }

  /** The terminals that ended with their window, as they do when the server of VS Code is killed. Asked for once: they are
   *  forgotten by it. */
  lost(): Remembered[] {
    const lost: Remembered[] = [];
    for (const [name, { host, left, terminals }] of this.others()) {
      if (!left && host !== this.host && lives(host)) continue;
      const living = terminals.filter(({ pid }) => lives(pid));
      lost.push(...terminals.filter((each) => !living.includes(each)));
      if (living.length === 0) rmSync(join(this.folder, name), { force: true });
    }
    return [...new Map(lost.map((each) => [`${each.id} ${each.as}`, each])).values()];
  }

  /** This window goes: what it had is for whoever comes next. */
  leave(): void {
    if (this.terminals.length > 0) this.write({ host: this.host, left: true, terminals: [...this.terminals] });
  }

  private others(): [string, Page][] {
    let names: string[];
    try {
      names = readdirSync(this.folder);
    } catch {
      return [];
    }
    return names.filter((name) => name.endsWith('.json') && name !== this.mine).flatMap((name): [string, Page][] => {
      try {
        return [[name, page(JSON.parse(readFileSync(join(this.folder, name), 'utf8')), name)]];
      } catch {
        return [];
      }
    });
  }

  /** Waits for nothing: whoever goes has no time. A disk that takes nothing costs a stray client at worst. */
  private write(what: Page): void {
    const path = join(this.folder, this.mine);
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(`${path}.new`, JSON.stringify(what));
      renameSync(`${path}.new`, path);
    } catch {
      // Said above.
    }
  }
}
