// Keeps the list of agents up to date. One `agent list --watch` process pushes changes and is restarted with growing
// pauses; a slow poll covers missed events. All other parts of the extension subscribe to this list.

import * as vscode from 'vscode';
import { type Client, CommandError } from './client';
import { HEALTHY_AFTER_MS, restartPause } from '../rules/binary/backoff';
import { UnreadableEntries, unreadableText } from '../rules/binary/unreadable';
import { fingerprint } from '../rules/views/agentGroups';
import type { Health } from '../rules/binary/health';
import { SnapshotOrder } from '../rules/binary/newerSnapshot';
import { agentGone } from '../rules/commands/removal';
import { isNewEnough, isSymposium } from '../rules/binary/version';
import type { Agent, UnreadableAgent, AgentList } from './types';

/** Interval of the poll beside the watcher process, while the window has the focus. */
const POLL_INTERVAL_MS = 60_000;

export class AgentWatch implements vscode.Disposable {
  agents: Agent[] = [];
  /** Agents of the last list that this extension could not parse. */
  private unreadableHere: UnreadableAgent[] = [];
  private readonly unreadable = new UnreadableEntries();
  health: Health = 'starting';
  /** The error of the watcher while the list is not ready. */
  trouble: CommandError | undefined;

  /** All agents that could not be read, by this extension or by the binary. */
  get allUnreadable(): UnreadableAgent[] {
    return [...this.unreadableHere, ...this.unreadable.all];
  }

  private readonly changed = new vscode.EventEmitter<{ before: Agent[]; after: Agent[] }>();
  private readonly healthChanged = new vscode.EventEmitter<Health>();
  private readonly warned = new vscode.EventEmitter<string>();
  readonly onAgents = this.changed.event;
  readonly onHealth = this.healthChanged.event;
  readonly onWarning = this.warned.event;

