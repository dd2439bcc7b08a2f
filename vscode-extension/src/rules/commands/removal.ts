// The question before a removal, and the order of its commands. Nothing is stopped before the last answer. Pure.

import { CommandError } from '../../binary/client';
import type { Agent } from '../../binary/types';
import { t } from '../../l10n';
import { isLive } from '../agent/status';
import { withoutLinks, oneLine } from '../agent/sanitize';

/** An agent with the work in its workspace that exists nowhere else. */
export interface RemovalCandidate {
  agent: Agent;
  /** Whether its folder was deleted. */
  isFolderGone?: boolean;
  /** Descriptions of that work; empty without any. */
  work: readonly string[];
}

export interface RemovalQuestion {
  message: string;
  detail: string;
  /** The title of the button that removes. */
  yes: string;
  /** Whether the removal destroys work, so that Enter alone must not confirm it. */
  losesWork: boolean;
}

/** Returns the question before agents are removed, with everything that is deleted. */
export function removalQuestion(candidates: readonly RemovalCandidate[]): RemovalQuestion {
  const withWork = candidates.filter(({ work }) => work.length > 0);
  const [only, ...others] = candidates;
  const lines = [
    ...(only === undefined || others.length > 0 ? severalLines(candidates) : [consequences(only)]),
    ...withWork.map(({ agent, work }) => {
      const lines = oneLine(work.join('; '), 300);
      return others.length === 0 ? t('Work that exists nowhere else: {0}', lines) : t('Work of {0} that exists nowhere else: {1}', oneLine(agent.name), lines);
    }),
    withWork.length > 0 ? t('A copy of it is kept for 30 days.') : '',
  ];
  const message = others.length === 0 ? t('Remove {0}?', oneLine(only?.agent.name ?? '')) : t('Remove {0} agents?', candidates.length);
  return { message: withoutLinks(message), detail: withoutLinks(lines.filter(Boolean).join('\n')), yes: withWork.length > 0 ? t('Remove with Work') : t('Remove'), losesWork: withWork.length > 0 };
}

const names = (agents: readonly RemovalCandidate[]): string => oneLine(agents.map(({ agent }) => agent.name).join(', '), 300);

function severalLines(candidates: readonly RemovalCandidate[]): string[] {
  const live = candidates.filter(({ agent }) => isLive(agent));
  const withoutFolder = candidates.filter(({ isFolderGone }) => isFolderGone === true);
  return [
    names(candidates),
    withoutFolder.length === candidates.length ? t('Their folders were deleted.') : '',
    live.length === 0 ? '' : live.length === candidates.length ? t('All of them are running and will be stopped.') : t('Running, and stopped first: {0}', names(live)),
  ].filter(Boolean);
}

/** Describes the consequences for a single agent. */
function consequences({ agent, isFolderGone }: RemovalCandidate): string {
  const parts = [
    isFolderGone === true ? t('Its folder was deleted.') : '',
    isLive(agent) ? (agent.status === 'working' ? t('It is working and will be stopped first.') : t('It is running and will be stopped first.')) : '',
    isFolderGone === true || agent.workspace === 'in-place' ? t('Its transcript and state are deleted; the files of the project stay.') : t('Its transcript, state and folder are deleted.'),
  ];
  return parts.filter(Boolean).join(' ');
}

export interface Removal {
  /** Returns the present name, which is read after each dialog. Throws when the agent no longer exists. */
  name: () => Promise<string>;
  verb: readonly string[];
  before: 'end first' | 'as it is';
  /** Whether the user has agreed to lose the work. */
  work: 'may be lost' | 'must be kept';
}

/** The result of a removal, with the output of the binary. */
export interface Removed {
  isGone: boolean;
  printed?: unknown;
}

/** Removes an agent. If the binary refuses, asks `anyway`, unless the user has already agreed to lose the work. After a
 *  no, an agent that was stopped for the removal is resumed. */
export async function remove(run: (args: string[]) => Promise<unknown>, { name, verb, before, work }: Removal, anyway: (error: CommandError) => Promise<boolean>): Promise<Removed> {
  let isEnded = false;
  try {
    // Not `rm --force` at once, because it would also delete work that appeared after the question.
    if (before === 'end first') {
      await run(['agent', 'kill', await name()]);
      isEnded = true;
    }
    return { isGone: true, printed: await run([...verb, await name()]) };
  } catch (error) {
    if (isGone(error)) return { isGone: true };
    if (!(error instanceof CommandError) || error.code === 'missing-binary') throw error;
    if (work === 'must be kept' && !(await anyway(error))) {
      if (isEnded) await run(['agent', 'resume', await name()]);
      return { isGone: false };
    }
    try {
      return { isGone: true, printed: await run([...verb, '--force', await name()]) };
    } catch (second) {
      if (!isGone(second)) throw second;
      return { isGone: true };
    }
  }
}

/** The error code of the binary for an agent that does not exist. */
const NO_SUCH_AGENT = 'no-such-agent';

const isGone = (error: unknown): boolean => error instanceof CommandError && error.code === NO_SUCH_AGENT;

/** Returns the error of a command whose agent no longer exists. */
export const agentGone = (name: string): CommandError => new CommandError({ code: NO_SUCH_AGENT, message: t('{0} no longer exists', oneLine(name)), saw: [], hints: [] });
