// Labels of agents and tasks in lists, as sanitized plain text.

import type { Agent, Share, Spec, Task, TaskDetails } from '../../binary/types';
import type { Work } from '../../binary/workTypes';
import { t } from '../../l10n';
import { type Blocker, needsRetry } from './blockedTasks';
import { specMistake } from '../commands/specMistake';
import { folderName } from '../agent/inWorkspace';
import { shownQuestion } from '../agent/question';
import { isDriven } from '../terminals/attachedTerminals';
import { hasEnded, hasFailedTurn, isAttachable, isLive, isHibernated, statusWord } from '../agent/status';
import { escapeMarkdown, fenced, escapeQuickPick, oneLine, spellOutInvisible } from '../agent/sanitize';
import { age } from '../agent/ages';
import { spokenWork, workParts } from './workText';

/** Properties of a row beside its agent. */
export interface Marks {
  /** The number of agents below the row that wait for a user. */
  below: number;
  muted: boolean;
  /** The users that the agent is shared with. */
  sharedWith?: readonly string[];
  /** Whether this window shows the workspace of the agent. */
  isOpen?: boolean;
  /** The name of the project, in a group with agents of several projects. */
  project?: string;
  /** The work in the worktree of the agent. */
  work?: Work;
}

/** Returns the text beside the name of an agent: question, subject, status, age, branch or folder, and work. */
export function description(agent: Agent, now: number, marks?: Marks): string {
  // A narrow view cuts the end, so the parts that distinguish agents come first. The icon shows the status.
  const parts = [marks?.isOpen === true ? t('this window') : '', oneLine(marks?.project ?? '', 30), questionText(agent, 60), waitingText(marks), sharedText(marks), subject(agent, 50), ...state(agent, now), ...(marks?.work === undefined ? [] : workParts(marks.work))];
  return [oneLine(parts.filter(Boolean).join(' · '), 160), ...mutedText(marks)].join(' · ');
}

/** Returns what an agent is about: its title, its task, its last prompt, or the name of its conversation. */
export const subject = ({ title, task, prompt, conversation, name }: Agent, most: number): string => {
  const found = [title, task?.title, prompt, conversation.name].map((text) => oneLine(text ?? '', most)).find((text) => text !== '');
  return found === undefined || found === name ? '' : found;
};

/** Returns the text that a screen reader reads for a row. */
export const accessibleLabel = (agent: Agent, marks?: Marks): string =>
  [oneLine(agent.name), statusWord(agent), questionText(agent, 300), waitingText(marks), sharedText(marks), subject(agent, 120), ...(marks?.work === undefined ? [] : spokenWork(marks.work)), marks?.isOpen === true ? t('this window') : '', ...mutedText(marks)].filter(Boolean).join(', ');

/** Returns what an agent asks, or the error of its failed turn. */
function questionText(agent: Agent, most: number): string {
  if (hasFailedTurn(agent)) return oneLine(agent.reason, most);
  return agent.status === 'waiting' ? shownQuestion(agent, most) : '';
}

/** Formats the number of agents below a row that wait for a user. */
export const needsYouBelow = (many: number): string => (many === 1 ? t('1 below needs you') : t('{0} below need you', many));

const waitingText = (marks: Marks | undefined): string => (marks !== undefined && marks.below > 0 ? needsYouBelow(marks.below) : '');

/** Returns the users that an agent is shared with, and guests that are attached. */
export const sharedUsers = ({ clients }: Agent, shares: readonly Share[]): string[] =>
  [...new Set([...shares.map((share) => share.with), ...clients.filter(({ guest }) => guest).map(({ user }) => user ?? '?')])];

const sharedText = (marks: Marks | undefined): string =>
  marks?.sharedWith === undefined || marks.sharedWith.length === 0 ? '' : t('shared with {0}', oneLine(marks.sharedWith.join(', '), 40));

const mutedText = (marks: Marks | undefined): string[] => (marks?.muted === true ? [t('muted')] : []);

function state(agent: Agent, now: number): string[] {
  const percent = agent.task?.progress?.percent;
  return [
    statusWord(agent),
    agent.restart.next_at !== null && hasEnded(agent) ? t('will be restarted') : '',
    age(agent.status_since, now),
    oneLine(place(agent), 40),
    percent === undefined ? '' : `${percent} %`,
    agent.tasks.queued > 0 ? t('{0} queued', agent.tasks.queued) : '',
  ];
}

function place({ branch, directory_gone, workspace, working_directory }: Agent): string {
  // The user may have closed the offer to remove the agent.
  if (directory_gone !== null) return t('folder deleted');
  // All scratch folders have the same name.
  return branch ?? (workspace === 'scratch' ? t('own folder') : folderName(working_directory));
}

/** Returns the words that menus match with `\bword\b`. */
export function contextValue(agent: Agent, { muted, sharedWith = [] }: Pick<Marks, 'muted' | 'sharedWith'>): string {
  const words = ['agent'];
  if (isLive(agent)) words.push('live');
  if (isAttachable(agent)) words.push('attachable');
  if (hasEnded(agent)) words.push('ended');
  if (isHibernated(agent)) words.push('asleep');
  if (agent.status === 'working' || agent.status === 'idle') words.push(agent.status);
  if (agent.status === 'waiting' && agent.waiting_for === 'approval') words.push('approval');
  if (isDriven(agent)) words.push('driven');
  if (agent.workspace === 'worktree') words.push('worktree');
  if (muted) words.push('muted');
  if (sharedWith.length > 0) words.push('shared');
  return words.join(' ');
}

