// Terminals on agents. VS Code restores them by itself after a reload; here they are known again by their process, which
// is among the agent's clients. An agent never gets a second client from one window.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Client, ttyOf } from '../binary/client';
import { Memory, type Remembered } from './persisted';
import { forTerminals } from '../rules/binary/childEnvironment';
import { type As, type How, type Known, type Seat, clientOn, givesWay, isOwn, isSeen, onlyWatches, seatOf, terminalName } from '../rules/terminals/attachedTerminals';
import { isAttachable, sleeps } from '../rules/agent/status';
import { settings } from '../settings';
import { inEditor, isInFront, processOf, showOpened, toEditor } from './tabs';
import type { Agent } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

export type { As } from '../rules/terminals/attachedTerminals';

/** VS Code 1.139 was seen to restore terminals up to 12 s after the extension was activated. */
const RESTORED_BY = 15_000;

/** Longer than VS Code takes to open a terminal that it was given the options of. */
const OPENED_BY = 10_000;

/** Longer than a terminal takes to close when its agent has ended. */
const CLOSED_BY = 5_000;

/** Agents that are ended together, by their ids. */
interface Ending {
  ids: Set<string>;
  timer?: NodeJS.Timeout;
}

/** What is known of a terminal, and the name that it was given here. */
interface Entry extends Known {
  named?: string | undefined;
  /** Whether somebody has just attached by it to drive, and does not know yet whether they do. */
  awaits?: boolean;
  /** Whether it drove its agent when that was last known. */
  drove?: boolean;
}

type Location = 'panel' | 'editor';

export class Terminals implements vscode.Disposable {
  private readonly entries = new Map<vscode.Terminal, Entry>();
  private readonly parts: vscode.Disposable[];
  private readonly activated = Date.now();
  private readonly memory: Memory;
  private readonly lost: Remembered[];
  private readonly watching = new vscode.EventEmitter<Agent>();
  /** Somebody attached to drive, and only watches, because another terminal drives. */
  readonly onWatching = this.watching.event;
  /** Those that are ended in the view, until the terminals on them have closed: there may be several, of those that go along
   *  and of one that watches beside the one that drives. */
  private readonly endings = new Set<Ending>();
  /** Attaching goes one after the other, so that two clicks are one terminal. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly watch: Watch,
    storage: vscode.Uri,
  ) {
    // Not the storage of the workspace: of windows on the same folder VS Code gives each another one, and after a reload
    // perhaps not the same.
    const { workspaceFile, workspaceFolders } = vscode.workspace;
    const place = (workspaceFile ?? workspaceFolders?.[0]?.uri)?.toString() ?? '';
    this.memory = new Memory(join(storage.fsPath, 'terminals', createHash('sha256').update(place).digest('hex').slice(0, 16)));
    this.parts = [
      this.watching,
      vscode.window.onDidOpenTerminal((terminal) => void this.know(terminal)),
      vscode.window.onDidCloseTerminal((terminal) => {
        const id = this.idOf(terminal);
        if (id !== undefined && [...this.endings].some(({ ids }) => ids.has(id))) void vscode.commands.executeCommand('symposium.agents.focus');
        this.entries.delete(terminal);
        this.remember();
      }),
      vscode.window.onDidChangeActiveTerminal((terminal) => {
        // One whose process took long to start is known when it is used.
        if (terminal !== undefined && !this.entries.has(terminal)) void this.know(terminal);
        this.rename();
      }),
      watch.onAgents(() => {
        this.remember();
        this.rename();
        this.tellWatching();
      }),
      { dispose: () => { this.memory.leave(); } },
      { dispose: () => { for (const { timer } of this.endings) clearTimeout(timer); } },
    ];
    for (const terminal of vscode.window.terminals) void this.know(terminal);
    this.lost = this.memory.lost();
  }

  /** The agents whose terminals of this folder were lost with the server of VS Code, and that no terminal of this window
   *  shows. Asked for when VS Code has had time to restore terminals; gives each once. */
  async takeLost(): Promise<{ agent: Agent; as: As }[]> {
    const found: { agent: Agent; as: As }[] = [];
    for (const { id, as } of this.lost.splice(0)) {
      const agent = this.watch.agents.find((each) => each.id === id && isAttachable(each) && !sleeps(each));
      if (agent !== undefined && (await this.find(agent, as)) === undefined) found.push({ agent, as });
    }
    return found;
  }

