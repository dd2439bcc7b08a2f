// Keeps the list of agents: one watching process, started again with growing pauses, and a slow look beside it in case
// an event was missed. Everybody else listens here; nobody else asks for the list.

import * as vscode from 'vscode';
import { type Client, CommandError } from './client';
import { HEALTHY, pause } from '../rules/binary/backoff';
import { Unreadable, inWords } from '../rules/binary/unreadable';
import { shown } from '../rules/views/agentGroups';
import type { Health } from '../rules/binary/health';
import { Hearing } from '../rules/binary/newerSnapshot';
import { gone } from '../rules/commands/removal';
import { isNewEnough, isSymposium } from '../rules/binary/version';
import type { Agent, Broken, Listed } from './types';

/** How often the list is asked for beside the watcher, in a window that has the focus. */
const SAFETY = 60_000;

export class Watch implements vscode.Disposable {
  agents: Agent[] = [];
  /** Those in a list that could not be read here. */
  private misshapen: Broken[] = [];
  private readonly unreadable = new Unreadable();
  health: Health = 'starting';
  /** What was said when it is not ready. */
  trouble: CommandError | undefined;

  /** Those that are there and could not be read, here or by the binary. */
  get broken(): Broken[] {
    return [...this.misshapen, ...this.unreadable.all];
  }

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
  /** What was said when the health was last told. */
  private said: string | undefined;
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
      const code = !isSymposium(version) ? 'wrong-binary' : !isNewEnough(version) ? 'too-old' : undefined;
      if (code !== undefined) {
        this.failed(new CommandError({ code, message: version.split('\n')[0] ?? '', saw: [], hints: [] }));
        return;
      }
    } catch (error) {
      if (round === this.round) this.failed(error);
      return;
    }
    const began = Date.now();
    this.unreadable.began();
    this.watching = this.client.watch({
      agents: (listed) => {
        if (round !== this.round) return;
        this.hearing.told();
        this.take(listed);
        // The watcher does not say that it warns no more.
        if (this.unreadable.areInDoubt(listed.agents)) void this.look();
      },
      warning: (text) => {
        this.log.warn(text);
        this.warned.fire(text);
        if (round === this.round && this.unreadable.warned(text) && this.health === 'ready') this.changed.fire({ before: this.agents, after: this.agents });
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
      if (round !== this.round) return;
      const named = inWords(this.broken);
      this.unreadable.asked(listed.unreadable);
      if (isNews()) this.take(listed, named);
      else if (named !== inWords(this.broken)) this.changed.fire({ before: this.agents, after: this.agents });
    } catch (error) {
      this.log.warn(String(error));
    }
  }

  /** An agent as it is by now: while somebody was asked it may have got another name, and another agent its old one. Throws
   *  when it is gone. */
  present(agent: Agent): Agent {
    // Without a list nothing is known of anybody.
    if (this.health !== 'ready') return agent;
    const now = this.agents.find(({ id }) => id === agent.id);
    if (now === undefined) throw gone(agent.name);
    return now;
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

  private take({ agents, broken }: Listed, namedBefore = inWords(this.broken)): void {
    const before = this.agents;
    this.agents = agents;
    this.misshapen = broken;
    this.tellBroken();
    if (agents.length === 0 && broken.length > 0) {
      this.trouble = new CommandError({ code: 'unreadable', message: inWords(broken), saw: [], hints: [] });
      this.setHealth('failing');
    } else {
      this.trouble = undefined;
      this.setHealth('ready');
    }
    const differs = this.fresh || shown(before) !== shown(agents) || namedBefore !== inWords(this.broken);
    // The first list after a start has nothing to differ from: no notice comes of it.
    const past = this.fresh ? agents : before;
    this.fresh = false;
    if (differs) this.changed.fire({ before: past, after: agents });
  }

  /** Each is told of once, however often it comes and goes. */
  private tellBroken(): void {
    const news = this.misshapen.filter(({ name }) => !this.toldBroken.has(name));
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
      this.misshapen = [];
      this.unreadable.asked([]);
      this.fresh = true;
      this.setHealth(health);
    }
    this.next = setTimeout(() => void this.start(), pause(this.failures));
  }

  /** With what was said, which may be another thing of the same kind by now. */
  private setHealth(health: Health): void {
    const said = this.trouble?.message;
    if (this.health === health && this.said === said) return;
    this.health = health;
    this.said = said;
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
