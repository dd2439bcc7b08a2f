// Agents whose folder was deleted: the binary has marked it, or a folder of this window has disappeared. Pure.

import type { Agent } from '../../binary/types';
import { isWithin } from '../agent/inWorkspace';

/** Returns the agents without a folder that the user was not asked about yet. */
export function agentsWithoutFolder(agents: readonly Agent[], vanished: readonly string[], asked: readonly string[]): Agent[] {
  const lost = (agent: Agent) => vanished.some((path) => isWithin(agent.project ?? agent.working_directory, path));
  return agents.filter((agent) => (agent.directory_gone !== null || lost(agent)) && !asked.includes(agent.id));
}

/** How long a folder must be missing. When an agent is removed, its folder disappears shortly before its record. */
export const GONE_FOR_MS = 2_000;

/** Measures how long folders have been missing. */
export class FolderGoneTimer {
  private readonly since = new Map<string, number>();

  /** Returns the agents whose folder has been missing long enough. Restarts the time of agents that have a folder
   *  again. */
  due(without: readonly Agent[], now: number): Agent[] {
    for (const id of this.since.keys()) if (!without.some((agent) => agent.id === id)) this.since.delete(id);
    for (const { id } of without) if (!this.since.has(id)) this.since.set(id, now);
    return without.filter(({ id }) => now - (this.since.get(id) ?? now) >= GONE_FOR_MS);
  }
}

/** Returns the present state of those agents that still exist. */
export const currentOf = (some: readonly Agent[], agents: readonly Agent[]): Agent[] => agents.filter(({ id }) => some.some((each) => each.id === id));
