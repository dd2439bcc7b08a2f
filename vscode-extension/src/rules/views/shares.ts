// The shares of agents in the agents view. Pure.

import type { Agent, Share } from '../../binary/types';

/** Returns the shares of an agent that have not expired. An older binary lists none. */
export const activeShares = ({ shares = [] }: Agent, now: number): Share[] => shares.filter(({ until }) => until === null || Date.parse(until) > now);
