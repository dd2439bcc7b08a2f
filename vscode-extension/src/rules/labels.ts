// What an agent is called and told by in lists: plain text, made harmless here and nowhere else.

import type { Agent, Spec, Task } from '../types';
import { t } from '../words';
import { mistakeIn } from './mistake';
import { folderName } from './place';
import { shownQuestion } from './question';
import { isDriven } from './seats';
import { hasEnded, isAttachable, isLive, sleeps, statusWord } from './status';
import { fenced, inPick, oneLine, visible } from './text';
import { age } from './times';

/** What a row tells beside its own agent. */
export interface Marks {
  /** How many wait below it. */
  below: number;
  muted: boolean;
}

/** What it asks for, who waits below it, status, since when, its branch or folder, and how far it is. */
export function description(agent: Agent, now: number, marks?: Marks): string {
  // What somebody waits for comes first, so that a narrow list shows some of it; the icon tells the status.
  const parts = [asked(agent, 60), waiting(marks), ...state(agent, now)];
  return [oneLine(parts.filter(Boolean).join(' · '), 120), ...muting(marks)].join(' · ');
}

/** A row as it is read out: no width cuts it there. */
export const spoken = (agent: Agent, marks?: Marks): string =>
  [oneLine(agent.name), statusWord(agent), asked(agent, 300), waiting(marks), ...muting(marks)].filter(Boolean).join(', ');

const asked = (agent: Agent, most: number): string => (agent.status === 'waiting' ? shownQuestion(agent, most) : '');

const waiting = (marks: Marks | undefined): string => (marks !== undefined && marks.below > 0 ? t('waiting below: {0}', marks.below) : '');

const muting = (marks: Marks | undefined): string[] => (marks?.muted === true ? [t('muted')] : []);

function state(agent: Agent, now: number): string[] {
  const percent = agent.task?.progress?.percent;
  return [
    statusWord(agent),
    agent.restart.next_at !== null && hasEnded(agent) ? t('to be started again') : '',
    age(agent.status_since, now),
    oneLine(place(agent), 40),
    percent === undefined ? '' : `${percent} %`,
    agent.tasks.queued > 0 ? t('{0} queued', agent.tasks.queued) : '',
  ];
}

function place({ branch, directory_gone, workspace, working_directory }: Agent): string {
  // The offer to remove it may have been sent away.
  if (directory_gone !== null) return t('its folder is gone');
  // All of these folders have one name.
  return branch ?? (workspace === 'scratch' ? t('own folder') : folderName(working_directory));
}

/** What the menus ask for: words behind one another, matched by `\bword\b`. */
export function contextValue(agent: Agent, muted: boolean): string {
  const words = ['agent'];
  if (isLive(agent)) words.push('live');
  if (isAttachable(agent)) words.push('attachable');
  if (hasEnded(agent)) words.push('ended');
  if (sleeps(agent)) words.push('asleep');
  if (agent.status === 'working' || agent.status === 'idle') words.push(agent.status);
  if (agent.status === 'waiting' && agent.waiting_for === 'approval') words.push('approval');
  if (isDriven(agent)) words.push('driven');
  if (muted) words.push('muted');
  return words.join(' ');
}

/** An agent as an entry of the quick pick. */
export function pickEntry(agent: Agent, now: number): { label: string; description: string; detail: string } {
  const active = age(agent.last_activity, now);
  const said = agent.status === 'waiting' ? shownQuestion(agent, 100) : oneLine(agent.reason, 100);
  return {
    label: inPick(agent.name),
    description: inPick(oneLine(state(agent, now).filter(Boolean).join(' · '), 100)),
    detail: inPick(active === '' ? said : t('{0} · last activity {1} ago', said, active)),
  };
}

/** What is offered beside such an entry: one that does not run is not stopped once more. */
export const pickActions = (agent: Agent): ('observe' | 'peek' | 'stop')[] => (isLive(agent) ? ['observe', 'peek', 'stop'] : ['observe', 'peek']);

/** What a spec is for, its kind, and which file it stands in; of one that cannot be used, why. */
export function specLine(spec: Spec): string {
  const mistake = mistakeIn(spec);
  if (mistake !== undefined) return t('has a mistake: {0}', mistake.text);
  const { description, kind, found_in } = spec;
  const from = typeof found_in === 'string' ? found_in : Object.values(found_in).join(' ');
  return [description, kind, from].filter(Boolean).join(' · ');
}

/** The binary's words for how far a task is and how urgent it is. */
const taskWords: Partial<Record<string, () => string>> = {
  queued: () => t('queued'),
  dispatched: () => t('dispatched'),
  running: () => t('running'),
  done: () => t('done'),
  failed: () => t('failed'),
  cancelled: () => t('cancelled'),
  critical: () => t('critical'),
  high: () => t('high'),
  low: () => t('low'),
  idle: () => t('idle'),
};

const taskWord = (word: string): string => taskWords[word]?.() ?? word;

/** A task as a line. */
export function taskLine(task: Task): { label: string; description: string } {
  const percent = task.progress === null ? '' : `${task.progress.percent} %`;
  const blocked = task.state === 'queued' && task.blocked > 0 ? t('waits for {0}', task.blocked) : '';
  const parts = [taskWord(task.state), task.agent ?? task.pool ?? '', percent, blocked, task.priority === 'normal' ? '' : taskWord(task.priority)];
  return {
    label: `#${task.id} ${oneLine(task.text, 80)}`,
    description: oneLine(parts.filter(Boolean).join(' · '), 80),
  };
}

/** All of a task, in Markdown, with what would not be seen spelt out; indented text is markup there unless it is fenced. */
export const taskTooltip = (task: Task): string =>
  [task.text, task.progress?.note ?? '', task.why].filter(Boolean).map((text) => fenced(visible(text))).join('\n\n');

/** Whether it can be taken off the list: one that has failed would stand there for ever. */
export const isCancellable = (task: Task): boolean => ['queued', 'dispatched', 'running', 'failed'].includes(task.state);

export const isRetryable = (task: Task): boolean => ['failed', 'cancelled'].includes(task.state);

/** The words the menus of a task ask for. */
export function taskContext(task: Task): string {
  return ['task', isCancellable(task) ? 'cancellable' : '', isRetryable(task) ? 'retryable' : ''].filter(Boolean).join(' ');
}
