// Recaps and hovers as Markdown. Text of agents is escaped.

import type { Agent, Recap, Share } from '../../binary/types';
import type { Work } from '../../binary/workTypes';
import { t } from '../../l10n';
import { shareLine } from '../commands/shareArguments';
import { statusName, statusWord } from '../agent/status';
import { escapeMarkdown, fenced, oneLine, spellOutInvisible } from '../agent/sanitize';
import { age, span } from '../agent/ages';
import { pullRequestLine, workLine } from './workText';

const escapedLine = (text: string, most = 200): string => escapeMarkdown(oneLine(text, most));

export function recapDocument(recap: Recap): string {
  const lines = [
    `# ${escapedLine(recap.name)}`,
    '',
    t('**{0}** now. This recap covers the last {1}.', statusWord({ ...recap, waiting_for: null }), recapSpan(recap)),
    recap.gave_up ? `\n${t('It exceeded its restart limit.')}` : '',
    recap.asks === null ? '' : `\n> ${t('It asks: {0}', escapedLine(recap.asks))}`,
  ];
  const times = timeSpent(recap);
  if (times.length > 0) lines.push('', `${t('Time')}: ${times.join(' · ')}`);
  const tasks = [
    ...recap.failed.map((task) => t('#{0} failed: {1}', task.id, escapedLine(task.title))),
    ...recap.done.map((task) => t('#{0} done: {1}', task.id, escapedLine(task.title))),
  ];
  section(lines, t('Tasks'), tasks);
  section(lines, t('Failed turns'), (recap.failed_turns ?? []).map((turn) => `${timeOfDay(turn.at)} ${escapedLine(turn.why)}`));
  section(lines, t('Commits'), (recap.commits ?? []).map((commit) => `${escapedLine(commit.id)} ${escapedLine(commit.subject)}`));
  const changed = recap.uncommitted;
  if (changed !== null && changed.files.length > 0) {
    const { files, insertions, deletions } = changed;
    const title = files.length === 1 ? t('Uncommitted: 1 file, +{0} -{1} lines', insertions, deletions) : t('Uncommitted: {0} files, +{1} -{2} lines', files.length, insertions, deletions);
    section(lines, title, changed.files.map((file) => `${file.kind} ${escapedLine(file.path)}`));
  }
  section(lines, t('Messages'), recap.messages.map((message) => `${escapedLine(message.from)}: ${escapedLine(message.text)}`));
  if (recap.last_prompt !== null) lines.push('', `## ${t('Last prompt')}`, '', fenced(recap.last_prompt));
  if (recap.last_words !== null) lines.push('', `## ${t('Last reply')}`, '', fenced(recap.last_words));
  section(lines, t('History'), recap.changes.map((change) => `${timeOfDay(change.at)} ${statusName(change.to)}: ${escapedLine(change.why)}`));
  return `${lines.join('\n')}\n`;
}

/** Returns the path of a document with the recaps of these agents. The last part is the title of the tab. */
export const recapPath = (names: readonly string[]): string => `/recap/${names.join(',')}/${names.length === 1 ? `${names.join()} recap` : 'several recaps'}.md`;

/** Returns the agents in the path of a recap document. */
export const namesInRecapPath = (path: string): string[] => /\/recap\/([\w,-]+)\/[^/]+\.md$/.exec(path)?.[1]?.split(',') ?? [];

/** Returns the document for an agent that was removed or renamed since its recap was opened. */
export const missingRecapDocument = (name: string, why: string): string => `# ${escapedLine(name)}\n\n${escapedLine(why)}\n`;

/** Combines several recaps, because VS Code has a single preview. */
export const recapsDocument = (recaps: readonly Recap[]): string => recaps.map(recapDocument).join('\n---\n\n');

function section(lines: string[], title: string, entries: readonly string[]): void {
  if (entries.length > 0) lines.push('', `## ${title}`, '', ...entries.map((entry) => `- ${entry}`));
}

