// What is worth interrupting a person for: transitions between two lists, never a state by itself. Pure.

import type { Agent } from '../types';
import { t } from '../words';
import { MOST, shownQuestion } from './question';
import { noLinks, oneLine } from './text';

export type NoticeKind = 'waiting' | 'finished' | 'crashed' | 'gave-up';

export interface Notice {
  kind: NoticeKind;
  agent: Agent;
}

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
    return kind === undefined ? [] : [{ kind, agent }];
  });
}

function transition(was: Agent, is: Agent): NoticeKind | undefined {
  if (state(is) === 'gave-up') return state(was) === 'gave-up' ? undefined : 'gave-up';
  // One that its policy brings back is told when it is given up, not at each fall.
  if (is.status === 'crashed') return was.status === 'crashed' || is.restart.next_at !== null ? undefined : 'crashed';
  if (is.status === 'waiting') {
    const same = was.status === 'waiting' && was.waiting_for === is.waiting_for && was.question?.id === is.question?.id;
    return same ? undefined : 'waiting';
  }
  if (is.tasks.done + is.tasks.failed > was.tasks.done + was.tasks.failed) return 'finished';
  const worked = Date.parse(is.status_since) - Date.parse(was.status_since);
  return was.status === 'working' && is.status === 'idle' && worked >= LONG_TURN ? 'finished' : undefined;
}

/** What is still so of what was gathered, the last of each agent: a question that was answered meanwhile, or one that came
 *  and went and came again, is no second piece of news. */
export function stillSo(gathered: readonly Notice[], now: readonly Agent[]): Notice[] {
  const known = new Map(now.map((agent) => [agent.id, agent]));
  const last = new Map<string, Notice>();
  for (const { kind, agent } of gathered) {
    const is = known.get(agent.id);
    if (is === undefined) continue;
    if (kind === 'finished') last.set(agent.id, { kind, agent });
    else if (state(is) === kind) last.set(agent.id, { kind, agent: is });
  }
  return [...last.values()];
}

/** How the reason reads of an agent that was started and has been given nothing to do. */
const READY = 'it is ready for a prompt';

/** What has happened to agents since then, as far as they show it: for a window that was closed meanwhile. */
export function since(then: number, agents: readonly Agent[]): Notice[] {
  return agents.flatMap((agent) => {
    if (Date.parse(agent.created_at) > then || Date.parse(agent.status_since) <= then) return [];
    const kind = state(agent) ?? (agent.status === 'idle' && agent.reason !== READY ? 'finished' : undefined);
    return kind === undefined ? [] : [{ kind, agent }];
  });
}

/** What an agent would be told of for as it is, beside what it has finished. */
function state(agent: Agent): Exclude<NoticeKind, 'finished'> | undefined {
  if (agent.reason.startsWith(GIVEN_UP)) return 'gave-up';
  return agent.status === 'crashed' || agent.status === 'waiting' ? agent.status : undefined;
}

/** What decides whether this window tells. */
export interface Situation {
  mode: 'off' | 'windowNotFocused' | 'always';
  focused: boolean;
  /** Whether a folder is open here at all. */
  hasFolders: boolean;
  isHere: (agent: Agent) => boolean;
  isMuted: (agent: Agent) => boolean;
  isLookedAt: (agent: Agent) => boolean;
}

/** Whether this window tells it. Of an agent of no open folder only the focused window tells, so that several do not. */
export function isTold(notice: Notice, at: Situation): boolean {
  const { agent } = notice;
  if (at.mode === 'off' || at.isMuted(agent)) return false;
  if (at.mode === 'windowNotFocused' && at.focused) return false;
  if (at.focused && at.isLookedAt(agent)) return false;
  return at.isHere(agent) || at.focused || !at.hasFolders;
}

/** Who was away for less has not forgotten; `agent attach` uses the same. */
const AWAY = 5 * 60_000;

/** Whether somebody who comes back is told what happened meanwhile. */
export const isToldOnReturn = (away: number, news: readonly Notice[], mode: Situation['mode']): boolean =>
  away >= AWAY && news.length > 0 && mode !== 'off';

/** One notice in words. */
export function noticeText({ kind, agent }: Notice): string {
  const reason = oneLine(agent.reason, 160);
  const name = oneLine(agent.name);
  switch (kind) {
    case 'waiting':
      return noLinks(t('{0} waits for you: {1}', name, shownQuestion(agent, MOST.notice)));
    case 'finished':
      return noLinks(t('{0} has finished: {1}', name, reason));
    case 'crashed':
      return noLinks(t('{0} crashed: {1}', name, reason));
    case 'gave-up':
      return noLinks(t('{0} is given up: {1}', name, reason));
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
    [of('crashed'), (names: string) => t('crashed: {0}', names)],
    [of('gave-up'), (names: string) => t('given up: {0}', names)],
    [of('finished'), (names: string) => t('finished: {0}', names)],
  ] as const;
  return noLinks(parts.filter(([names]) => names.length > 0).map(([names, say]) => say(few(names))).join(' · '));
}
