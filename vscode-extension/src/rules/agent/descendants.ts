// The tree of agents by their parents. Pure.

import type { Agent } from '../../binary/types';
import { isLive } from './status';

/** Returns the running descendants of an agent, which `agent kill --with-children` stops too. Ended agents between them
 *  are passed. */
export function liveDescendants(agent: Pick<Agent, 'name'>, agents: readonly Agent[]): Agent[] {
  const below: Agent[] = [];
  // Reused names could form a cycle.
  const seen = new Set([agent.name]);
  for (let row = [agent]; row.length > 0; ) {
    const parents = new Set(row.map(({ name }) => name));
    const next = agents.filter(({ name, parent }) => parent !== null && parents.has(parent) && !seen.has(name));
    for (const { name } of next) seen.add(name);
    below.push(...next);
    row = next;
  }
  return below.filter(isLive);
}
