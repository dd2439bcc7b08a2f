// The events that are worth a notification: transitions between two lists of agents. Pure.

import type { Agent, Task } from '../../binary/types';
import { t } from '../../l10n';
import { QUESTION_LENGTH, shownQuestion } from '../agent/question';
import { hasFailedTurn, needsPerson } from '../agent/status';
import { withoutLinks, oneLine } from '../agent/sanitize';

export type NoticeKind = 'waiting' | 'limited' | 'finished' | 'failed' | 'crashed' | 'gave-up' | 'lost';

export interface Notice {
  kind: NoticeKind;
  agent: Agent;
  /** Identifies the event among those of its kind, so that several windows agree on it. */
  mark: string;
  /** For the end of a turn: the finished task, which `withTask` adds, because the list of agents does not contain it. */
  end?: TurnEnd;
}

export interface TurnEnd {
  /** When the turn began. A task that finished before belongs to another turn. */
  turnStart: string;
  /** The task that the agent was working on, if it was seen. */
  at?: number | undefined;
  /** Whether the end was not seen. It is confirmed by a finished task. */
  isGuess?: boolean;
  task?: Task;
}

/** Identifies a notice in all windows. */
export const noticeKey = ({ kind, agent, mark }: Notice): string => [agent.id, kind, mark].join(' ');

const notice = (kind: NoticeKind, agent: Agent): Notice => ({ kind, agent, mark: agent.question?.id ?? agent.status_since });

/** The user waits for the answer of a shorter turn, so it needs no notice. */
const LONG_TURN_MS = 30_000;

/** The reason of an agent that exceeded its restart limit begins with this text. */
const GIVEN_UP_REASON = 'given up after ';

/** Returns the events between two lists. An agent that is new in the second list has none. */
export function transitions(before: readonly Agent[], after: readonly Agent[]): Notice[] {
  const past = new Map(before.map((agent) => [agent.id, agent]));
  return after.flatMap((agent) => {
    const was = past.get(agent.id);
    const kind = was === undefined ? undefined : transition(was, agent);
    if (was === undefined || kind === undefined) return [];
    if (!isEnd(kind)) return [notice(kind, agent)];
    // The list only counts finished tasks.
    return [{ ...notice(kind, agent), end: ended(agent) > ended(was) ? { turnStart: '', at: was.task?.id } : { turnStart: was.status_since } }];
  });
}

/** Returns possible ends of ephemeral agents that disappeared between two lists. `withTask` confirms them by their
 *  tasks. */
export function departures(before: readonly Agent[], after: readonly Agent[]): Notice[] {
  const known = new Set(after.map(({ id }) => id));
  return before.flatMap((agent) =>
    agent.ephemeral && agent.task !== null && !known.has(agent.id) ? [{ ...notice('finished', agent), end: { turnStart: '', at: agent.task.id, isGuess: true } }] : []);
}

const isEnd = (kind: NoticeKind): boolean => kind === 'finished' || kind === 'failed';

/** Adds the finished task to the end of a turn. The end of a task and of its turn are seen one after the other, by one
 *  window or two, and are a single event. A retried task finishes at another time. */
export function withTask(original: Notice, over: readonly Task[]): Notice {
  const { end } = original;
  if (end === undefined) return original;
  const [task] = over.filter(({ changed_at }) => end.turnStart === '' || Date.parse(changed_at) >= Date.parse(end.turnStart)).sort((a, b) => Date.parse(b.changed_at) - Date.parse(a.changed_at));
  if (task === undefined) return original;
  return { ...original, kind: task.state === 'failed' ? 'failed' : 'finished', mark: `task ${task.id} ${task.changed_at}`, end: { ...end, task } };
}

const ended = ({ tasks }: Agent): number => tasks.done + tasks.failed;

