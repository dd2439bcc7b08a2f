// Manages the terminals attached to agents. VS Code restores terminals after a reload; they are recognised by their
// process, which is a client of the agent. A window never attaches twice to an agent.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Client, ttyOf } from '../binary/client';
import { PersistedTerminals, type PersistedTerminal } from './persisted';
import { terminalEnvironment } from '../rules/binary/childEnvironment';
import { type Role, type AttachMode, type TerminalFacts, type Attachment, clientOn, isReplaceable, isAttachTerminal, isLookedAt, isWatchingOnly, attachmentOf, terminalName } from '../rules/terminals/attachedTerminals';
import type { RedrawGate } from '../rules/views/redrawGate';
import { isAttachable, isHibernated } from '../rules/agent/status';
import { settings } from '../settings';
import { inEditor, isInFront, processOf, focusOn, waitForTab, moveToEditor } from './tabs';
import type { Agent } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

export type { Role as As } from '../rules/terminals/attachedTerminals';

/** VS Code 1.139 was seen to restore terminals up to 12 s after the activation of the extension. */
const RESTORED_BY_MS = 15_000;

/** Exceeds the time that VS Code takes to open a terminal from a profile. */
const OPENED_BY_MS = 10_000;

/** Exceeds the time that a terminal takes to close after its agent has ended. */
const CLOSED_BY_MS = 5_000;

/** The ids of agents that are stopped together. */
interface EndingAgents {
  ids: Set<string>;
  timer?: NodeJS.Timeout;
}

/** A terminal with the name that the extension gave it. */
interface Entry extends TerminalFacts {
  named?: string | undefined;
  /** Whether the terminal was just attached as driver and its role is not confirmed yet. */
  isNew?: boolean;
  /** Whether the terminal was the driver at the last check. */
  wasDriver?: boolean;
}

type Location = 'panel' | 'editor';

