// How a status looks, what it is called, and what may be done in it.

import type { Agent, Status } from '../../binary/types';
import { t } from '../../l10n';

/** An icon of VS Code, and the colour it has. */
export interface Look {
  icon: string;
  color?: string;
}

const looks: Record<Status, Look> = {
  starting: { icon: 'loading~spin' },
  working: { icon: 'play-circle', color: 'charts.blue' },
  waiting: { icon: 'bell-dot', color: 'charts.yellow' },
  idle: { icon: 'circle-outline', color: 'charts.green' },
  exited: { icon: 'pass', color: 'disabledForeground' },
  crashed: { icon: 'error', color: 'charts.red' },
  stopped: { icon: 'stop-circle', color: 'disabledForeground' },
  // The theme's own colour: a disabled one is not seen on a selected row.
  hibernated: { icon: 'coffee' },
  lost: { icon: 'debug-disconnect', color: 'charts.red' },
  unknown: { icon: 'question' },
};

/** A newer binary may know more statuses. */
export const lookOf = (agent: Pick<Agent, 'status' | 'waiting_for'>): Look =>
  agent.status === 'waiting' && !needsPerson(agent) ? { icon: 'watch' } : ((looks as Partial<Record<string, Look>>)[agent.status] ?? looks.unknown);

/** Whether an agent waits for an answer of a person. One that waits for its usage limit goes on by itself. */
export const needsPerson = ({ status, waiting_for }: Pick<Agent, 'status' | 'waiting_for'>): boolean => status === 'waiting' && waiting_for !== 'limit';

/** For this long an agent that has ended keeps its place in a list, in milliseconds: a row that moves away at once puts the
 *  next agent under the pointer, and a second click would hit that one. */
export const END_SETTLES_AFTER = 60_000;

/** The place of an agent in a list: needs a person, has failed, runs or has just ended, has ended. */
export function rank(agent: Pick<Agent, 'status' | 'waiting_for' | 'status_since'>, now: number): number {
  if (needsPerson(agent)) return 0;
  if (agent.status === 'crashed' || agent.status === 'lost') return 1;
  const isOver = ['exited', 'stopped', 'hibernated'].includes(agent.status);
  return isOver && now - Date.parse(agent.status_since) >= END_SETTLES_AFTER ? 3 : 2;
}

export const isLive = (agent: Agent): boolean =>
  ['starting', 'working', 'waiting', 'idle', 'unknown'].includes(agent.status);

/** Whether `agent attach` has something to show; a sleeping one wakes. */
export const isAttachable = (agent: Agent): boolean => agent.tmux !== null || sleeps(agent);

/** Whether it has no process until somebody attaches or sends something. A terminal on it shows what was. */
export const sleeps = (agent: Agent): boolean => agent.status === 'hibernated';

/** Whether a prompt can be sent: one that sleeps wakes. */
export const hears = (agent: Agent): boolean => isLive(agent) || sleeps(agent);

/** Whether it has a turn that can be stopped. */
export const isAtWork = (agent: Agent): boolean => agent.status === 'working';

/** Whether it is still at the turn that it was at. Of a task that was cancelled the list says nothing any more. */
export const isSameTurn = (then: Agent, now: Agent | undefined): now is Agent =>
  now !== undefined && isAtWork(now) && now.status_since === then.status_since && (now.task === null || now.task.id === then.task?.id);

/** Whether it has come to an end, and does not come back unless it is brought back. */
export const hasEnded = (agent: Agent): boolean => ['exited', 'crashed', 'stopped', 'lost'].includes(agent.status);

/** Whether `agent resume` gives it a process. */
export const isResumable = (agent: Agent): boolean => hasEnded(agent) || sleeps(agent);

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

/** The name of a status; a word that only a newer binary knows stays as it is. */
export const inWord = (word: Status): string => (names as Partial<Record<string, () => string>>)[word]?.() ?? word;

/** The status in plain words, with what an agent waits for. */
export function statusWord({ status, waiting_for }: Pick<Agent, 'status' | 'waiting_for'>): string {
  if (status !== 'waiting' || waiting_for === null) return inWord(status);
  return (waits as Partial<Record<string, () => string>>)[waiting_for]?.() ?? `${inWord(status)} (${waiting_for})`;
}

/** How many are in which state. */
export interface Counts {
  /** Waiting for a person; not those that wait for their usage limit. */
  waiting: number;
  crashed: number;
  lost: number;
  working: number;
  idle: number;
  unknown: number;
  /** Waiting for their usage limit. */
  limited: number;
}

const known: readonly string[] = Object.keys(looks).filter((status) => status !== 'unknown');

export function count(agents: readonly Agent[]): Counts {
  const of = (...statuses: Status[]) => agents.filter((agent) => statuses.includes(agent.status)).length;
  return {
    waiting: agents.filter(needsPerson).length,
    crashed: of('crashed'),
    lost: of('lost'),
    working: of('working', 'starting'),
    idle: of('idle'),
    // Also what a newer binary has a word for that we do not know.
    unknown: agents.filter(({ status }) => !known.includes(status)).length,
    limited: agents.filter((agent) => agent.status === 'waiting' && !needsPerson(agent)).length,
  };
}

/** The counts in words, without those that are nought. */
export function countsInWords(counts: Counts): string {
  const parts = [
    counts.waiting > 0 ? t('{0} waiting', counts.waiting) : '',
    counts.crashed > 0 ? t('{0} crashed', counts.crashed) : '',
    counts.lost > 0 ? t('{0} lost', counts.lost) : '',
    counts.working > 0 ? t('{0} working', counts.working) : '',
    counts.idle > 0 ? t('{0} idle', counts.idle) : '',
    counts.limited > 0 ? t('{0} at their usage limit', counts.limited) : '',
    counts.unknown > 0 ? t('{0} unknown', counts.unknown) : '',
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : t('no agent runs');
}

/** The same for the status bar: icons and numbers. */
export function countsInIcons(counts: Counts): string {
  const parts = [
    counts.waiting > 0 ? `$(bell-dot) ${counts.waiting}` : '',
    counts.crashed > 0 ? `$(error) ${counts.crashed}` : '',
    counts.lost > 0 ? `$(debug-disconnect) ${counts.lost}` : '',
    counts.working > 0 ? `$(play-circle) ${counts.working}` : '',
    counts.idle > 0 ? `$(circle-outline) ${counts.idle}` : '',
    counts.limited > 0 ? `$(watch) ${counts.limited}` : '',
    counts.unknown > 0 ? `$(question) ${counts.unknown}` : '',
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : '0';
}

/** How loud the status bar is: by the worst of them. */
export function alarm(counts: Counts): 'error' | 'warning' | undefined {
  if (counts.crashed > 0) return 'error';
  return counts.waiting + counts.lost > 0 ? 'warning' : undefined;
}