function transition(was: Agent, is: Agent): NoticeKind | undefined {
  if (state(is) === 'gave-up') return state(was) === 'gave-up' ? undefined : 'gave-up';
  if (is.status === 'crashed' || is.status === 'lost') return was.status === is.status ? undefined : state(is);
  if (is.status === 'waiting') {
    const same = was.status === 'waiting' && was.waiting_for === is.waiting_for && was.question?.id === is.question?.id;
    return same ? undefined : state(is);
  }
  // A failed turn is announced whether or not it was long. With a task, the failure of the task follows and says more.
  if (hasFailedTurn(is) && is.task === null && is.failure?.at !== was.failure?.at) return 'failed';
  if (ended(is) > ended(was)) return is.tasks.failed > was.tasks.failed ? 'failed' : 'finished';
  // The end of its task follows at once and says more.
  if (is.task !== null) return undefined;
  // The user who interrupted the agent knows about it.
  if (is.reason === INTERRUPTED_REASON) return undefined;
  const worked = Date.parse(is.status_since) - Date.parse(was.status_since);
  return was.status === 'working' && is.status === 'idle' && worked >= LONG_TURN_MS ? 'finished' : undefined;
}

/** Returns the notices that are still valid, the last one for each agent. A question that was answered in the meantime
 *  is no longer valid. The result of a task stays valid when its agent was removed with it. */
export function stillValid(gathered: readonly Notice[], now: readonly Agent[]): Notice[] {
  const known = new Map(now.map((agent) => [agent.id, agent]));
  const last = new Map<string, Notice>();
  for (const candidate of gathered) {
    if (candidate.end?.isGuess === true && candidate.end.task === undefined) continue;
    const is = known.get(candidate.agent.id);
    if (is === undefined) {
      if (isOfTask(candidate)) last.set(candidate.agent.id, candidate);
    } else if (isEnd(candidate.kind)) last.set(is.id, candidate);
    else if (state(is) === candidate.kind) last.set(is.id, notice(candidate.kind, is));
  }
  return [...last.values()];
}

const isOfTask = ({ end }: Notice): boolean => end?.at !== undefined || end?.task !== undefined;

/** Returns the agents of notices that can be attached and have a recap. An ephemeral agent is removed with its task. */
export const attachableAgents = (notices: readonly Notice[], now: readonly Agent[]): Agent[] =>
  notices.filter((each) => now.some(({ id }) => id === each.agent.id) && !isRemovedWithTask(each)).map(({ agent }) => agent);

const isRemovedWithTask = (each: Notice): boolean => each.agent.ephemeral && each.agent.tasks.queued === 0 && isOfTask(each);

/** The reason of an agent that was started without a prompt. */
const READY_REASON = 'it is ready for a prompt';
/** The reason of an agent whose turn was interrupted. */
const INTERRUPTED_REASON = 'its turn was interrupted';

/** Returns the events since a time, as far as the agents show them, for a window that was closed in the meantime. */
export function noticesSince(then: number, agents: readonly Agent[]): Notice[] {
  return agents.flatMap((agent) => {
    if (Date.parse(agent.created_at) > then || Date.parse(agent.status_since) <= then) return [];
    const kind = state(agent) ?? (hasFailedTurn(agent) ? 'failed' : agent.status === 'idle' && agent.reason !== READY_REASON && agent.reason !== INTERRUPTED_REASON ? 'finished' : undefined);
    return kind === undefined ? [] : [notice(kind, agent)];
  });
}

/** Returns the notice that the present state of an agent deserves, apart from finished turns. */
function state(agent: Agent): Exclude<NoticeKind, 'finished' | 'failed'> | undefined {
  if (agent.reason.startsWith(GIVEN_UP_REASON)) return 'gave-up';
  // An agent that will be restarted is reported only after the last attempt.
  if (agent.restart.next_at !== null && agent.status !== 'waiting') return undefined;
  if (agent.status === 'waiting') return needsPerson(agent) ? 'waiting' : 'limited';
  return agent.status === 'crashed' || agent.status === 'lost' ? agent.status : undefined;
}

/** What decides whether this window shows a notice. */
export interface NotifyContext {
  /** The kinds of notices that are enabled. */
  about: readonly string[];
  mode: 'off' | 'windowNotFocused' | 'always';
  focused: boolean;
  isHere: (agent: Agent) => boolean;
  isMuted: (agent: Agent) => boolean;
  isLookedAt: (agent: Agent) => boolean;
}

/** When this window shows a notice: first the focused window of the project, then other windows of the project, then
 *  the focused window, then any. `settled` means that no window needs to show it. */
export type NotifyTurn = 'first' | 'second' | 'third' | 'last' | 'settled' | 'never';

