// What an agent is called and told by in lists: plain text, made harmless here and nowhere else.

import type { Agent, Spec, Task, TaskDetails } from '../../binary/types';
import { t } from '../../l10n';
import { type Blocker, isStuck } from './blockedTasks';
import { mistakeIn } from '../commands/specMistake';
import { folderName } from '../agent/inWorkspace';
import { shownQuestion } from '../agent/question';
import { isDriven } from '../terminals/attachedTerminals';
import { hasEnded, isAttachable, isLive, sleeps, statusWord } from '../agent/status';
import { escapeMarkdown, fenced, inPick, oneLine, visible } from '../agent/sanitize';
import { age } from '../agent/ages';

/** What a row tells beside its own agent. */
export interface Marks {
  /** How many wait below it. */
  below: number;
  muted: boolean;
  /** Whether this window is on the agent's own folder. */
  isOpen?: boolean;
  /** Where the row stands among other projects, it names its own. */
  project?: string;
}

/** The text beside an agent's name: its question, what it is about, status, age, and its branch or folder. */
export function description(agent: Agent, now: number, marks?: Marks): string {
  // A narrow list cuts the end, so what tells agents apart comes first; the icon tells the status.
  const parts = [marks?.isOpen === true ? t('this window') : '', oneLine(marks?.project ?? '', 30), asked(agent, 60), waiting(marks), guests(agent), subject(agent, 50), ...state(agent, now)];
  return [oneLine(parts.filter(Boolean).join(' · '), 160), ...muting(marks)].join(' · ');
}

/** What an agent is about: its title, its task, its last prompt, or the name of its conversation. */
export const subject = ({ title, task, prompt, conversation, name }: Agent, most: number): string => {
  const found = [title, task?.title, prompt, conversation.name].map((text) => oneLine(text ?? '', most)).find((text) => text !== '');
  return found === undefined || found === name ? '' : found;
};

/** A row as it is read out: no width cuts it there. */
export const spoken = (agent: Agent, marks?: Marks): string =>
  [oneLine(agent.name), statusWord(agent), asked(agent, 300), waiting(marks), subject(agent, 120), marks?.isOpen === true ? t('this window') : '', ...muting(marks)].filter(Boolean).join(', ');

const asked = (agent: Agent, most: number): string => (agent.status === 'waiting' ? shownQuestion(agent, most) : '');

/** How many agents below a row wait for a person. */
export const needingBelow = (many: number): string => (many === 1 ? t('1 below needs you') : t('{0} below need you', many));

const waiting = (marks: Marks | undefined): string => (marks !== undefined && marks.below > 0 ? needingBelow(marks.below) : '');

/** Names the other users of the machine that are attached. */
const guests = ({ clients }: Agent): string => {
  const users = [...new Set(clients.filter(({ guest }) => guest).map(({ user }) => user ?? '?'))];
  return users.length === 0 ? '' : t('shared with {0}', oneLine(users.join(', '), 40));
};

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
    detail: inPick([subject(agent, 80), said, active === '' ? '' : t('last activity {0} ago', active)].filter(Boolean).join(' · ')),
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

/** A task as a line: state and agent follow a short label, so that a narrow view shows them. */
export function taskLine(task: Task, blockers: readonly Blocker[] = []): { label: string; description: string } {
  const percent = task.progress === null ? '' : `${task.progress.percent} %`;
  const parts = [blockers.length > 0 ? heldUp(blockers) : taskWord(task.state), task.agent ?? task.pool ?? '', percent, task.priority === 'normal' ? '' : taskWord(task.priority)];
  return {
    label: `#${task.id} ${oneLine(task.text, 48)}`,
    description: oneLine(parts.filter(Boolean).join(' · '), 100),
  };
}

/** Names the tasks that hold up another: those that never finish by themselves first. */
export function heldUp(blockers: readonly Blocker[]): string {
  const stuck = blockers.filter(isStuck);
  const named = (those: readonly Blocker[]) => those.map(({ id, state }) => (isStuck({ id, state }) ? `#${id} (${taskWord(state ?? '')})` : `#${id}`)).join(', ');
  return stuck.length > 0 ? t('blocked by {0}', named(stuck)) : t('waits for {0}', named(blockers));
}

/** A task in Markdown, with invisible characters spelt out; text that is indented would be markup unless it is fenced. */
export function taskTooltip(task: Task, blockers: readonly Blocker[] = []): string {
  const { description } = taskLine(task, blockers);
  return [`**#${task.id}** ${escapeMarkdown(description)}`, ...[task.text, task.progress?.note ?? '', task.why].filter(Boolean).map((text) => fenced(visible(text)))].join('\n\n');
}

/** A task as a Markdown document: its text, how far it is, its result and what happened to it. */
export function taskDocument(task: TaskDetails, blockers: readonly Blocker[]): string {
  const rows: [string, string][] = [
    [t('State'), blockers.length > 0 ? heldUp(blockers) : taskWord(task.state)],
    [t('Agent'), task.agent ?? task.pool ?? ''],
    [t('Priority'), task.priority === 'normal' ? '' : taskWord(task.priority)],
    [t('Progress'), task.progress === null ? '' : `${task.progress.percent} % ${task.progress.note}`.trim()],
    [t('After'), task.after.map((id) => `#${id}`).join(', ')],
    [t('Why'), task.why],
  ];
  const told = rows.filter(([, value]) => value !== '').map(([key, value]) => `**${key}:** ${escapeMarkdown(oneLine(value, 200))}`);
  const steps = task.steps.map(({ at, state, why }) => `- ${escapeMarkdown(oneLine(at.replace('T', ' '), 19))} ${taskWord(state)}: ${escapeMarkdown(oneLine(why, 200))}`);
  const parts = [
    `# ${t('Task {0}', task.id)}`,
    told.join('  \n'),
    fenced(visible(task.text)),
    ...(task.result === null ? [] : [`## ${t('Result')}`, fenced(visible(task.result))]),
    ...(steps.length === 0 ? [] : [`## ${t('What happened')}`, steps.join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Whether it can be taken off the list: one that has failed would stand there for ever. */
export const isCancellable = (task: Task): boolean => ['queued', 'dispatched', 'running', 'failed'].includes(task.state);

export const isRetryable = (task: Task): boolean => ['failed', 'cancelled'].includes(task.state);

/** The words the menus of a task ask for. */
export function taskContext(task: Task, blockers: readonly Blocker[] = []): string {
  return ['task', isCancellable(task) ? 'cancellable' : '', isRetryable(task) ? 'retryable' : '', task.state, blockers.some(isStuck) ? 'stuck' : ''].filter(Boolean).join(' ');
}
