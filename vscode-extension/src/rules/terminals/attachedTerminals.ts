// Relates terminals of this window to agents, by their processes and the clients of the agents. Pure.

import type { Agent, AttachedClient } from '../../binary/types';

export type Role = 'driver' | 'observer';

/** How a terminal attaches. A taker becomes the driver, and the former driver watches. */
export type AttachMode = Role | 'taker';

/** The agent and role of a terminal. */
export interface Attachment {
  id: string;
  as: Role;
}

/** What is known about a terminal of this window. */
export interface TerminalFacts {
  pid?: number | undefined;
  /** Its device. A tmux client in a shell has the same one. */
  tty?: string | undefined;
  /** The agent that this extension opened it for. Its process is a client only a moment later. */
  opened?: Attachment | undefined;
  /** Its agent before a reload. The process id may have been reused since. */
  before?: Attachment | undefined;
}

const belongsTo = (client: AttachedClient, { pid, tty }: TerminalFacts): boolean => (pid !== undefined && client.pid === pid) || (tty !== undefined && client.tty === tty);

/** Returns the client of an agent that runs in a terminal. */
export const clientOn = (known: TerminalFacts, agent: Agent): AttachedClient | undefined => agent.clients.find((client) => belongsTo(client, known));

/** Returns the agent of a terminal. An attached terminal belongs to the agent of its client, whatever it was opened
 *  for. A shell that has detached belongs to none. */
export function attachmentOf(known: TerminalFacts, agents: readonly Agent[]): Attachment | undefined {
  for (const agent of agents) {
    const client = clientOn(known, agent);
    if (client === undefined) continue;
    // A terminal that was opened as driver keeps that role while another terminal drives.
    const meant = [known.opened, known.before].find((seat) => seat?.id === agent.id);
    return { id: agent.id, as: meant?.as ?? (client.observer ? 'observer' : 'driver') };
  }
  return known.opened;
}

/** Returns whether an agent has a driver, so that other clients only watch. */
export const isDriven = ({ clients }: Agent): boolean => clients.some(({ driver }) => driver);

/** Returns whether typing into a terminal has no effect because another terminal drives. Returns undefined while it is
 *  not attached. */
export function isWatchingOnly(known: TerminalFacts, agent: Agent): boolean | undefined {
  const client = clientOn(known, agent);
  return client === undefined ? undefined : client.observer && isDriven(agent);
}

/** Returns whether the tmux client is the only process of a terminal, so that it stays attached for its lifetime. */
export const isAttachTerminal = (known: TerminalFacts, agents: readonly Agent[]): boolean =>
  known.opened !== undefined || agents.some(({ clients }) => clients.some(({ pid }) => pid !== null && pid === known.pid));

/** Returns whether a terminal was opened to observe an agent and may be replaced by a driving one. A shell of the user
 *  must not be closed. */
export function isReplaceable(known: TerminalFacts, agent: Agent, agents: readonly Agent[]): boolean {
  const seat = attachmentOf(known, agents);
  return seat?.id === agent.id && seat.as === 'observer' && isAttachTerminal(known, agents);
}

/** What VS Code tells about the visibility of a terminal. */
export interface TerminalVisibility {
  /** Whether it is the active terminal. It stays active while its panel is hidden. */
  active: boolean;
  /** Whether it is the active tab of an editor group. */
  inFront: boolean;
}

/** Returns whether the user looks at a terminal, provided that the window has the focus. VS Code does not tell whether
 *  the panel is open, so a terminal there must have the keyboard focus, as reported to tmux. In doubt it is not looked
 *  at, and notices are shown. */
export function isLookedAt(known: TerminalFacts, agent: Agent, showing: TerminalVisibility): boolean {
  const client = clientOn(known, agent);
  return client !== undefined && (showing.inFront || (showing.active && client.focused));
}

/** Returns the name of a terminal. It has no spaces, because VS Code was seen to cut names at a space when it restores
 *  terminals. */
export const terminalName = (name: string, as: Role): string => (as === 'driver' ? name : `${name}:observe`);
