// Terminals on agents. VS Code restores them by itself after a reload; here they are known again by their process, whose
// terminal is among the agent's clients. An agent never gets a second client from one window.

import * as vscode from 'vscode';
import { type Client, ttyOf } from './client';
import { settings } from './settings';
import type { Agent } from './types';
import type { Watch } from './watch';
import { t } from './words';

export type As = 'driver' | 'observer';

/** VS Code 1.139 was seen to restore terminals up to 12 s after the extension was activated. */
const RESTORED_BY = 15_000;
const KEY = 'symposium.terminals';

/** What is remembered of a terminal across a reload: whose it is, and its process. */
interface Remembered {
  id: string;
  as: As;
  pid: number;
}

export class Terminals implements vscode.Disposable {
  private readonly made = new Map<vscode.Terminal, { id: string; as: As }>();
  private readonly parts: vscode.Disposable[];
  private readonly activated = Date.now();
  /** Attaching goes one after the other, so that two clicks are one terminal. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly watch: Watch,
    private readonly memory: vscode.Memento,
  ) {
    this.parts = [
      vscode.window.onDidOpenTerminal((terminal) => void this.recognise(terminal)),
      vscode.window.onDidCloseTerminal((terminal) => {
        this.made.delete(terminal);
        void this.remember();
      }),
      // Terminals that were restored before the agents were known: whose they are is needed to tell what is looked at.
      watch.onHealth((health) => {
        if (health === 'ready') for (const terminal of vscode.window.terminals) void this.recognise(terminal);
      }),
    ];
  }

  /** Shows the terminal on an agent: the one there is, or a new one. */
  show(agent: Agent, as: As, location: 'panel' | 'editor' = settings.openIn()): Promise<vscode.Terminal> {
    const mine = this.turn.then(async () => {
      const there = (await this.find(agent, as)) ?? (await this.awaited(agent, as));
      if (there === undefined) await this.sendAway(agent, as);
      const terminal = there ?? this.open(agent, as, location);
      terminal.show(false);
      return terminal;
    });
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  /** The options of a terminal on an agent. No blanks in its name: VS Code was seen to cut it there on restoring. */
  options(agent: Agent, as: As, location?: 'panel' | 'editor'): vscode.TerminalOptions {
    return {
      name: as === 'driver' ? agent.name : `${agent.name}:observe`,
      iconPath: new vscode.ThemeIcon(as === 'driver' ? 'hubot' : 'eye'),
      ...this.client.attachCommand(agent.name, as),
      ...(location === undefined ? {} : { location: location === 'editor' ? vscode.TerminalLocation.Editor : vscode.TerminalLocation.Panel }),
    };
  }

  /** The same for a terminal that VS Code opens by itself. It is shown when it is there: VS Code leaves the one before in
   *  front. */
  expected(agent: Agent): vscode.TerminalOptions {
    const options = this.options(agent, 'driver');
    const opened = vscode.window.onDidOpenTerminal((terminal) => {
      if (terminal.creationOptions.name !== options.name) return;
      opened.dispose();
      this.made.set(terminal, { id: agent.id, as: 'driver' });
      void terminal.processId.then(() => this.remember());
      terminal.show(false);
    });
    this.parts.push(opened);
    return options;
  }

  /** The terminal of this window on an agent, when there is one. */
  async find(agent: Agent, as: As): Promise<vscode.Terminal | undefined> {
    for (const terminal of vscode.window.terminals) {
      if (terminal.exitStatus !== undefined) continue;
      const made = this.made.get(terminal) ?? (await this.recognise(terminal));
      if (made?.id === agent.id && made.as === as) return terminal;
    }
    return undefined;
  }

  /** Whether the person looks at the terminal on an agent. */
  isLookedAt(agent: Agent): boolean {
    const active = vscode.window.activeTerminal;
    return active !== undefined && this.made.get(active)?.id === agent.id;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private open(agent: Agent, as: As, location: 'panel' | 'editor'): vscode.Terminal {
    const terminal = vscode.window.createTerminal(this.options(agent, as, location));
    this.made.set(terminal, { id: agent.id, as });
    void terminal.processId.then(() => this.remember());
    return terminal;
  }

  /** Whose terminal this is, by its process. */
  private async recognise(terminal: vscode.Terminal): Promise<{ id: string; as: As } | undefined> {
    const known = this.made.get(terminal);
    if (known !== undefined) return known;
    const pid = await terminal.processId;
    if (pid === undefined) return undefined;
    const tty = await ttyOf(pid);
    if (tty === undefined) return undefined;
    for (const agent of this.watch.agents) {
      const client = agent.clients.find((each) => each.tty === tty);
      if (client === undefined) continue;
      // One that was to drive may only watch while another drives, and is still the terminal that attaching shows.
      const before = (this.memory.get<Remembered[]>(KEY) ?? []).find((each) => each.pid === pid && each.id === agent.id);
      const made = { id: agent.id, as: before?.as ?? (client.observer ? ('observer' as const) : ('driver' as const)) };
      this.made.set(terminal, made);
      void this.remember();
      return made;
    }
    return undefined;
  }

  /** A terminal of this workspace that lives on an agent though no tab here shows it, by process and terminal. */
  private async unseen(agent: Agent, as: As): Promise<{ pid: number; tty: string } | undefined> {
    for (const { id, as: was, pid } of this.memory.get<Remembered[]>(KEY) ?? []) {
      if (id !== agent.id || was !== as) continue;
      const tty = await ttyOf(pid);
      if (tty !== undefined && agent.clients.some((each) => each.tty === tty)) return { pid, tty };
    }
    return undefined;
  }

  /** A window that is reloaded within half a second after attaching does not bring the terminal back, and its process goes
   *  on for hours in the server of VS Code. It would stand in the way of the new one. */
  private async sendAway(agent: Agent, as: As): Promise<void> {
    const left = await this.unseen(agent, as);
    if (left !== undefined) await this.client.json(['agent', 'detach', agent.name, '--client', left.tty]);
  }

  /** Right after a reload: waits for a terminal that lived before and that VS Code is about to restore. */
  private async awaited(agent: Agent, as: As): Promise<vscode.Terminal | undefined> {
    const left = this.activated + RESTORED_BY - Date.now();
    const before = left <= 0 ? undefined : await this.unseen(agent, as);
    if (before === undefined) return undefined;
    const message = t('Waiting for the terminal of {0} to be restored', agent.name);
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: message }, () =>
      new Promise<vscode.Terminal | undefined>((resolve) => {
        const end = (terminal?: vscode.Terminal) => {
          opened.dispose();
          clearTimeout(timer);
          resolve(terminal);
        };
        const timer = setTimeout(end, left);
        const opened = vscode.window.onDidOpenTerminal((terminal) => {
          void terminal.processId.then((pid) => {
            if (pid === before.pid) end(terminal);
          });
        });
      }),
    );
  }

  private async remember(): Promise<void> {
    const entries = await Promise.all(
      [...this.made].map(async ([terminal, made]) => ({ ...made, pid: (await terminal.processId) ?? 0 })),
    );
    // Those that are not restored yet, or never will be, are still to be known while their process lives.
    const old = (this.memory.get<Remembered[]>(KEY) ?? []).filter((each) => !entries.some(({ pid }) => pid === each.pid));
    const alive = await Promise.all(old.map(async (each) => ((await ttyOf(each.pid)) === undefined ? [] : [each])));
    await this.memory.update(KEY, [...entries, ...alive.flat()]);
  }
}