  /** Shows the terminal on an agent: the one there is, where it is unless told where, or a new one. */
  show(agent: Agent, as: As, location?: Location): Promise<vscode.Terminal> {
    return this.inTurn(async () => {
      const old = await this.present(agent, as);
      const watcher = as === 'driver' && old === undefined ? await this.givingWay(agent) : undefined;
      const before = old ?? watcher;
      const place = before === undefined ? settings.openIn() : inEditor(before) ? 'editor' : 'panel';
      const there = await this.unlessStale(agent, old);
      const wanted = location ?? place;
      watcher?.dispose();
      const terminal = there ?? this.open(agent, as, wanted);
      terminal.show(false);
      if (there === undefined && wanted === 'editor') await showOpened(terminal);
      else if (location === 'editor' && !inEditor(terminal)) await toEditor(terminal);
      this.rename();
      if (as === 'driver') this.attached(terminal);
      return terminal;
    });
  }

  /** Drives an agent from this window, also when another terminal does: in the place of the one that watches here. */
  takeOver(agent: Agent): Promise<vscode.Terminal> {
    return this.inTurn(async () => {
      await this.watch.look();
      const there = await this.present(agent, 'driver');
      const now = this.now(agent);
      const known = there === undefined ? {} : await this.know(there);
      if (there !== undefined && onlyWatches(known, now) !== true) {
        there.show(false);
        return there;
      }
      const location = there !== undefined && inEditor(there) ? 'editor' : there === undefined ? settings.openIn() : 'panel';
      // A shell of the person's is not ours to close.
      if (isOwn(known, this.watch.agents)) there?.dispose();
      const terminal = this.open(agent, 'taker', location);
      terminal.show(false);
      if (location === 'editor') await showOpened(terminal);
      return terminal;
    });
  }

  /** The options of a terminal on an agent that VS Code is to open by itself; undefined when there is one, which is shown.
   *  It is shown when it is there: VS Code leaves the one before in front. */
  expected(agent: Agent): Promise<vscode.TerminalOptions | undefined> {
    return new Promise((resolve, reject) => {
      this.inTurn(async () => {
        const there = await this.unlessStale(agent, await this.present(agent, 'driver'));
        there?.show(false);
        if (there === undefined) (await this.givingWay(agent))?.dispose();
        const options = there === undefined ? this.options(agent, 'driver') : undefined;
        const opened = options === undefined ? undefined : this.opening(options, { id: agent.id, as: 'driver' });
        resolve(options);
        // Whoever attaches next waits until it is there.
        await opened;
      }).catch(reject);
    });
  }

  /** Ends an agent, and who goes along, and leaves the keyboard in the view: of a terminal that closes VS Code gives it to the
   *  next one, wherever it was, and what is typed would reach another agent. `end` says whether anything was ended. */
  async stayInView(agents: readonly Agent[], end: () => Promise<unknown>): Promise<void> {
    const ending: Ending = { ids: new Set(agents.map(({ id }) => id)) };
    const last = vscode.window.activeTerminal;
    const id = last === undefined ? undefined : this.idOf(last);
    // Of others than the one that was used last nothing happens to the keyboard.
    if (id !== undefined && ending.ids.has(id)) this.endings.add(ending);
    try {
      if ((await end()) === false) this.endings.delete(ending);
    } finally {
      ending.timer = setTimeout(() => this.endings.delete(ending), CLOSED_BY);
    }
  }