export function notifyTurn({ agent, kind }: Pick<Notice, 'agent' | 'kind'>, at: NotifyContext): NotifyTurn {
  // Exceeding the restart limit counts as a crash.
  if (at.isMuted(agent) || !at.about.includes(kind === 'gave-up' ? 'crashed' : kind)) return 'never';
  if (at.focused && at.isLookedAt(agent)) return 'settled';
  const isQuiet = at.mode === 'off' || (at.mode === 'windowNotFocused' && at.focused);
  // The mode of a project's window also applies to its notices in other windows.
  if (at.isHere(agent) && isQuiet) return 'settled';
  if (isQuiet) return 'never';
  if (at.isHere(agent)) return at.focused ? 'first' : 'second';
  return at.focused ? 'third' : 'last';
}

export const isShown = (turn: NotifyTurn): turn is Exclude<NotifyTurn, 'settled' | 'never'> => turn !== 'settled' && turn !== 'never';

/** Shorter absences need no summary. `agent attach` uses the same time. */
const AWAY_AFTER_MS = 5 * 60_000;

/** Returns the missed notices for a returning user. Notices of other projects before the last use of any window were
 *  shown there. */
export const noticesOnReturn = (missed: readonly Notice[], anywhere: number, isHere: (agent: Agent) => boolean): Notice[] =>
  missed.filter(({ agent }) => isHere(agent) || Date.parse(agent.status_since) > anywhere);

/** Returns whether a returning user gets a summary. */
export const isShownOnReturn = (away: number, notices: readonly Notice[], mode: NotifyContext['mode']): boolean =>
  away >= AWAY_AFTER_MS && notices.length > 0 && mode !== 'off';

/** Formats a single notice. */
export function noticeText({ kind, agent, end }: Notice): string {
  const reason = oneLine(agent.reason, 160);
  const name = oneLine(agent.name);
  const task = end?.task;
  switch (kind) {
    case 'waiting':
      return withoutLinks(t('{0} waits for you: {1}', name, shownQuestion(agent, QUESTION_LENGTH.notice)));
    case 'limited':
      return withoutLinks(t('{0} has reached its usage limit: {1}', name, reason));
    case 'finished':
      if (task === undefined) return withoutLinks(t('{0} finished: {1}', name, reason));
      return withoutLinks(t('{0} finished task #{1} {2}: {3}', name, task.id, oneLine(task.text), oneLine(task.result ?? task.why, 160)));
    case 'failed':
      if (task === undefined) return withoutLinks(hasFailedTurn(agent) ? t('a turn of {0} failed: {1}', name, reason) : t('{0} failed a task', name));
      return withoutLinks(t('{0} failed task #{1} {2}: {3}', name, task.id, oneLine(task.text), oneLine(task.why, 160)));
    case 'crashed':
      return withoutLinks(t('{0} crashed: {1}', name, reason));
    case 'lost':
      return withoutLinks(t('{0} is lost: {1}', name, reason));
    case 'gave-up':
      // The reason begins with "given up".
      return withoutLinks(t('{0} is {1}', name, reason));
  }
}

/** Combines several notices into one text. */
export function combinedText(notices: readonly Notice[]): string {
  const of = (kind: NoticeKind) =>
    notices.filter((notice) => notice.kind === kind).map((notice) => oneLine(notice.agent.name));
  const few = (names: string[]) =>
    names.length <= 3 ? names.join(', ') : t('{0} and {1} more', names.slice(0, 3).join(', '), names.length - 3);
  const parts = [
    [of('waiting'), (names: string) => t('waiting for you: {0}', names)],
    [of('limited'), (names: string) => t('at the usage limit: {0}', names)],
    [of('crashed'), (names: string) => t('crashed: {0}', names)],
    [of('lost'), (names: string) => t('lost: {0}', names)],
    [of('gave-up'), (names: string) => t('given up: {0}', names)],
    [of('failed'), (names: string) => t('failed: {0}', names)],
    [of('finished'), (names: string) => t('finished: {0}', names)],
  ] as const;
  return withoutLinks(parts.filter(([names]) => names.length > 0).map(([names, say]) => say(few(names))).join(' · '));
}

/** Returns whether a restore helps, because an agent is lost. */
export const isRestorable = (notices: readonly Notice[]): boolean => notices.some(({ kind }) => kind === 'lost');
