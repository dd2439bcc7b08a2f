// What an agent is called and told by in lists: plain text, made harmless here and nowhere else.

import type { Agent, Spec, Task } from '../types';
import { t } from '../words';
import { folderName } from './place';
import { shownQuestion } from './question';
import { isDriven } from './seats';
import { hasEnded, isAttachable, isLive, sleeps, statusWord } from './status';
import { fenced, noIcons, oneLine } from './text';
import { age } from './times';

/** What it asks for, status, since when, its branch or folder, and how far it is. */
export function description(agent: Agent, now: number): string {
  const waits = agent.status === 'waiting';
  const parts = [
    // What is asked comes first, so that a narrow list shows some of it; the icon tells that it waits.
    waits ? shownQuestion(agent, 60) : '',
    ...state(agent, now),
  ];
  return oneLine(parts.filter(Boolean).join(' · '), 120);
}

/** A row as it is read out: no width cuts it there. */
export const spoken = (agent: Agent): string =>
  [oneLine(agent.name), statusWord(agent), agent.status === 'waiting' ? shownQuestion(agent, 300) : ''].filter(Boolean).join(', ');

function state(agent: Agent, now: number): string[] {
  const percent = agent.task?.progress?.percent;
  return [
    statusWord(agent),
    age(agent.status_since, now),
    oneLine(agent.branch ?? folderName(agent.working_directory), 40),
    percent === undefined ? '' : `${percent} %`,
    agent.tasks.queued > 0 ? t('{0} queued', agent.tasks.queued) : '',
  ];
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
    label: noIcons(oneLine(agent.name)),
    description: noIcons(oneLine(state(agent, now).filter(Boolean).join(' · '), 100)),
    detail: noIcons(active === '' ? said : t('{0} · last activity {1} ago', said, active)),
  };
}

/** What a spec is for, its kind, and which file it stands in. */
export function specLine({ description, kind, found_in }: Spec): string {
  const from = typeof found_in === 'string' ? found_in : Object.values(found_in).join(' ');
  return [description, kind, from].filter(Boolean).join(' · ');
}

/** A task as a line. */
export function taskLine(task: Task): { label: string; description: string } {
  const percent = task.progress === null ? '' : `${task.progress.percent} %`;
  const blocked = task.state === 'queued' && task.blocked > 0 ? t('waits for {0}', task.blocked) : '';
  const parts = [task.state, task.agent ?? task.pool ?? '', percent, blocked, task.priority === 'normal' ? '' : task.priority];
  return {
    label: `#${task.id} ${oneLine(task.text, 80)}`,
    description: oneLine(parts.filter(Boolean).join(' · '), 80),
  };
}

/** All of a task, in Markdown; indented text is markup there unless it is fenced. */
export const taskTooltip = (task: Task): string =>
  [task.text, task.progress?.note ?? '', task.why].filter(Boolean).map(fenced).join('\n\n');

export const isOpen = (task: Task): boolean => ['queued', 'dispatched', 'running'].includes(task.state);

export const isRetryable = (task: Task): boolean => ['failed', 'cancelled'].includes(task.state);

/** The words the menus of a task ask for. */
export function taskContext(task: Task): string {
  return ['task', isOpen(task) ? 'open' : '', isRetryable(task) ? 'retryable' : ''].filter(Boolean).join(' ');
}
