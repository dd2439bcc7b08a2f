// The icon and name of each status, and the actions that it allows.

import type { Agent, Status } from '../../binary/types';
import { t } from '../../l10n';

/** An icon of VS Code with its colour. */
export interface StatusIcon {
  icon: string;
  color?: string;
}

const icons: Record<Status, StatusIcon> = {
  starting: { icon: 'loading~spin' },
  working: { icon: 'play-circle', color: 'charts.blue' },
  waiting: { icon: 'bell-dot', color: 'charts.yellow' },
  idle: { icon: 'circle-outline', color: 'charts.green' },
  exited: { icon: 'pass', color: 'disabledForeground' },
  crashed: { icon: 'error', color: 'charts.red' },
  stopped: { icon: 'stop-circle', color: 'disabledForeground' },
  // The colour of the theme, because the disabled colour is invisible on a selected row.
  hibernated: { icon: 'coffee' },
  lost: { icon: 'debug-disconnect', color: 'charts.red' },
  unknown: { icon: 'question' },
};

/** The fields of an agent that its status consists of. */
export type StatusFields = Pick<Agent, 'status' | 'waiting_for' | 'failure'>;

/** Returns the icon of a status. Newer binaries may print statuses that this extension does not know. */
export function iconOf(agent: StatusFields): StatusIcon {
  if (hasFailedTurn(agent)) return { icon: 'warning', color: 'charts.red' };
  if (agent.status === 'waiting' && !needsPerson(agent)) return { icon: 'watch' };
  return (icons as Partial<Record<string, StatusIcon>>)[agent.status] ?? icons.unknown;
}

/** Returns whether the last turn of an idle agent failed. A waiting agent says itself what it waits for. */
export const hasFailedTurn = ({ status, failure }: Pick<Agent, 'status' | 'failure'>): boolean => status === 'idle' && (failure ?? null) !== null;

/** Returns whether an agent waits for a user. An agent at its usage limit continues by itself, unless several turns
 *  failed. */
export function needsPerson({ status, waiting_for, failure }: StatusFields): boolean {
  if (status !== 'waiting') return false;
  const isHeld = failure?.held_until === null && failure.paused !== true;
  return waiting_for !== 'limit' || isHeld;
}

/** How long an ended agent keeps its place in a list. A row that moves at once puts the next agent under the pointer,
 *  and a second click would hit it. */
export const ENDED_KEEPS_PLACE_MS = 60_000;

/** Returns the rank of an agent in a list: needs a user, has failed, runs or has just ended, has ended. */
export function rank(agent: StatusFields & Pick<Agent, 'status_since'>, now: number): number {
  if (needsPerson(agent)) return 0;
  if (agent.status === 'crashed' || agent.status === 'lost' || hasFailedTurn(agent)) return 1;
  const isOver = ['exited', 'stopped', 'hibernated'].includes(agent.status);
  return isOver && now - Date.parse(agent.status_since) >= ENDED_KEEPS_PLACE_MS ? 3 : 2;
}

export const isLive = (agent: Agent): boolean =>
  ['starting', 'working', 'waiting', 'idle', 'unknown'].includes(agent.status);

/** Returns whether `agent attach` has a screen to show. It wakes a hibernated agent. */
export const isAttachable = (agent: Agent): boolean => agent.tmux !== null || isHibernated(agent);

/** Returns whether an agent has no process until it gets a prompt or a client. A terminal on it shows its last screen. */
export const isHibernated = (agent: Agent): boolean => agent.status === 'hibernated';

/** Returns whether a prompt can be sent. It wakes a hibernated agent. */
export const canReceivePrompt = (agent: Agent): boolean => isLive(agent) || isHibernated(agent);

/** Returns whether an agent has a turn that can be interrupted. */
export const isWorking = (agent: Agent): boolean => agent.status === 'working';

/** Returns whether an agent is still in the same turn. The list no longer names a task that was cancelled. */
export const isSameTurn = (then: Agent, now: Agent | undefined): now is Agent =>
  now !== undefined && isWorking(now) && now.status_since === then.status_since && (now.task === null || now.task.id === then.task?.id);

/** Returns whether an agent has ended and needs a command to run again. */
export const hasEnded = (agent: Agent): boolean => ['exited', 'crashed', 'stopped', 'lost'].includes(agent.status);

