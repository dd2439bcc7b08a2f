// Who was spawned by whom. Pure.

import type { Agent } from '../../binary/types';
import { isLive } from './status';

/** Those below an agent that run, through whoever does not: they are what `agent kill --with-children` ends beside it. */
export function liveBelow(agent: Pick<Agent, 'name'>, agents: readonly Agent[]): Agent[] {
  const below: Agent[] = [];
  // Names that were given anew could close a circle.
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
