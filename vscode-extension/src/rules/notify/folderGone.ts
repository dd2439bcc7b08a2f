// Whose folder is gone: the binary has marked it, or its project was open here and has vanished. Pure.

import type { Agent } from '../../binary/types';
import { isWithin } from '../agent/inWorkspace';

/** Those of whom nobody was asked yet. */
export function homeless(agents: readonly Agent[], vanished: readonly string[], asked: readonly string[]): Agent[] {
  const lost = (agent: Agent) => vanished.some((path) => isWithin(agent.project ?? agent.working_directory, path));
  return agents.filter((agent) => (agent.directory_gone !== null || lost(agent)) && !asked.includes(agent.id));
}

/** For so long a folder must be gone: of an agent that is being removed it goes some moments before the record does. */
export const SETTLED = 2_000;

/** Since when folders are gone, as far as agents are still there without them. */
export class Settling {
  private readonly since = new Map<string, number>();

  /** Those without a folder for long enough; who is in no list any more, or has a folder again, begins anew. */
  settled(without: readonly Agent[], now: number): Agent[] {
    for (const id of this.since.keys()) if (!without.some((agent) => agent.id === id)) this.since.delete(id);
    for (const { id } of without) if (!this.since.has(id)) this.since.set(id, now);
    return without.filter(({ id }) => now - (this.since.get(id) ?? now) >= SETTLED);
  }
}

/** Those of some agents that are in the list, as they are there. */
export const stillThere = (some: readonly Agent[], agents: readonly Agent[]): Agent[] => agents.filter(({ id }) => some.some((each) => each.id === id));