  private watcher: { dispose: () => void } | undefined;
  private failures = 0;
  private restartTimer: NodeJS.Timeout | undefined;
  private readonly poll: NodeJS.Timeout;
  private isFirstList = true;
  private round = 0;
  /** The error message at the last change of the health. */
  private lastMessage: string | undefined;
  private readonly snapshotOrder = new SnapshotOrder();
  private readonly reportedUnreadable = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.poll = setInterval(() => {
      if (vscode.window.state.focused) void this.refresh();
    }, POLL_INTERVAL_MS);
  }

  /** Starts the watcher, or restarts it after a change of the settings and on request. */
  async start(): Promise<void> {
    const round = ++this.round;
    this.watcher?.dispose();
    clearTimeout(this.restartTimer);
    try {
      const version = await this.client.version();
      if (round !== this.round) return;
      const code = !isSymposium(version) ? 'wrong-binary' : !isNewEnough(version) ? 'too-old' : undefined;
      if (code !== undefined) {
        this.recordFailure(new CommandError({ code, message: version.split('\n')[0] ?? '', saw: [], hints: [] }));
        return;
      }
    } catch (error) {
      if (round === this.round) this.recordFailure(error);
      return;
    }
    const began = Date.now();
    this.unreadable.watcherStarted();
    this.watcher = this.client.watch({
      agents: (listed) => {
        if (round !== this.round) return;
        this.snapshotOrder.pushed();
        this.apply(listed);
        // The watcher does not report that a warning is over.
        if (this.unreadable.needRefresh(listed.agents)) void this.refresh();
      },
      warning: (text) => {
        this.log.warn(text);
        this.warned.fire(text);
        if (round === this.round && this.unreadable.addWarning(text) && this.health === 'ready') this.changed.fire({ before: this.agents, after: this.agents });
      },
      ended: (error) => {
        if (round !== this.round) return;
        if (Date.now() - began > HEALTHY_AFTER_MS) this.failures = 0;
        this.recordFailure(error);
      },
    });
  }

  /** Asks for the list once, beside the watcher. */
  async refresh(): Promise<void> {
    if (this.health !== 'ready') return;
    const round = this.round;
    const isNews = this.snapshotOrder.request();
    try {
      const listed = await this.client.agents();
      if (round !== this.round) return;
      const named = unreadableText(this.allUnreadable);
      this.unreadable.replace(listed.unreadable);
      if (isNews()) this.apply(listed, named);
      else if (named !== unreadableText(this.allUnreadable)) this.changed.fire({ before: this.agents, after: this.agents });
    } catch (error) {
      this.log.warn(String(error));
    }
  }

  /** Returns the latest state of an agent. It may have been renamed since it was shown, and its old name may belong to
   *  another agent. Throws when the agent no longer exists. */
  current(agent: Agent): Agent {
    // Without a list there is no newer state.
    if (this.health !== 'ready') return agent;
    const now = this.agents.find(({ id }) => id === agent.id);
    if (now === undefined) throw agentGone(agent.name);
    return now;
  }

  agent(name: string): Agent | undefined {
    return this.agents.find((agent) => agent.name === name);
  }

  dispose(): void {
    this.round++;
    clearInterval(this.poll);
    clearTimeout(this.restartTimer);
    this.watcher?.dispose();
    for (const emitter of [this.changed, this.healthChanged, this.warned]) emitter.dispose();
  }

  private apply({ agents, broken }: AgentList, namedBefore = unreadableText(this.allUnreadable)): void {
    const before = this.agents;
    this.agents = agents;
    this.unreadableHere = broken;
    this.reportUnreadable();
    if (agents.length === 0 && broken.length > 0) {
      this.trouble = new CommandError({ code: 'unreadable', message: unreadableText(broken), saw: [], hints: [] });
      this.setHealth('failing');
    } else {
      this.trouble = undefined;
      this.setHealth('ready');
    }
    const differs = this.isFirstList || fingerprint(before) !== fingerprint(agents) || namedBefore !== unreadableText(this.allUnreadable);
    // The first list after a start has no predecessor, so it causes no notices.
    const past = this.isFirstList ? agents : before;
    this.isFirstList = false;
    if (differs) this.changed.fire({ before: past, after: agents });
  }

  /** Warns once about each agent, even if it disappears and returns. */
  private reportUnreadable(): void {
    const unreported = this.unreadableHere.filter(({ name }) => !this.reportedUnreadable.has(name));
    if (unreported.length === 0) return;
    for (const { name, why } of unreported) {
      this.reportedUnreadable.add(name);
      this.log.warn(`${name}: ${why}`);
    }
    this.warned.fire(unreadableText(unreported));
  }

  private recordFailure(error: unknown): void {
    const trouble = error instanceof CommandError ? error : new CommandError({ code: 'failed', message: String(error), saw: [], hints: [] });
    this.failures++;
    this.trouble = trouble;
    this.log.warn(`agent list --watch: ${trouble.code}: ${trouble.message}`);
    const health = healthOf(trouble.code);
    // A single crash of the watcher is repaired before a user notices it.
    if (health !== 'failing' || this.failures > 2) {
      this.agents = [];
      this.unreadableHere = [];
      this.unreadable.replace([]);
      this.isFirstList = true;
      this.setHealth(health);
    }
    this.restartTimer = setTimeout(() => void this.start(), restartPause(this.failures));
  }

  /** Publishes the health. The message may change while the health stays the same. */
  private setHealth(health: Health): void {
    const message = this.trouble?.message;
    if (this.health === health && this.lastMessage === message) return;
    this.health = health;
    this.lastMessage = message;
    void vscode.commands.executeCommand('setContext', 'symposium.state', health);
    this.healthChanged.fire(health);
  }
}

function healthOf(code: string): Health {
  switch (code) {
    case 'missing-binary':
    case 'wrong-binary':
    case 'too-old':
      return code;
    case 'tmux-missing':
      return 'missing-tmux';
    case 'state':
      return 'unusable';
    default:
      return 'failing';
  }
}
