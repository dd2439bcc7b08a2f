// What is worth interrupting a person for: transitions between two lists, never a state by itself. Pure.

import type { Agent, Task } from '../../binary/types';
import { t } from '../../l10n';
import { MOST, shownQuestion } from '../agent/question';
import { needsPerson } from '../agent/status';
import { noLinks, oneLine } from '../agent/sanitize';

export type NoticeKind = 'waiting' | 'limited' | 'finished' | 'failed' | 'crashed' | 'gave-up' | 'lost';

export interface Notice {
  kind: NoticeKind;
  agent: Agent;
  /** Which of its kind it is: by it several windows know that they tell of the same. */
  mark: string;
  /** Of an end: which task was over then, when one was. A list of agents does not say it: `asTask` does. */
  end?: End;
}

export interface End {
  /** Since when the turn was that is over; a task that ended before is another's. */
  since: string;
  /** What it was at, when that was seen. */
  at?: number | undefined;
  /** Whether nobody saw it end: it has when there is a task that did. */
  isGuess?: boolean;
  task?: Task;
}

/** A piece of news by a name that every window gives it. */
export const newsKey = ({ kind, agent, mark }: Notice): string => [agent.id, kind, mark].join(' ');

const notice = (kind: NoticeKind, agent: Agent): Notice => ({ kind, agent, mark: agent.question?.id ?? agent.status_since });

/** A turn that took less is an answer one has waited for. */
const LONG_TURN = 30_000;

/** How the reason begins of an agent that is not started again. */
const GIVEN_UP = 'given up after ';

/** What has happened between two lists. Agents that were not there before have no past to differ from. */
export function transitions(before: readonly Agent[], after: readonly Agent[]): Notice[] {
  const past = new Map(before.map((agent) => [agent.id, agent]));
  return after.flatMap((agent) => {
    const was = past.get(agent.id);
    const kind = was === undefined ? undefined : transition(was, agent);
    if (was === undefined || kind === undefined) return [];
    if (!isEnd(kind)) return [notice(kind, agent)];
    // A task ends at some time of its agent's, and is only counted here.
    return [{ ...notice(kind, agent), end: ended(agent) > ended(was) ? { since: '', at: was.task?.id } : { since: was.status_since } }];
  });
}

/** Those that may have come to the end of their task and have gone with it between two lists. Whether they have, and how it
 *  ended, its task tells: `asTask`. */
export function departures(before: readonly Agent[], after: readonly Agent[]): Notice[] {
  const known = new Set(after.map(({ id }) => id));
  return before.flatMap((agent) =>
    agent.ephemeral && agent.task !== null && !known.has(agent.id) ? [{ ...notice('finished', agent), end: { since: '', at: agent.task.id, isGuess: true } }] : []);
}

const isEnd = (kind: NoticeKind): boolean => kind === 'finished' || kind === 'failed';

/** An end as that of the task it was, by the tasks of its agent that are over. The end of a task and the end of its turn are
 *  seen one after the other, by one window or by two, and are one piece of news; tried again, a task ends at another time. */
export function asTask(news: Notice, over: readonly Task[]): Notice {
  const { end } = news;
  if (end === undefined) return news;
  const [task] = over.filter(({ changed_at }) => end.since === '' || Date.parse(changed_at) >= Date.parse(end.since)).sort((a, b) => Date.parse(b.changed_at) - Date.parse(a.changed_at));
  if (task === undefined) return news;
  return { ...news, kind: task.state === 'failed' ? 'failed' : 'finished', mark: `task ${task.id} ${task.changed_at}`, end: { ...end, task } };
}

const ended = ({ tasks }: Agent): number => tasks.done + tasks.failed;

function transition(was: Agent, is: Agent): NoticeKind | undefined {
  if (state(is) === 'gave-up') return state(was) === 'gave-up' ? undefined : 'gave-up';
  if (is.status === 'crashed' || is.status === 'lost') return was.status === is.status ? undefined : state(is);
  if (is.status === 'waiting') {
    const same = was.status === 'waiting' && was.waiting_for === is.waiting_for && was.question?.id === is.question?.id;
    return same ? undefined : state(is);
  }
  if (ended(is) > ended(was)) return is.tasks.failed > was.tasks.failed ? 'failed' : 'finished';
  // The end of its task comes at once, and says more.
  if (is.task !== null) return undefined;
  // Whoever interrupted it knows.
  if (is.reason === INTERRUPTED) return undefined;
  const worked = Date.parse(is.status_since) - Date.parse(was.status_since);
  return was.status === 'working' && is.status === 'idle' && worked >= LONG_TURN ? 'finished' : undefined;
}

/** What is still so of what was gathered, the last of each agent: a question that was answered meanwhile, or one that came
 *  and went and came again, is no second piece of news. What came of a task stays news when its agent has gone with it. */
export function stillSo(gathered: readonly Notice[], now: readonly Agent[]): Notice[] {
  const known = new Map(now.map((agent) => [agent.id, agent]));
  const last = new Map<string, Notice>();
  for (const news of gathered) {
    if (news.end?.isGuess === true && news.end.task === undefined) continue;
    const is = known.get(news.agent.id);
    if (is === undefined) {
      if (isOfTask(news)) last.set(news.agent.id, news);
    } else if (isEnd(news.kind)) last.set(is.id, news);
    else if (state(is) === news.kind) last.set(is.id, notice(news.kind, is));
  }
  return [...last.values()];
}

const isOfTask = ({ end }: Notice): boolean => end?.at !== undefined || end?.task !== undefined;

