// The muted agents, by id, so that a renamed agent stays muted.

import * as vscode from 'vscode';
import type { Agent } from '../binary/types';

const KEY = 'symposium.muted';

export class Mutes {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onChange = this.changed.event;

  constructor(private readonly memory: vscode.Memento) {}

  has(agent: Agent): boolean {
    return this.all().includes(agent.id);
  }

  async set(agent: Agent, muted: 'muted' | 'unmuted'): Promise<void> {
    const others = this.all().filter((id) => id !== agent.id);
    await this.memory.update(KEY, muted === 'muted' ? [...others, agent.id] : others);
    this.changed.fire(undefined);
  }

  private all(): string[] {
    return this.memory.get<string[]>(KEY) ?? [];
  }
}
