// Stores the attach terminals of each window, so that they are recognised after a reload. Each window has a file of its
// own, because VS Code shares its storage among windows on the same folder and the last writer wins. Does not depend on
// VS Code.

import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonShape, flag, list, number, object, text, word } from '../binary/jsonShapes';
import type { Role } from '../rules/terminals/attachedTerminals';

/** A terminal attached to an agent, with its process id and its name. */
export interface PersistedTerminal {
  id: string;
  as: Role;
  pid: number;
  name: string;
}

/** The file of one window. */
interface WindowRecord {
  /** The process id of the extension host. */
  host: number;
  /** Whether the window was closed. Its extension host may run for some seconds more. */
  hasLeft: boolean;
  terminals: PersistedTerminal[];
}

const windowRecord: JsonShape<WindowRecord> = object<WindowRecord>({
  host: number,
  hasLeft: flag,
  terminals: list(object<PersistedTerminal>({ id: text, as: word(), pid: number, name: text })),
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

export class PersistedTerminals {
  private readonly mine: string;
  private terminals: readonly PersistedTerminal[] = [];

  constructor(
    private readonly folder: string,
    private readonly host: number = process.pid,
  ) {
    // Process ids are reused, so the name contains a time too.
    this.mine = `${host}-${Date.now().toString(36)}.json`;
  }

  /** Stores the present terminals, and former ones while their processes run: at a reload VS Code reports all terminals
   *  as closed. */
  keep(terminals: readonly PersistedTerminal[]): void {
    const closed = this.terminals.filter(({ pid }) => terminals.every((each) => each.pid !== pid) && isAlive(pid));
    const all = [...terminals, ...closed];
    if (JSON.stringify(all) === JSON.stringify(this.terminals)) return;
    this.terminals = all;
    this.write({ host: this.host, hasLeft: false, terminals: all });
  }

  /** Returns the stored entry of a process, which another window or this one before a reload has written. */
  before(pid: number): PersistedTerminal | undefined {
    return this.others().flatMap(([, { terminals }]) => terminals).find((each) => each.pid === pid);
  }

  /** Returns terminals that still run although their window has gone, and that no other window shows. */
  left(): PersistedTerminal[] {
    const taken = new Set(this.terminals.map(({ pid }) => pid));
    const left: PersistedTerminal[] = [];
    for (const [name, { host, hasLeft: goodbye, terminals }] of this.others()) {
      const living = terminals.filter(({ pid }) => isAlive(pid));
      if (goodbye || host === this.host || !isAlive(host)) {
        left.push(...living);
        if (living.length === 0) rmSync(join(this.folder, name), { force: true });
      } else {
        for (const { pid } of living) taken.add(pid);
      }
    }
    return left.filter(({ pid }) => !taken.has(pid));
  }

  /** Returns terminals that ended together with their window, as they do when the server of VS Code is killed. Forgets
   *  them. */
  lost(): PersistedTerminal[] {
    const lost: PersistedTerminal[] = [];
    for (const [name, { host, hasLeft: left, terminals }] of this.others()) {
      if (!left && host !== this.host && isAlive(host)) continue;
      const living = terminals.filter(({ pid }) => isAlive(pid));
      lost.push(...terminals.filter((each) => !living.includes(each)));
      if (living.length === 0) rmSync(join(this.folder, name), { force: true });
    }
    return [...new Map(lost.map((each) => [`${each.id} ${each.as}`, each])).values()];
  }

  /** Marks this window as closed, so that the next one can take over its terminals. */
  leave(): void {
    if (this.terminals.length > 0) this.write({ host: this.host, hasLeft: true, terminals: [...this.terminals] });
  }

  private others(): [string, WindowRecord][] {
    let names: string[];
    try {
      names = readdirSync(this.folder);
    } catch {
      return [];
    }
    return names.filter((name) => name.endsWith('.json') && name !== this.mine).flatMap((name): [string, WindowRecord][] => {
      try {
        return [[name, windowRecord(JSON.parse(readFileSync(join(this.folder, name), 'utf8')), name)]];
      } catch {
        return [];
      }
    });
  }

  /** Writes the file. Ignores errors: the worst result is a leftover tmux client. */
  private write(what: WindowRecord): void {
    const path = join(this.folder, this.mine);
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(`${path}.new`, JSON.stringify(what));
      renameSync(`${path}.new`, path);
    } catch {
      // The next change writes it again.
    }
  }
}
