// Whose a terminal of this window is, and whether somebody looks at it: by its process, and by what the binary says of
// who is attached now. Pure.

import type { Agent, Client } from '../../binary/types';

export type As = 'driver' | 'observer';

/** How one attaches: whoever takes drives from then on, and the one that drove watches. */
export type How = As | 'taker';

/** The place of a terminal at an agent. */
export interface Seat {
  id: string;
  as: As;
}

/** What is known of a terminal of this window. */
export interface Known {
  pid?: number | undefined;
  /** Its device. A shell in which somebody attached has it in common with the tmux client. */
  tty?: string | undefined;
  /** For whom it was opened here: it is theirs from then on, though it is attached only a moment later. */
  opened?: Seat | undefined;
  /** What it was before a reload. That is no proof: its number may be another process's by now. */
  before?: Seat | undefined;
}

const isIts = (client: Client, { pid, tty }: Known): boolean => (pid !== undefined && client.pid === pid) || (tty !== undefined && client.tty === tty);

/** The client of an agent that draws on a terminal. */
export const clientOn = (known: Known, agent: Agent): Client | undefined => agent.clients.find((client) => isIts(client, known));

/** Whose terminal this is. One that is attached is of that agent, whatever it was opened for; a shell that is attached to
 *  nobody any more is a shell. */
export function seatOf(known: Known, agents: readonly Agent[]): Seat | undefined {
  for (const agent of agents) {
    const client = clientOn(known, agent);
    if (client === undefined) continue;
    // One that was to drive may only watch while another drives, and is still the terminal that attaching shows.
    const meant = [known.opened, known.before].find((seat) => seat?.id === agent.id);
    return { id: agent.id, as: meant?.as ?? (client.observer ? 'observer' : 'driver') };
  }
  return known.opened;
}

/** Whether one terminal drives, and others watch. */
export const isDriven = ({ clients }: Agent): boolean => clients.some(({ driver }) => driver);

/** Whether what is typed into a terminal goes nowhere, because another one drives; undefined while it is not attached. */
export function onlyWatches(known: Known, agent: Agent): boolean | undefined {
  const client = clientOn(known, agent);
  return client === undefined ? undefined : client.observer && isDriven(agent);
}

/** Whether a terminal has no other process than the tmux client: it is on an agent for as long as it lives. */
export const isOwn = (known: Known, agents: readonly Agent[]): boolean =>
  known.opened !== undefined || agents.some(({ clients }) => clients.some(({ pid }) => pid !== null && pid === known.pid));

/** Whether it gives way to a terminal of this window that is to drive an agent: one that was opened to watch that one. A shell
 *  of the person's is not ours to close. */
export function givesWay(known: Known, agent: Agent, agents: readonly Agent[]): boolean {
  const seat = seatOf(known, agents);
  return seat?.id === agent.id && seat.as === 'observer' && isOwn(known, agents);
}

/** Where VS Code says that a terminal is. */
export interface Showing {
  /** Whether it is the one that was used last, which it stays while its panel is hidden. */
  active: boolean;
  /** Whether it is a tab of the editor area that lies in front. */
  inFront: boolean;
}

/** Whether somebody looks at it, when their window has the focus. Nobody tells whether the panel is open, so there it must
 *  have the keyboard, as tmux hears it from the terminal; in doubt it is not looked at, and its agent is told of. */
export function isSeen(known: Known, agent: Agent, showing: Showing): boolean {
  const client = clientOn(known, agent);
  return client !== undefined && (showing.inFront || (showing.active && client.focused));
}

/** What the terminal on an agent is called. No blanks: VS Code was seen to cut a name there on restoring. */
export const terminalName = (name: string, as: As): string => (as === 'driver' ? name : `${name}:observe`);
