// A recap as a Markdown document. Whatever an agent said in it is text.

import type { Agent, Recap, Share } from '../../binary/types';
import { t } from '../../l10n';
import { shareLine } from '../commands/shareArguments';
import { inWord, statusWord } from '../agent/status';
import { escapeMarkdown, fenced, oneLine, visible } from '../agent/sanitize';
import { age, span } from '../agent/ages';

const safe = (text: string, most = 200): string => escapeMarkdown(oneLine(text, most));

export function recapDocument(recap: Recap): string {
  const lines = [
    `# ${safe(recap.name)}`,
    '',
    t('**{0}** now; this tells the last {1}.', inWord(recap.status), lasted(recap)),
    recap.gave_up ? `\n${t('It was given up after too many restarts.')}` : '',
    recap.asks === null ? '' : `\n> ${t('It asks: {0}', safe(recap.asks))}`,
  ];
  const times = spent(recap);
  if (times.length > 0) lines.push('', `${t('Time')}: ${times.join(' · ')}`);
  const tasks = [
    ...recap.failed.map((task) => t('#{0} failed: {1}', task.id, safe(task.title))),
    ...recap.done.map((task) => t('#{0} done: {1}', task.id, safe(task.title))),
  ];
  section(lines, t('Tasks'), tasks);
  section(lines, t('Commits'), (recap.commits ?? []).map((commit) => `${safe(commit.id)} ${safe(commit.subject)}`));
  const changed = recap.uncommitted;
  if (changed !== null && changed.files.length > 0) {
    const { files, insertions, deletions } = changed;
    const title = files.length === 1 ? t('Not committed: 1 file, +{0} -{1} lines', insertions, deletions) : t('Not committed: {0} files, +{1} -{2} lines', files.length, insertions, deletions);
    section(lines, title, changed.files.map((file) => `${file.kind} ${safe(file.path)}`));
  }
  section(lines, t('Mail'), recap.messages.map((message) => `${safe(message.from)}: ${safe(message.text)}`));
  if (recap.last_prompt !== null) lines.push('', `## ${t('Last told')}`, '', fenced(recap.last_prompt));
  if (recap.last_words !== null) lines.push('', `## ${t('Last said')}`, '', fenced(recap.last_words));
  section(lines, t('What happened'), recap.changes.map((change) => `${clock(change.at)} ${inWord(change.to)}: ${safe(change.why)}`));
  return `${lines.join('\n')}\n`;
}

/** The path of a document with the recaps of these agents. Its last part is the title of the tab. */
export const recapPath = (names: readonly string[]): string => `/recap/${names.join(',')}/${names.length === 1 ? `${names.join()} recap` : 'several recaps'}.md`;

/** The agents whose recaps a document holds, by its path. */
export const recapsOf = (path: string): string[] => /\/recap\/([\w,-]+)\/[^/]+\.md$/.exec(path)?.[1]?.split(',') ?? [];

/** Stands in for the recap of an agent that was removed or renamed since its document was opened. */
export const noRecap = (name: string, why: string): string => `# ${safe(name)}\n\n${safe(why)}\n`;

/** Several recaps as one document: VS Code has one preview, in which each would take the place of the one before. */
export const recapsDocument = (recaps: readonly Recap[]): string => recaps.map(recapDocument).join('\n---\n\n');

function section(lines: string[], title: string, entries: readonly string[]): void {
  if (entries.length > 0) lines.push('', `## ${title}`, '', ...entries.map((entry) => `- ${entry}`));
}

const lasted = (recap: Recap): string => span((Date.parse(recap.until) - Date.parse(recap.since)) / 1000);

const spent = (recap: Recap): string[] => recap.spent.filter(({ seconds }) => seconds > 0).map(({ status, seconds }) => `${inWord(status)} ${span(seconds)}`);

/** A recap in one line. */
function inBrief(recap: Recap): string {
  const [commits, files] = [recap.commits?.length ?? 0, recap.uncommitted?.files.length ?? 0];
  const counts: [number, string][] = [
    [recap.prompts, t('prompts: {0}', recap.prompts)],
    [recap.restarts, t('restarts: {0}', recap.restarts)],
    [recap.done.length, t('tasks done: {0}', recap.done.length)],
    [recap.failed.length, t('tasks failed: {0}', recap.failed.length)],
    [recap.messages.length, t('messages: {0}', recap.messages.length)],
    [commits, t('commits: {0}', commits)],
    [files, t('files not committed: {0}', files)],
  ];
  const parts = [...spent(recap), ...counts.filter(([many]) => many > 0).map(([, text]) => text)];
  return parts.length === 0 ? '' : t('the last {0}: {1}', lasted(recap), parts.join(' · '));
}

const clock = (at: string): string => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

/** What was asked for when somebody began to hover. */
export interface Looked {
  recap?: Recap | undefined;
  shares?: readonly Share[] | undefined;
}

/** What a hover over an agent tells. */
export function tooltip(agent: Agent, { recap, shares = [] }: Looked, now: number): string {
  const rows: [string, string | null | undefined][] = [
    [t('Title'), agent.title],
    [t('Status'), `${statusWord(agent)}, ${age(agent.status_since, now)}`],
    // What it asks for stands below, whole.
    [t('Why'), agent.question === null ? agent.reason : null],
    [t('Task'), agent.task === null ? null : `#${agent.task.id} ${agent.task.title}`],
    [t('Last told'), recap?.last_prompt],
    [t('Queue'), queue(agent)],
    [t('Spec'), agent.spec === agent.kind ? agent.spec : `${agent.spec} (${agent.kind})`],
    [t('Folder'), agent.directory_gone === null ? agent.working_directory : t('{0} (it is gone)', agent.working_directory)],
    [t('Branch'), agent.branch],
    [t('Conversation'), agent.conversation.name ?? agent.conversation.id],
    [t('Parent'), agent.parent],
    [t('Attached'), agent.clients.length > 0 ? String(agent.clients.length) : null],
    [t('Shared with'), shares.map((share) => shareLine(share, now)).join(', ')],
    [t('Recap'), recap === undefined ? null : inBrief(recap)],
    [t('Commits'), recap?.commits?.map((commit) => commit.subject).slice(0, 3).join(' · ')],
    [t('Asks'), agent.question === null && recap?.asks !== agent.reason ? recap?.asks : null],
  ];
  const told = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const lines = told.map(([key, value]) => `**${key}:** ${safe(value ?? '')}`);
  const words = recap?.last_words;
  const said = words === null || words === undefined ? '' : `\n\n---\n\n${fenced(words.split('\n').slice(-8).join('\n'))}`;
  const asked = agent.question === null ? '' : `\n\n---\n\n${fenced(visible(agent.question.text))}`;
  return `### ${safe(agent.name)}\n\n${lines.join('  \n')}${asked}${said}`;
}

function queue(agent: Agent): string | null {
  const { queued, running, done, failed } = agent.tasks;
  if (queued + running + done + failed === 0) return null;
  return t('{0} queued, {1} running, {2} done, {3} failed', queued, running, done, failed);
}