/** Returns whether `agent resume` starts a process for the agent. */
export const isResumable = (agent: Agent): boolean => hasEnded(agent) || isHibernated(agent);

const names: Record<Status, () => string> = {
  starting: () => t('starting'),
  working: () => t('working'),
  waiting: () => t('waiting'),
  idle: () => t('idle'),
  exited: () => t('exited'),
  crashed: () => t('crashed'),
  stopped: () => t('stopped'),
  hibernated: () => t('hibernated'),
  lost: () => t('lost'),
  unknown: () => t('unknown'),
};

const waits: Record<NonNullable<Agent['waiting_for']>, () => string> = {
  approval: () => t('needs approval'),
  question: () => t('asks a question'),
  setup: () => t('needs setup'),
  limit: () => t('waits for its usage limit'),
};

/** Returns the name of a status. A status of a newer binary is shown as it is. */
export const statusName = (word: Status): string => (names as Partial<Record<string, () => string>>)[word]?.() ?? word;

/** Describes a status: what a waiting agent waits for, or that the last turn failed. */
export function statusWord({ status, waiting_for, failure }: StatusFields): string {
  if (hasFailedTurn({ status, failure })) return t('failed');
  if (status !== 'waiting' || waiting_for === null) return statusName(status);
  return (waits as Partial<Record<string, () => string>>)[waiting_for]?.() ?? `${statusName(status)} (${waiting_for})`;
}

/** The number of agents in each state. */
export interface Counts {
  /** Agents that wait for a user, without those at their usage limit. */
  waiting: number;
  crashed: number;
  lost: number;
  /** Idle agents whose last turn failed. */
  failed: number;
  working: number;
  idle: number;
  unknown: number;
  /** Agents that wait for the reset of their usage limit. */
  limited: number;
}

const known: readonly string[] = Object.keys(icons).filter((status) => status !== 'unknown');

export function count(agents: readonly Agent[]): Counts {
  const of = (...statuses: Status[]) => agents.filter((agent) => statuses.includes(agent.status)).length;
  return {
    waiting: agents.filter(needsPerson).length,
    crashed: of('crashed'),
    lost: of('lost'),
    failed: agents.filter(hasFailedTurn).length,
    working: of('working', 'starting'),
    idle: agents.filter((agent) => agent.status === 'idle' && !hasFailedTurn(agent)).length,
    // Includes statuses of newer binaries.
    unknown: agents.filter(({ status }) => !known.includes(status)).length,
    limited: agents.filter((agent) => agent.status === 'waiting' && !needsPerson(agent)).length,
  };
}

/** Formats the counts as text, without zeros. */
export function countsText(counts: Counts): string {
  const parts = [
    counts.waiting > 0 ? t('{0} waiting', counts.waiting) : '',
    counts.crashed > 0 ? t('{0} crashed', counts.crashed) : '',
    counts.lost > 0 ? t('{0} lost', counts.lost) : '',
    counts.failed > 0 ? t('{0} failed', counts.failed) : '',
    counts.working > 0 ? t('{0} working', counts.working) : '',
    counts.idle > 0 ? t('{0} idle', counts.idle) : '',
    counts.limited > 0 ? t('{0} at their usage limit', counts.limited) : '',
    counts.unknown > 0 ? t('{0} unknown', counts.unknown) : '',
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : t('no agent is running');
}

/** Formats the counts as icons and numbers for the status bar. */
export function countsIcons(counts: Counts): string {
  const parts = [
    counts.waiting > 0 ? `$(bell-dot) ${counts.waiting}` : '',
    counts.crashed > 0 ? `$(error) ${counts.crashed}` : '',
    counts.lost > 0 ? `$(debug-disconnect) ${counts.lost}` : '',
    counts.failed > 0 ? `$(warning) ${counts.failed}` : '',
    counts.working > 0 ? `$(play-circle) ${counts.working}` : '',
    counts.idle > 0 ? `$(circle-outline) ${counts.idle}` : '',
    counts.limited > 0 ? `$(watch) ${counts.limited}` : '',
    counts.unknown > 0 ? `$(question) ${counts.unknown}` : '',
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : '0';
}

/** Returns the severity of the status bar, by the worst status. */
export function severity(counts: Counts): 'error' | 'warning' | undefined {
  if (counts.crashed > 0) return 'error';
  return counts.waiting + counts.lost + counts.failed > 0 ? 'warning' : undefined;
}
