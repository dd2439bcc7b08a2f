// Keeps the list of agents: one watching process, started again with growing pauses, and a slow look beside it in case
// an event was missed. Everybody else listens here; nobody else asks for the list.

import * as vscode from 'vscode';
import { type Client, CommandError } from './client';
import { HEALTHY, pause } from './rules/backoff';
import { inWords } from './rules/broken';
import { shown } from './rules/group';
import { Hearing } from './rules/hearing';
import { isNewEnough } from './rules/version';
import type { Agent, Broken, Listed } from './types';

export type Health = 'starting' | 'ready' | 'missing-binary' | 'missing-tmux' | 'too-old' | 'unusable' | 'failing';

/** How often the list is asked for beside the watcher, in a window that has the focus. */
const SAFETY = 60_000;

export class Watch implements vscode.Disposable {
  agents: Agent[] = [];
  /** Those that are there and could not be read. */
  broken: Broken[] = [];
  health: Health = 'starting';
  /** What was said when it is not ready. */
  trouble: CommandError | undefined;

  private readonly changed = new vscode.EventEmitter<{ before: Agent[]; after: Agent[] }>();
  private readonly healthChanged = new vscode.EventEmitter<Health>();
  private readonly warned = new vscode.EventEmitter<string>();
  readonly onAgents = this.changed.event;
  readonly onHealth = this.healthChanged.event;
  readonly onWarning = this.warned.event;

  private watching: { dispose: () => void } | undefined;
  private failures = 0;
  private next: NodeJS.Timeout | undefined;
  private readonly safety: NodeJS.Timeout;
  private fresh = true;
  private round = 0;
  private readonly hearing = new Hearing();
  private readonly toldBroken = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.safety = setInterval(() => {
      if (vscode.window.state.focused) void this.look();
    }, SAFETY);
  }

  /** Starts, or starts anew: after a change of the settings, or because somebody asked for it. */
  async start(): Promise<void> {
    const round = ++this.round;
    this.watching?.dispose();
    clearTimeout(this.next);
    try {
      const version = await this.client.version();
      if (round !== this.round) return;
      if (!isNewEnough(version)) {
        this.failed(new CommandError({ code: 'too-old', message: version, saw: [], hints: [] }));
        return;
      }
    } catch (error) {
      if (round === this.round) this.failed(error);
      return;
    }
    const began = Date.now();
    this.watching = this.client.watch({
      agents: (listed) => {
        if (round !== this.round) return;
        this.hearing.told();
        this.take(listed);
      },
      warning: (text) => {
        this.log.warn(text);
        this.warned.fire(text);
      },
      ended: (error) => {
        if (round !== this.round) return;
        if (Date.now() - began > HEALTHY) this.failures = 0;
        this.failed(error);
      },
    });
  }

  /** Asks once, beside the watcher. */
  async look(): Promise<void> {
    if (this.health !== 'ready') return;
    const round = this.round;
    const isNews = this.hearing.asks();
    try {
      const listed = await this.client.agents();
      if (round === this.round && isNews()) this.take(listed);
    } catch (error) {
      this.log.warn(String(error));
    }
  }

  agent(name: string): Agent | undefined {
    return this.agents.find((agent) => agent.name === name);
  }

  dispose(): void {
    this.round++;
    clearInterval(this.safety);
    clearTimeout(this.next);
    this.watching?.dispose();
    for (const emitter of [this.changed, this.healthChanged, this.warned]) emitter.dispose();
  }

  private take({ agents, broken }: Listed): void {
    const before = this.agents;
    const namesBefore = inWords(this.broken);
    this.agents = agents;
    this.broken = broken;
    this.tellBroken();
    if (agents.length === 0 && broken.length > 0) {
      this.trouble = new CommandError({ code: 'unreadable', message: inWords(broken), saw: [], hints: [] });
      this.setHealth('failing');
    } else {
      this.trouble = undefined;
      this.setHealth('ready');
    }
    const differs = this.fresh || shown(before) !== shown(agents) || namesBefore !== inWords(broken);
    // The first list after a start has nothing to differ from: no notice comes of it.
    const past = this.fresh ? agents : before;
    this.fresh = false;
    if (differs) this.changed.fire({ before: past, after: agents });
  }

  /** Each is told of once, however often it comes and goes. */
  private tellBroken(): void {
    const news = this.broken.filter(({ name }) => !this.toldBroken.has(name));
    if (news.length === 0) return;
    for (const { name, why } of news) {
      this.toldBroken.add(name);
      this.log.warn(`${name}: ${why}`);
    }
    this.warned.fire(inWords(news));
  }

  private failed(error: unknown): void {
    const trouble = error instanceof CommandError ? error : new CommandError({ code: 'failed', message: String(error), saw: [], hints: [] });
    this.failures++;
    this.trouble = trouble;
    this.log.warn(`agent list --watch: ${trouble.code}: ${trouble.message}`);
    const health = healthOf(trouble.code);
    // A watcher that was merely ended is back before anybody has seen that it was gone.
    if (health !== 'failing' || this.failures > 2) {
      this.agents = [];
      this.broken = [];
      this.fresh = true;
      this.setHealth(health);
    }
    this.next = setTimeout(() => void this.start(), pause(this.failures));
  }

  private setHealth(health: Health): void {
    if (this.health === health) return;
    this.health = health;
    void vscode.commands.executeCommand('setContext', 'symposium.state', health);
    this.healthChanged.fire(health);
  }
}

function healthOf(code: string): Health {
  switch (code) {
    case 'missing-binary':
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
