// The shares of running agents, for the marks in the agents view. `agent list` of this binary does not print them, so they
// are read by `agent show`, one agent after the other.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import type { Agent, Share } from '../binary/types';
import { activeShares, askedForShares } from '../rules/views/shares';

export class SharedAgents implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onChange = this.changed.event;
  private readonly known = new Map<string, Share[]>();
  private refreshing: Promise<void> | undefined;

  constructor(private readonly client: Client) {}

  /** Returns the shares of an agent as far as they are known. */
  of(agent: Agent): readonly Share[] {
    return activeShares(agent, this.known, Date.now());
  }

  /** Reads the shares of the running agents. A call during a refresh waits for that one. */
  refresh(agents: readonly Agent[]): Promise<void> {
    this.refreshing ??= this.read(askedForShares(agents)).finally(() => { this.refreshing = undefined; });
    return this.refreshing;
  }

  /** Reads the shares of one agent, after a command has changed them. */
  async refreshOne(agent: Agent): Promise<void> {
    await this.read([agent]);
  }

  /** Stores shares that another part has read. */
  note({ id }: Agent, shares: readonly Share[]): void {
    const before = JSON.stringify(this.known.get(id) ?? []);
    this.known.set(id, [...shares]);
    if (JSON.stringify(shares) !== before) this.changed.fire(undefined);
  }

  dispose(): void {
    this.changed.dispose();
  }

  private async read(agents: readonly Agent[]): Promise<void> {
    for (const agent of agents) {
      // An agent that was removed in the meantime has no shares.
      this.note(agent, await this.client.shares(agent.name).catch(() => []));
    }
  }
}