const recapSpan = (recap: Recap): string => span((Date.parse(recap.until) - Date.parse(recap.since)) / 1000);

const timeSpent = (recap: Recap): string[] => recap.spent.filter(({ seconds }) => seconds > 0).map(({ status, seconds }) => `${statusName(status)} ${span(seconds)}`);

/** Summarises a recap in one line. */
function recapSummary(recap: Recap): string {
  const [commits, files] = [recap.commits?.length ?? 0, recap.uncommitted?.files.length ?? 0];
  const counts: [number, string][] = [
    [recap.prompts, t('prompts: {0}', recap.prompts)],
    [recap.restarts, t('restarts: {0}', recap.restarts)],
    [recap.done.length, t('tasks done: {0}', recap.done.length)],
    [recap.failed.length, t('tasks failed: {0}', recap.failed.length)],
    [recap.messages.length, t('messages: {0}', recap.messages.length)],
    [commits, t('commits: {0}', commits)],
    [files, t('uncommitted files: {0}', files)],
  ];
  const parts = [...timeSpent(recap), ...counts.filter(([many]) => many > 0).map(([, text]) => text)];
  return parts.length === 0 ? '' : t('the last {0}: {1}', recapSpan(recap), parts.join(' · '));
}

const timeOfDay = (at: string): string => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

/** The details that are read when a hover begins. */
export interface HoverDetails {
  recap?: Recap | undefined;
  shares?: readonly Share[] | undefined;
  work?: Work | undefined;
}

/** Returns the hover of an agent. */
export function tooltip(agent: Agent, { recap, shares = [], work }: HoverDetails, now: number): string {
  const rows: [string, string | null | undefined][] = [
    [t('Title'), agent.title],
    [t('Status'), `${statusWord(agent)}, ${age(agent.status_since, now)}`],
    // The question is shown in full below.
    [t('Why'), agent.question === null ? agent.reason : null],
    [t('Task'), agent.task === null ? null : `#${agent.task.id} ${agent.task.title}`],
    [t('Last prompt'), recap?.last_prompt],
    [t('Queue'), queue(agent)],
    [t('Spec'), agent.spec === agent.kind ? agent.spec : `${agent.spec} (${agent.kind})`],
    [t('Folder'), agent.directory_gone === null ? agent.working_directory : t('{0} (deleted)', agent.working_directory)],
    [t('Branch'), agent.branch],
    [t('Work'), work === undefined ? null : workLine(work)],
    [t('Pull request'), work === undefined || work.pull_request === null ? null : pullRequestLine(work.pull_request)],
    [t('Conversation'), agent.conversation.name ?? agent.conversation.id],
    [t('Parent'), agent.parent],
    [t('Attached'), agent.clients.length > 0 ? String(agent.clients.length) : null],
    [t('Shared with'), shares.map((share) => shareLine(share, now)).join(', ')],
    [t('Recap'), recap === undefined ? null : recapSummary(recap)],
    [t('Commits'), recap?.commits?.map((commit) => commit.subject).slice(0, 3).join(' · ')],
    [t('Question'), agent.question === null && recap?.asks !== agent.reason ? recap?.asks : null],
  ];
  const shownRows = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const lines = shownRows.map(([key, value]) => `**${key}:** ${escapedLine(value ?? '')}`);
  const words = recap?.last_words;
  const lastReply = words === null || words === undefined ? '' : `\n\n---\n\n${fenced(words.split('\n').slice(-8).join('\n'))}`;
  const question = agent.question === null ? '' : `\n\n---\n\n${fenced(spellOutInvisible(agent.question.text))}`;
  return `### ${escapedLine(agent.name)}\n\n${lines.join('  \n')}${question}${lastReply}`;
}

function queue(agent: Agent): string | null {
  const { queued, running, done, failed } = agent.tasks;
  if (queued + running + done + failed === 0) return null;
  return t('{0} queued, {1} running, {2} done, {3} failed', queued, running, done, failed);
}