  /** Whether the person looks at a terminal on an agent, when this window has the focus. */
  isLookedAt(agent: Agent): boolean {
    return [...this.entries].some(([terminal, known]) =>
      isSeen(known, agent, { active: terminal === vscode.window.activeTerminal, inFront: isInFront(terminal) }));
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(act);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  /** The terminal of this window on an agent, when there is one or one is about to be restored. What stands in the way of a
   *  new one is sent away. */
  private async present(agent: Agent, as: As): Promise<vscode.Terminal | undefined> {
    const known = await this.find(agent, as);
    if (known !== undefined && isOwn(await this.know(known), this.watch.agents)) return known;
    // The watcher does not hear of everybody who comes and goes in a shell.
    await this.watch.look();
    const now = this.now(agent);
    const there = (await this.find(now, as)) ?? (await this.awaited(now, as));
    if (there === undefined) await this.sendAway(now, as);
    return there;
  }

  /** What is known of an agent by now. */
  private now(agent: Agent): Agent {
    return this.watch.agents.find(({ id }) => id === agent.id) ?? agent;
  }

  /** The terminal that was found, unless its agent sleeps: it shows what was, and attaching anew is what wakes. Then it is
   *  detached, so that the new one drives, and closed. */
  private async unlessStale(agent: Agent, terminal: vscode.Terminal | undefined): Promise<vscode.Terminal | undefined> {
    const now = this.now(agent);
    if (terminal === undefined || !sleeps(now)) return terminal;
    const known = await this.know(terminal);
    const own = isOwn(known, this.watch.agents);
    const tty = clientOn(known, now)?.tty;
    // It may have gone by itself meanwhile.
    if (tty !== undefined) await this.client.json(['agent', 'detach', now.name, '--client', tty]).catch(() => undefined);
    // A shell of the person's is not ours to close.
    if (own) terminal.dispose();
    return undefined;
  }

  /** Whose terminal it is, also when it has closed: then nobody is attached by it any more. */
  private idOf(terminal: vscode.Terminal): string | undefined {
    const known = this.entries.get(terminal);
    return (known?.opened ?? known?.before)?.id;
  }

  private async find(agent: Agent, as: As): Promise<vscode.Terminal | undefined> {
    for (const terminal of vscode.window.terminals) {
      if (terminal.exitStatus !== undefined) continue;
      const seat = seatOf(await this.know(terminal), this.watch.agents);
      if (seat?.id === agent.id && seat.as === as) return terminal;
    }
    return undefined;
  }

  /** The terminal of this window that only watches an agent, when it is ours to close: driving it in another one as well
   *  would be a second client. */
  private async givingWay(agent: Agent): Promise<vscode.Terminal | undefined> {
    for (const terminal of vscode.window.terminals) {
      if (terminal.exitStatus === undefined && givesWay(await this.know(terminal), agent, this.watch.agents)) return terminal;
    }
    return undefined;
  }

  private open(agent: Agent, how: How, location: Location): vscode.Terminal {
    const terminal = vscode.window.createTerminal(this.options(agent, how, location));
    const as = how === 'taker' ? 'driver' : how;
    this.opened(terminal, { id: agent.id, as }, terminalName(agent.name, as));
    return terminal;
  }

  private options(agent: Agent, how: How, location?: Location): vscode.TerminalOptions {
    const as = how === 'taker' ? 'driver' : how;
    const { directory_gone, working_directory } = this.now(agent);
    return {
      name: terminalName(agent.name, as),
      iconPath: new vscode.ThemeIcon(as === 'driver' ? 'hubot' : 'eye'),
      ...this.client.attachCommand(agent.name, how),
      env: forTerminals(),
      // Paths that an agent prints are of its folder, and so are the links VS Code makes of them. In one that is gone no
      // terminal opens.
      ...(directory_gone === null && existsSync(working_directory) ? { cwd: working_directory } : {}),
      ...(location === undefined ? {} : { location: location === 'editor' ? { viewColumn: vscode.ViewColumn.Active, preserveFocus: false } : vscode.TerminalLocation.Panel }),
    };
  }

  private opened(terminal: vscode.Terminal, seat: Seat, named: string | undefined): void {
    for (const { ids } of this.endings) ids.delete(seat.id);
    this.entries.set(terminal, { ...this.entries.get(terminal), opened: seat, named });
    void this.know(terminal);
  }

  private attached(terminal: vscode.Terminal): void {
    const entry = this.entries.get(terminal);
    if (entry !== undefined) entry.awaits = true;
    this.tellWatching();
  }

  /** Tells that a terminal which is to drive only watches: once after attaching, as soon as tmux has the terminal, and when
   *  another terminal takes over while it is open. */
  private tellWatching(): void {
    for (const entry of this.entries.values()) {
      const seat = seatOf(entry, this.watch.agents);
      const agent = seat?.as === 'driver' ? this.watch.agents.find(({ id }) => id === seat.id) : undefined;
      const watches = agent === undefined ? undefined : onlyWatches(entry, agent);
      if (agent === undefined || watches === undefined) continue;
      const isNews = entry.awaits === true || entry.drove === true;
      entry.awaits = false;
      entry.drove = !watches;
      if (watches && isNews) this.watching.fire(agent);
    }
  }

  /** Waits until VS Code has opened a terminal with these options, or until that took too long. */
  private opening(options: vscode.TerminalOptions, seat: Seat): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        watching.dispose();
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, OPENED_BY);
      const watching = vscode.window.onDidOpenTerminal((terminal) => {
        const { name, shellPath } = terminal.creationOptions as vscode.TerminalOptions;
        if (name !== options.name || shellPath !== options.shellPath) return;
        this.opened(terminal, seat, options.name);
        terminal.show(false);
        this.attached(terminal);
        end();
      });
    });
  }

  /** What is known of a terminal, its process first. */
  private async know(terminal: vscode.Terminal): Promise<Entry> {
    const pid = this.entries.get(terminal)?.pid ?? (await processOf(terminal));
    const entry = this.entries.get(terminal) ?? {};
    if (pid === undefined) return entry;
    entry.pid = pid;
    if (entry.opened === undefined && entry.before === undefined) {
      const before = this.memory.before(pid);
      Object.assign(entry, { before, named: before?.name });
    }
    // A closed one is not known again.
    if (terminal.exitStatus === undefined) this.entries.set(terminal, entry);
    // One that is the client itself needs no other mark.
    if (entry.tty === undefined && !isOwn(entry, this.watch.agents)) entry.tty = await ttyOf(pid);
    this.remember();
    this.tellWatching();
    return entry;
  }

  /** A terminal that lives on an agent though no window shows it, by its process. */
  private unseen(agent: Agent, as: As): { pid: number; tty: string } | undefined {
    for (const { id, as: was, pid } of this.memory.left()) {
      const client = id === agent.id && was === as ? agent.clients.find((each) => each.pid === pid) : undefined;
      if (client !== undefined) return { pid, tty: client.tty };
    }
    return undefined;
  }

  /** A window that is reloaded within half a second after attaching does not bring the terminal back, and its process goes
   *  on for hours in the server of VS Code. It would stand in the way of the new one. */
  private async sendAway(agent: Agent, as: As): Promise<void> {
    const left = this.unseen(agent, as);
    if (left !== undefined) await this.client.json(['agent', 'detach', agent.name, '--client', left.tty]);
  }

  /** Right after a reload: waits for a terminal that lived before and that VS Code is about to restore. */
  private async awaited(agent: Agent, as: As): Promise<vscode.Terminal | undefined> {
    const left = this.activated + RESTORED_BY - Date.now();
    const before = left <= 0 ? undefined : this.unseen(agent, as);
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

  /** Of shells nothing is remembered: they are not ours to send away. */
  private remember(): void {
    const { agents } = this.watch;
    this.memory.keep([...this.entries].flatMap(([, known]): Remembered[] => {
      const seat = isOwn(known, agents) ? seatOf(known, agents) : undefined;
      return seat === undefined || known.pid === undefined ? [] : [{ ...seat, pid: known.pid, name: known.named ?? '' }];
    }));
  }

  /** Gives a terminal the name that its agent has by now, when it still has the one it was given. VS Code renames only the
   *  one that was used last, so others wait for their turn. */
  private rename(): void {
    const terminal = vscode.window.activeTerminal;
    const known = terminal === undefined ? undefined : this.entries.get(terminal);
    const seat = known === undefined ? undefined : seatOf(known, this.watch.agents);
    const agent = this.watch.agents.find(({ id }) => id === seat?.id);
    if (terminal === undefined || known?.named === undefined || seat === undefined || agent === undefined) return;
    const name = terminalName(agent.name, seat.as);
    if (name === known.named || terminal.name !== known.named) return;
    known.named = name;
    void vscode.commands.executeCommand('workbench.action.terminal.renameWithArg', { name });
  }
}
