// The order in which a user visits waiting agents. Pure.

import type { Agent } from '../../binary/types';
import { needsPerson } from '../agent/status';

/** Returns the agents that need a user, longest waiting first. */
export const waitingLongest = (agents: readonly Agent[]): Agent[] =>
  agents.filter(needsPerson).sort((a, b) => (a.status_since < b.status_since ? -1 : a.status_since > b.status_since ? 1 : a.name < b.name ? -1 : 1));

/** Returns the agent after the one that was visited last, or the first one if that agent no longer waits. */
export function nextWaiting(agents: readonly Agent[], last: string | undefined): Agent | undefined {
  const waiting = waitingLongest(agents);
  const at = waiting.findIndex(({ id }) => id === last);
  return waiting[(at + 1) % waiting.length];
}