export class Terminals implements vscode.Disposable {
  private readonly entries = new Map<vscode.Terminal, Entry>();
  private readonly parts: vscode.Disposable[];
  private readonly activated = Date.now();
  private readonly memory: PersistedTerminals;
  private readonly lost: PersistedTerminal[];
  private readonly watching = new vscode.EventEmitter<Agent>();
  /** Fires when a terminal that should drive only watches, because another terminal drives. */
  readonly onWatching = this.watching.event;
  /** Agents that are being stopped from the view, until their terminals have closed. */
  private readonly endings = new Set<EndingAgents>();
  /** Attaching is serialised, so that two clicks open one terminal. */
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly watch: AgentWatch,
    private readonly redraws: Pick<RedrawGate<unknown>, 'hold'>,
    storage: vscode.Uri,
  ) {
    // Not the storage of the workspace: VS Code gives windows on the same folder different ones, and may change it at a
    // reload.
    const { workspaceFile, workspaceFolders } = vscode.workspace;
    const place = (workspaceFile ?? workspaceFolders?.[0]?.uri)?.toString() ?? '';
    this.memory = new PersistedTerminals(join(storage.fsPath, 'terminals', createHash('sha256').update(place).digest('hex').slice(0, 16)));
    this.parts = [
      this.watching,
      vscode.window.onDidOpenTerminal((terminal) => void this.identify(terminal)),
      vscode.window.onDidCloseTerminal((terminal) => {
        const id = this.idOf(terminal);
        if (id !== undefined && [...this.endings].some(({ ids }) => ids.has(id))) void vscode.commands.executeCommand('symposium.agents.focus');
        this.entries.delete(terminal);
        this.persist();
      }),
      vscode.window.onDidChangeActiveTerminal((terminal) => {
        // The process of this terminal started late.
        if (terminal !== undefined && !this.entries.has(terminal)) void this.identify(terminal);
        this.rename();
      }),
      watch.onAgents(() => {
        this.persist();
        this.rename();
        this.reportWatching();
      }),
      { dispose: () => { this.memory.leave(); } },
      { dispose: () => { for (const { timer } of this.endings) clearTimeout(timer); } },
    ];
    for (const terminal of vscode.window.terminals) void this.identify(terminal);
    this.lost = this.memory.lost();
  }

  /** Returns the agents whose terminals were lost with the server of VS Code and that no terminal of this window shows.
   *  Returns each agent once. Called after VS Code has had time to restore terminals. */
  async takeLost(): Promise<{ agent: Agent; as: Role }[]> {
    const found: { agent: Agent; as: Role }[] = [];
    for (const { id, as } of this.lost.splice(0)) {
      const agent = this.watch.agents.find((each) => each.id === id && isAttachable(each) && !isHibernated(each));
      if (agent !== undefined && (await this.find(agent, as)) === undefined) found.push({ agent, as });
    }
    return found;
  }

  /** Shows the terminal of an agent, at its present location unless `location` is given. Opens one if there is none. */
  show(agent: Agent, as: Role, location?: Location): Promise<vscode.Terminal> {
    return this.inOrder(async () => {
      const old = await this.existing(agent, as);
      const watcher = as === 'driver' && old === undefined ? await this.replaceable(agent) : undefined;
      const before = old ?? watcher;
      const place = before === undefined ? settings.openIn() : inEditor(before) ? 'editor' : 'panel';
      const there = await this.unlessStale(agent, old);
      const wanted = location ?? place;
      watcher?.dispose();
      const terminal = await this.redraws.hold(async () => {
        const shown = there ?? this.open(agent, as, wanted);
        shown.show(false);
        if (there === undefined && wanted === 'editor') await waitForTab(shown);
        else if (location === 'editor' && !inEditor(shown)) await moveToEditor(shown);
        await focusOn(shown);
        return shown;
      });
      this.rename();
      if (as === 'driver') this.expectDriver(terminal);
      return terminal;
    });
  }

  /** Makes this window the driver of an agent. Replaces the terminal that watches. */
  takeOver(agent: Agent): Promise<vscode.Terminal> {
    return this.inOrder(async () => {
      await this.watch.refresh();
      const there = await this.existing(agent, 'driver');
      const now = this.latest(agent);
      const known = there === undefined ? {} : await this.identify(there);
      if (there !== undefined && isWatchingOnly(known, now) !== true) {
        await this.redraws.hold(() => focusOn(there));
        return there;
      }
      const location = there !== undefined && inEditor(there) ? 'editor' : there === undefined ? settings.openIn() : 'panel';
      // A shell of the user must not be closed.
      if (isAttachTerminal(known, this.watch.agents)) there?.dispose();
      return this.redraws.hold(async () => {
        const terminal = this.open(agent, 'taker', location);
        terminal.show(false);
        if (location === 'editor') await waitForTab(terminal);
        await focusOn(terminal);
        return terminal;
      });
    });
  }

  /** Returns the options of a terminal that VS Code opens by itself, or undefined if there is one, which is shown. The
   *  new terminal is shown when it has opened, because VS Code leaves the previous one in front. */
  optionsForNew(agent: Agent): Promise<vscode.TerminalOptions | undefined> {
    return new Promise((resolve, reject) => {
      this.inOrder(async () => {
        const there = await this.unlessStale(agent, await this.existing(agent, 'driver'));
        there?.show(false);
        if (there === undefined) (await this.replaceable(agent))?.dispose();
        const options = there === undefined ? this.options(agent, 'driver') : undefined;
        const register = options === undefined ? undefined : this.untilOpened(options, { id: agent.id, as: 'driver' });
        resolve(options);
        // The next attach waits until the terminal has opened.
        await register;
      }).catch(reject);
    });
  }

  /** Stops agents and keeps the keyboard focus in the view. When a terminal closes, VS Code focuses the next one, and
   *  keys would reach another agent. `end` returns false if nothing was stopped. */
  async stayInView(agents: readonly Agent[], end: () => Promise<unknown>): Promise<void> {
    const ending: EndingAgents = { ids: new Set(agents.map(({ id }) => id)) };
    const last = vscode.window.activeTerminal;
    const id = last === undefined ? undefined : this.idOf(last);
    // Closing a terminal that is not active does not move the focus.
    if (id !== undefined && ending.ids.has(id)) this.endings.add(ending);
    try {
      if ((await end()) === false) this.endings.delete(ending);
    } finally {
      ending.timer = setTimeout(() => this.endings.delete(ending), CLOSED_BY_MS);
    }
  }

  /** Returns whether the user looks at a terminal of an agent, provided that this window has the focus. */
  isLookedAt(agent: Agent): boolean {
    return [...this.entries].some(([terminal, known]) =>
      isLookedAt(known, agent, { active: terminal === vscode.window.activeTerminal, inFront: isInFront(terminal) }));
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private inOrder<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.queue.then(act);
    this.queue = mine.catch(() => undefined);
    return mine;
  }

  /** Returns the terminal of this window on an agent, if there is one or VS Code is about to restore one. Otherwise
   *  detaches a leftover client. */
  private async existing(agent: Agent, as: Role): Promise<vscode.Terminal | undefined> {
    const known = await this.find(agent, as);
    if (known !== undefined && isAttachTerminal(await this.identify(known), this.watch.agents)) return known;
    // The watcher does not report clients in shells at once.
    await this.watch.refresh();
    const now = this.latest(agent);
    const there = (await this.find(now, as)) ?? (await this.awaitRestored(now, as));
    if (there === undefined) await this.detachHidden(now, as);
    return there;
  }

  /** Returns the latest known state of an agent. */
  private latest(agent: Agent): Agent {
    return this.watch.agents.find(({ id }) => id === agent.id) ?? agent;
  }

  /** Returns a terminal, unless its agent is hibernated. Then the terminal shows the last screen, and only a new attach
   *  wakes the agent: the old terminal is detached and closed. */
  private async unlessStale(agent: Agent, terminal: vscode.Terminal | undefined): Promise<vscode.Terminal | undefined> {
    const now = this.latest(agent);
    if (terminal === undefined || !isHibernated(now)) return terminal;
    const known = await this.identify(terminal);
    const own = isAttachTerminal(known, this.watch.agents);
    const tty = clientOn(known, now)?.tty;
    // The client may have ended already.
    if (tty !== undefined) await this.client.json(['agent', 'detach', now.name, '--client', tty]).catch(() => undefined);
    // A shell of the user must not be closed.
    if (own) terminal.dispose();
    return undefined;
  }

  /** Returns the agent of a terminal, also after the terminal has closed and is no longer a client. */
  private idOf(terminal: vscode.Terminal): string | undefined {
    const known = this.entries.get(terminal);
    return (known?.opened ?? known?.before)?.id;
  }

  private async find(agent: Agent, as: Role): Promise<vscode.Terminal | undefined> {
    for (const terminal of vscode.window.terminals) {
      if (terminal.exitStatus !== undefined) continue;
      const seat = attachmentOf(await this.identify(terminal), this.watch.agents);
      if (seat?.id === agent.id && seat.as === as) return terminal;
    }
    return undefined;
  }

  /** Returns the observing terminal of this window on an agent, if it may be closed. A driving terminal beside it would
   *  be a second client. */
  private async replaceable(agent: Agent): Promise<vscode.Terminal | undefined> {
    for (const terminal of vscode.window.terminals) {
      if (terminal.exitStatus === undefined && isReplaceable(await this.identify(terminal), agent, this.watch.agents)) return terminal;
    }
    return undefined;
  }

  private open(agent: Agent, how: AttachMode, location: Location): vscode.Terminal {
    const terminal = vscode.window.createTerminal(this.options(agent, how, location));
    const as = how === 'taker' ? 'driver' : how;
    this.opened(terminal, { id: agent.id, as }, terminalName(agent.name, as));
    return terminal;
  }

  private options(agent: Agent, how: AttachMode, location?: Location): vscode.TerminalOptions {
    const as = how === 'taker' ? 'driver' : how;
    const { directory_gone, working_directory } = this.latest(agent);
    return {
      name: terminalName(agent.name, as),
      iconPath: new vscode.ThemeIcon(as === 'driver' ? 'symposium-logo' : 'eye'),
      ...this.client.attachCommand(agent.name, how),
      env: terminalEnvironment(),
      // VS Code resolves paths that an agent prints in this folder. In a missing folder no terminal opens.
      ...(directory_gone === null && existsSync(working_directory) ? { cwd: working_directory } : {}),
      ...(location === undefined ? {} : { location: location === 'editor' ? { viewColumn: vscode.ViewColumn.Active, preserveFocus: false } : vscode.TerminalLocation.Panel }),
    };
  }

  private opened(terminal: vscode.Terminal, seat: Attachment, named: string | undefined): void {
    for (const { ids } of this.endings) ids.delete(seat.id);
    this.entries.set(terminal, { ...this.entries.get(terminal), opened: seat, named });
    void this.identify(terminal);
  }

  private expectDriver(terminal: vscode.Terminal): void {
    const entry = this.entries.get(terminal);
    if (entry !== undefined) entry.isNew = true;
    this.reportWatching();
  }

  /** Reports a terminal that should drive and only watches: once after attaching, and when another terminal takes over. */
  private reportWatching(): void {
    for (const entry of this.entries.values()) {
      const seat = attachmentOf(entry, this.watch.agents);
      const agent = seat?.as === 'driver' ? this.watch.agents.find(({ id }) => id === seat.id) : undefined;
      const watches = agent === undefined ? undefined : isWatchingOnly(entry, agent);
      if (agent === undefined || watches === undefined) continue;
      const isNews = entry.isNew === true || entry.wasDriver === true;
      entry.isNew = false;
      entry.wasDriver = !watches;
      if (watches && isNews) this.watching.fire(agent);
    }
  }

  /** Waits until VS Code has opened a terminal with these options, at most OPENED_BY_MS. */
  private untilOpened(options: vscode.TerminalOptions, seat: Attachment): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        watching.dispose();
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, OPENED_BY_MS);
      const watching = vscode.window.onDidOpenTerminal((terminal) => {
        const { name, shellPath } = terminal.creationOptions as vscode.TerminalOptions;
        if (name !== options.name || shellPath !== options.shellPath) return;
        this.opened(terminal, seat, options.name);
        terminal.show(false);
        this.expectDriver(terminal);
        end();
      });
    });
  }

  /** Collects what is known about a terminal, its process first. */
  private async identify(terminal: vscode.Terminal): Promise<Entry> {
    const pid = this.entries.get(terminal)?.pid ?? (await processOf(terminal));
    const entry = this.entries.get(terminal) ?? {};
    if (pid === undefined) return entry;
    entry.pid = pid;
    if (entry.opened === undefined && entry.before === undefined) {
      const before = this.memory.before(pid);
      Object.assign(entry, { before, named: before?.name });
    }
    // A closed terminal is not recorded again.
    if (terminal.exitStatus === undefined) this.entries.set(terminal, entry);
    // A terminal that is the client itself is identified by its process.
    if (entry.tty === undefined && !isAttachTerminal(entry, this.watch.agents)) entry.tty = await ttyOf(pid);
    this.persist();
    this.reportWatching();
    return entry;
  }

  /** Returns a client of an agent that no window shows, although its process still runs. */
  private hiddenClient(agent: Agent, as: Role): { pid: number; tty: string } | undefined {
    for (const { id, as: was, pid } of this.memory.left()) {
      const client = id === agent.id && was === as ? agent.clients.find((each) => each.pid === pid) : undefined;
      if (client !== undefined) return { pid, tty: client.tty };
    }
    return undefined;
  }

  /** Detaches a leftover client. A window that is reloaded within half a second after attaching does not restore the
   *  terminal, and its process runs for hours in the server of VS Code. */
  private async detachHidden(agent: Agent, as: Role): Promise<void> {
    const left = this.hiddenClient(agent, as);
    if (left !== undefined) await this.client.json(['agent', 'detach', agent.name, '--client', left.tty]);
  }

  /** Waits after a reload for a terminal that VS Code is about to restore. */
  private async awaitRestored(agent: Agent, as: Role): Promise<vscode.Terminal | undefined> {
    const left = this.activated + RESTORED_BY_MS - Date.now();
    const before = left <= 0 ? undefined : this.hiddenClient(agent, as);
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

  /** Stores the attach terminals, without shells of the user. */
  private persist(): void {
    const { agents } = this.watch;
    this.memory.keep([...this.entries].flatMap(([, known]): PersistedTerminal[] => {
      const seat = isAttachTerminal(known, agents) ? attachmentOf(known, agents) : undefined;
      return seat === undefined || known.pid === undefined ? [] : [{ ...seat, pid: known.pid, name: known.named ?? '' }];
    }));
  }

  /** Renames a terminal after its agent, unless the user has renamed it. VS Code can only rename the active terminal,
   *  so others follow when they become active. */
  private rename(): void {
    const terminal = vscode.window.activeTerminal;
    const known = terminal === undefined ? undefined : this.entries.get(terminal);
    const seat = known === undefined ? undefined : attachmentOf(known, this.watch.agents);
    const agent = this.watch.agents.find(({ id }) => id === seat?.id);
    if (terminal === undefined || known?.named === undefined || seat === undefined || agent === undefined) return;
    const name = terminalName(agent.name, seat.as);
    if (name === known.named || terminal.name !== known.named) return;
    known.named = name;
    void vscode.commands.executeCommand('workbench.action.terminal.renameWithArg', { name });
  }
}
