// The work of an agent in its worktree as text for rows and hovers. Pure.

import type { Agent } from '../../binary/types';
import type { PullRequest, Work, WorkById } from '../../binary/workTypes';
import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';

/** The number of files with conflicts that the hover names. */
const MAX_NAMED_FILES = 3;

/** Returns the work that the row of an agent shows. Agents in the same folder would all show the same. */
export const shownWork = ({ id, workspace, directory_gone }: Agent, works: WorkById): Work | undefined =>
  workspace === 'worktree' && directory_gone === null ? works.get(id) : undefined;

/** Returns what a row shows: numbers, the result of a merge, and the pull request. */
export function workParts(work: Work): string[] {
  const numbers: [string, number][] = [['±', work.changed ?? 0], ['↑', work.base?.ahead ?? 0], ['↓', work.base?.behind ?? 0]];
  const shownNumbers = numbers.filter(([, many]) => many > 0).map(([sign, many]) => `${sign}${many}`);
  return [shownNumbers.join(' '), remarkableMerge(work), work.pull_request === null ? '' : pullRequestMark(work.pull_request)].filter(Boolean);
}

/** Returns the parts of a row that a screen reader reads. */
export const spokenWork = (work: Work): string[] => [remarkableMerge(work), work.pull_request === null ? '' : pullRequestMark(work.pull_request)].filter(Boolean);

/** Returns the line of a hover about the work, or an empty text if there is none. */
export function workLine(work: Work): string {
  const { changed, base } = work;
  const paths = work.merge?.paths ?? [];
  const named = [...paths.slice(0, MAX_NAMED_FILES).map((path) => oneLine(path, 40)), ...(paths.length > MAX_NAMED_FILES ? ['…'] : [])].join(', ');
  return [
    changed === null || changed === 0 ? '' : t('uncommitted files: {0}', changed),
    base === null ? '' : t('{0} ahead of and {1} behind {2}', base.ahead, base.behind, oneLine(base.name ?? t('its base'), 40)),
    paths.length > 0 && conflicts(work) > 0 ? `${remarkableMerge(work)}: ${named}` : remarkableMerge(work),
  ].filter(Boolean).join(', ');
}

/** Returns the line of a hover about a pull request. */
export const pullRequestLine = ({ number, url, state, checks }: PullRequest): string =>
  `${[`#${number} ${shownWord(state)}`, checks === null ? '' : shownWord(checks)].filter(Boolean).join(', ')} ${oneLine(url, 120)}`;

/** The names of states and results. A newer binary may print others, which are shown as they are. */
const words: Partial<Record<string, () => string>> = { open: () => t('open'), closed: () => t('closed'), merged: () => t('merged'), pass: () => t('checks pass'), fail: () => t('checks fail'), pending: () => t('checks pending') };

const shownWord = (word: string): string => words[word]?.() ?? oneLine(word, 20);

function pullRequestMark({ number, state, checks }: PullRequest): string {
  const remark = state !== 'open' ? shownWord(state) : checks === null ? '' : shownWord(checks);
  return `PR #${number} ${remark}`.trim();
}

/** Returns the number of files with conflicts. A branch that is merged or empty has none that matter. */
function conflicts({ changed, merged, merge }: Work): number {
  const isDone = (merged === 'merged' || merged === 'empty') && (changed ?? 0) === 0;
  return isDone || merge?.state !== 'conflicts' ? 0 : (merge.paths?.length ?? 0);
}

function remarkableMerge(work: Work): string {
  const many = conflicts(work);
  if (many > 0) return many === 1 ? t('1 conflict') : t('{0} conflicts', many);
  const hasChanges = (work.changed ?? 0) > 0;
  if (work.merged === 'empty' && !hasChanges) return '';
  return (work.merged === 'merged' && !hasChanges) || work.merge?.state === 'nothing' ? t('merged') : '';
}

/** Returns the agents whose work looks different now. */
export function changedWork(before: WorkById, after: WorkById): Set<string> {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return new Set([...ids].filter((id) => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id))));
}

/** Returns everything of the agents that their work may change with. Empty if no agent has a worktree. */
export const workTrigger = (agents: readonly Agent[]): string =>
  agents.filter(({ workspace }) => workspace === 'worktree').map(({ id, status, status_since, branch }) => `${id} ${status} ${status_since} ${branch ?? ''}`).join('\n');