/** Those of the agents that some news is of that can be attached to and asked for a recap: of one that was there for a task
 *  and is over it nothing is left, now or in a moment. */
export const remaining = (news: readonly Notice[], now: readonly Agent[]): Agent[] =>
  news.filter((each) => now.some(({ id }) => id === each.agent.id) && !goesNow(each)).map(({ agent }) => agent);

const goesNow = (news: Notice): boolean => news.agent.ephemeral && news.agent.tasks.queued === 0 && isOfTask(news);

/** How the reason reads of an agent that was started and has been given nothing to do. */
const READY = 'it is ready for a prompt';
/** The same of one that was stopped in its turn. */
const INTERRUPTED = 'its turn was interrupted';

/** What has happened to agents since then, as far as they show it: for a window that was closed meanwhile. */
export function since(then: number, agents: readonly Agent[]): Notice[] {
  return agents.flatMap((agent) => {
    if (Date.parse(agent.created_at) > then || Date.parse(agent.status_since) <= then) return [];
    const kind = state(agent) ?? (agent.status === 'idle' && agent.reason !== READY && agent.reason !== INTERRUPTED ? 'finished' : undefined);
    return kind === undefined ? [] : [notice(kind, agent)];
  });
}

/** What an agent would be told of for as it is, beside what it has finished. */
function state(agent: Agent): Exclude<NoticeKind, 'finished' | 'failed'> | undefined {
  if (agent.reason.startsWith(GIVEN_UP)) return 'gave-up';
  // One that its policy brings back is told when it is given up, not at each fall.
  if (agent.restart.next_at !== null && agent.status !== 'waiting') return undefined;
  if (agent.status === 'waiting') return needsPerson(agent) ? 'waiting' : 'limited';
  return agent.status === 'crashed' || agent.status === 'lost' ? agent.status : undefined;
}

/** What decides whether this window tells. */
export interface Situation {
  /** The kinds of news that are told. */
  about: readonly string[];
  mode: 'off' | 'windowNotFocused' | 'always';
  focused: boolean;
  isHere: (agent: Agent) => boolean;
  isMuted: (agent: Agent) => boolean;
  isLookedAt: (agent: Agent) => boolean;
}

/** When this window tells: the one whose project it is and that is looked at at once, then others of that project, then
 *  the one that is looked at, then any. `settled`: nobody need be told, and no other window is to. */
export type Turn = 'first' | 'second' | 'third' | 'last' | 'settled' | 'never';

export function turnOf({ agent, kind }: Pick<Notice, 'agent' | 'kind'>, at: Situation): Turn {
  // An agent that was given up has crashed too often.
  if (at.isMuted(agent) || !at.about.includes(kind === 'gave-up' ? 'crashed' : kind)) return 'never';
  if (at.focused && at.isLookedAt(agent)) return 'settled';
  const isQuiet = at.mode === 'off' || (at.mode === 'windowNotFocused' && at.focused);
  // A project whose window is quiet is quiet.
  if (at.isHere(agent) && isQuiet) return 'settled';
  if (isQuiet) return 'never';
  if (at.isHere(agent)) return at.focused ? 'first' : 'second';
  return at.focused ? 'third' : 'last';
}

export const isTold = (turn: Turn): turn is Exclude<Turn, 'settled' | 'never'> => turn !== 'settled' && turn !== 'never';

/** Who was away for less has not forgotten; `agent attach` uses the same. */
const AWAY = 5 * 60_000;

/** What of it is news to somebody who left this window then, and was at any window last at that other time: what other
 *  projects did before that was told there. */
export const newsOnReturn = (missed: readonly Notice[], anywhere: number, isHere: (agent: Agent) => boolean): Notice[] =>
  missed.filter(({ agent }) => isHere(agent) || Date.parse(agent.status_since) > anywhere);

/** Whether somebody who comes back is told what happened meanwhile. */
export const isToldOnReturn = (away: number, news: readonly Notice[], mode: Situation['mode']): boolean =>
  away >= AWAY && news.length > 0 && mode !== 'off';

/** One notice in words. */
export function noticeText({ kind, agent, end }: Notice): string {
  const reason = oneLine(agent.reason, 160);
  const name = oneLine(agent.name);
  const task = end?.task;
  switch (kind) {
    case 'waiting':
      return noLinks(t('{0} waits for you: {1}', name, shownQuestion(agent, MOST.notice)));
    case 'limited':
      return noLinks(t('{0} has reached its usage limit: {1}', name, reason));
    case 'finished':
      if (task === undefined) return noLinks(t('{0} has finished: {1}', name, reason));
      return noLinks(t('{0} has finished #{1} {2}: {3}', name, task.id, oneLine(task.text), oneLine(task.result ?? task.why, 160)));
    case 'failed':
      if (task === undefined) return noLinks(t('{0} has failed at a task', name));
      return noLinks(t('{0} has failed at #{1} {2}: {3}', name, task.id, oneLine(task.text), oneLine(task.why, 160)));
    case 'crashed':
      return noLinks(t('{0} crashed: {1}', name, reason));
    case 'lost':
      return noLinks(t('{0} is lost: {1}', name, reason));
    case 'gave-up':
      // Its reason says that it is.
      return noLinks(t('{0} is {1}', name, reason));
  }
}

/** Several notices as one. */
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
  return noLinks(parts.filter(([names]) => names.length > 0).map(([names, say]) => say(few(names))).join(' · '));
}

/** Whether one command brings some of them back: those that went with their tmux. */
export const isRestorable = (notices: readonly Notice[]): boolean => notices.some(({ kind }) => kind === 'lost');
