// The order in which agents that need a person are visited. Pure.

import type { Agent } from '../../binary/types';
import { needsPerson } from '../agent/status';

/** The agents that need a person, the one that has waited longest first. */
export const waitingLongest = (agents: readonly Agent[]): Agent[] =>
  agents.filter(needsPerson).sort((a, b) => (a.status_since < b.status_since ? -1 : a.status_since > b.status_since ? 1 : a.name < b.name ? -1 : 1));

/** The agent to visit after the one that was visited last, or the first one if that agent needs no answer any more. */
export function nextWaiting(agents: readonly Agent[], last: string | undefined): Agent | undefined {
  const waiting = waitingLongest(agents);
  const at = waiting.findIndex(({ id }) => id === last);
  return waiting[(at + 1) % waiting.length];
}
