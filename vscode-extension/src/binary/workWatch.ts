// Asks for the work of agents in worktrees while the agents view is visible: every 30 seconds, and after a change of
// their status. The list of agents never waits for it.

import * as vscode from 'vscode';
import type { Client } from './client';
import type { AgentWatch } from './agentWatch';
import type { WorkById } from './workTypes';
import { PacedAction } from '../rules/commands/pacedAction';
import { changedWork, workTrigger } from '../rules/views/workText';

/** Interval of the requests while the view is visible. */
const POLL_INTERVAL_MS = 30_000;

/** Pause between two requests. A turn changes the status of an agent several times. */
const PAUSE_MS = 5_000;

export class WorkWatch implements vscode.Disposable {
  works: WorkById = new Map();
  private readonly changed = new vscode.EventEmitter<Set<string>>();
  /** Fires with the ids of the agents whose work changed. */
  readonly onChange = this.changed.event;
  private isVisible = false;
  private lastTrigger = '';
  private lastError = '';
  private readonly asking = new PacedAction(() => this.ask(), PAUSE_MS);
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly client: Client,
    private readonly watch: AgentWatch,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const poll = setInterval(() => { this.request(); }, POLL_INTERVAL_MS);
    this.parts = [
      this.changed,
      watch.onAgents(({ after }) => {
        const trigger = workTrigger(after);
        if (trigger !== this.lastTrigger) this.request();
        this.lastTrigger = trigger;
      }),
      { dispose: () => { clearInterval(poll); } },
      { dispose: () => { this.asking.cancel(); } },
    ];
  }

  /** Asks as long as the view is visible. */
  setVisible(visibility: 'visible' | 'hidden'): void {
    this.isVisible = visibility === 'visible';
    if (this.isVisible) this.request();
    else this.asking.cancel();
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private request(): void {
    if (this.isVisible && this.watch.health === 'ready' && workTrigger(this.watch.agents) !== '') this.asking.request();
  }

  private async ask(): Promise<void> {
    try {
      const works = await this.client.work();
      const changed = changedWork(this.works, works);
      this.works = works;
      this.lastError = '';
      if (changed.size > 0) this.changed.fire(changed);
    } catch (error) {
      // The same error would be logged every 30 seconds.
      if (this.lastError !== String(error)) this.log.warn(`agent list --work: ${String(error)}`);
      this.lastError = String(error);
    }
  }
}
