// The shares of agents in the agents view. Pure.

import type { Agent, Share } from '../../binary/types';
import { isLive } from '../agent/status';

/** The number of agents whose shares are read for one refresh, because each costs a process. */
const MAX_ASKED = 30;

/** Returns the agents whose shares are to be read. The shares of an agent end with it, and a newer binary lists them. */
export const askedForShares = (agents: readonly Agent[]): Agent[] => agents.filter((agent) => isLive(agent) && agent.shares === undefined).slice(0, MAX_ASKED);

/** Returns the shares of an agent that have not expired: those of the list, or those that were read for it. */
export function activeShares(agent: Agent, known: ReadonlyMap<string, readonly Share[]>, now: number): Share[] {
  const shares = agent.shares ?? (isLive(agent) ? (known.get(agent.id) ?? []) : []);
  return shares.filter(({ until }) => until === null || Date.parse(until) > now);
}