/** Returns the entry of an agent in a quick pick. */
export function pickEntry(agent: Agent, now: number): { label: string; description: string; detail: string } {
  const active = age(agent.last_activity, now);
  const summary = agent.status === 'waiting' ? shownQuestion(agent, 100) : oneLine(agent.reason, 100);
  return {
    label: escapeQuickPick(agent.name),
    description: escapeQuickPick(oneLine(state(agent, now).filter(Boolean).join(' · '), 100)),
    detail: escapeQuickPick([subject(agent, 80), summary, active === '' ? '' : t('last activity {0} ago', active)].filter(Boolean).join(' · ')),
  };
}

/** Returns the buttons of such an entry. An ended agent cannot be stopped. */
export const pickActions = (agent: Agent): ('observe' | 'peek' | 'stop')[] => (isLive(agent) ? ['observe', 'peek', 'stop'] : ['observe', 'peek']);

/** Describes a spec by its description, kind and file, or by its mistake. */
export function specLine(spec: Spec): string {
  const mistake = specMistake(spec);
  if (mistake !== undefined) return t('has a mistake: {0}', mistake.text);
  const { description, kind, found_in } = spec;
  const from = typeof found_in === 'string' ? found_in : Object.values(found_in).join(' ');
  return [description, kind, from].filter(Boolean).join(' · ');
}

/** The names of task states and priorities. */
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

/** Returns the row of a task. The label is short, so that a narrow view shows the state and the agent too. */
export function taskLine(task: Task, blockers: readonly Blocker[] = []): { label: string; description: string } {
  const percent = task.progress === null ? '' : `${task.progress.percent} %`;
  const parts = [blockers.length > 0 ? blockedText(blockers) : taskWord(task.state), task.agent ?? task.pool ?? '', percent, task.priority === 'normal' ? '' : taskWord(task.priority)];
  return {
    label: `#${task.id} ${oneLine(task.text, 48)}`,
    description: oneLine(parts.filter(Boolean).join(' · '), 100),
  };
}

/** Names the tasks that block another one, those that must be retried first. */
export function blockedText(blockers: readonly Blocker[]): string {
  const stuck = blockers.filter(needsRetry);
  const named = (those: readonly Blocker[]) => those.map(({ id, state }) => (needsRetry({ id, state }) ? `#${id} (${taskWord(state ?? '')})` : `#${id}`)).join(', ');
  return stuck.length > 0 ? t('blocked by {0}', named(stuck)) : t('waits for {0}', named(blockers));
}

/** Returns the hover of a task in Markdown. The text is fenced, because indented text would become markup. */
export function taskTooltip(task: Task, blockers: readonly Blocker[] = []): string {
  const { description } = taskLine(task, blockers);
  return [`**#${task.id}** ${escapeMarkdown(description)}`, ...[task.text, task.progress?.note ?? '', task.why].filter(Boolean).map((text) => fenced(spellOutInvisible(text)))].join('\n\n');
}

/** Returns a Markdown document with the text, progress, result and history of a task. */
export function taskDocument(task: TaskDetails, blockers: readonly Blocker[]): string {
  const rows: [string, string][] = [
    [t('State'), blockers.length > 0 ? blockedText(blockers) : taskWord(task.state)],
    [t('Agent'), task.agent ?? task.pool ?? ''],
    [t('Priority'), task.priority === 'normal' ? '' : taskWord(task.priority)],
    [t('Progress'), task.progress === null ? '' : `${task.progress.percent} % ${task.progress.note}`.trim()],
    [t('After'), task.after.map((id) => `#${id}`).join(', ')],
    [t('Why'), task.why],
  ];
  const shownRows = rows.filter(([, value]) => value !== '').map(([key, value]) => `**${key}:** ${escapeMarkdown(oneLine(value, 200))}`);
  const steps = task.steps.map(({ at, state, why }) => `- ${escapeMarkdown(oneLine(at.replace('T', ' ').slice(0, 19)))} ${taskWord(state)}: ${escapeMarkdown(oneLine(why, 200))}`);
  const parts = [
    `# ${t('Task {0}', task.id)}`,
    shownRows.join('  \n'),
    fenced(spellOutInvisible(task.text)),
    ...(task.result === null ? [] : [`## ${t('Result')}`, fenced(spellOutInvisible(task.result))]),
    ...(steps.length === 0 ? [] : [`## ${t('History')}`, steps.join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns whether a task can be cancelled. Cancelling a failed task removes it from the list. */
export const isCancellable = (task: Task): boolean => ['queued', 'dispatched', 'running', 'failed'].includes(task.state);

export const isRetryable = (task: Task): boolean => ['failed', 'cancelled'].includes(task.state);

/** Returns the words that the menus of a task match. */
export function taskContext(task: Task, blockers: readonly Blocker[] = []): string {
  return ['task', isCancellable(task) ? 'cancellable' : '', isRetryable(task) ? 'retryable' : '', task.state, blockers.some(needsRetry) ? 'stuck' : ''].filter(Boolean).join(' ');
}
