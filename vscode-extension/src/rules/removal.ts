// Removing agents: the question that is asked, and the order of the commands. Nothing is ended before the last answer. Pure.

import { CommandError } from '../client';
import type { Agent, Work } from '../types';
import { t } from '../words';
import { isLive } from './status';
import { noLinks, oneLine } from './text';

/** An agent with what its workspace holds that exists nowhere else. */
export interface Doomed {
  agent: Agent;
  /** Whether its folder is gone. */
  isHomeless?: boolean;
  /** The same work as sentences; empty when nothing would be lost. */
  work: readonly string[];
}

/** Describes work that only a workspace holds, as `agent show` counts it. */
export function workInWords(work: Work | null): string[] {
  if (work === null) return [];
  const { changed, ahead, stashes } = { changed: work.changed ?? 0, ahead: work.ahead ?? 0, stashes: work.stashes ?? 0 };
  const parts: [number, string][] = [
    [changed, changed === 1 ? t('1 uncommitted file') : t('{0} uncommitted files', changed)],
    [stashes, stashes === 1 ? t('1 stash') : t('{0} stashes', stashes)],
    [ahead, ahead === 1 ? t('the worktree of 1 commit that no other branch has (its branch stays)') : t('the worktree of {0} commits that no other branch has (their branch stays)', ahead)],
  ];
  return parts.filter(([many]) => many > 0).map(([, text]) => text);
}

export interface RemovalQuestion {
  message: string;
  detail: string;
  /** The button that removes. */
  yes: string;
  /** Whether it destroys work, so that Enter alone must not confirm it. */
  losesWork: boolean;
}

/** Asks once before agents are removed, with everything that goes along. */
export function removalQuestion(doomed: readonly Doomed[]): RemovalQuestion {
  const losing = doomed.filter(({ work }) => work.length > 0);
  const [only, ...others] = doomed;
  const lines = [
    ...(only === undefined || others.length > 0 ? severalLines(doomed) : [fate(only)]),
    ...losing.map(({ agent, work }) => (others.length === 0 ? t('Lost with it: {0}', work.join(', ')) : t('Lost with {0}: {1}', oneLine(agent.name), work.join(', ')))),
  ];
  const message = others.length === 0 ? t('Remove {0}?', oneLine(only?.agent.name ?? '')) : t('Remove {0} agents?', doomed.length);
  return { message: noLinks(message), detail: noLinks(lines.join('\n')), yes: losing.length > 0 ? t('Remove and Lose Work') : t('Remove'), losesWork: losing.length > 0 };
}

const names = (agents: readonly Doomed[]): string => oneLine(agents.map(({ agent }) => agent.name).join(', '), 300);

function severalLines(doomed: readonly Doomed[]): string[] {
  const live = doomed.filter(({ agent }) => isLive(agent));
  const homeless = doomed.filter(({ isHomeless }) => isHomeless === true);
  return [
    names(doomed),
    homeless.length === doomed.length ? t('Their folders are gone.') : '',
    live.length === 0 ? '' : live.length === doomed.length ? t('All of them run and are stopped.') : t('Running, and stopped first: {0}', names(live)),
  ].filter(Boolean);
}

/** Says what becomes of a single agent. */
function fate({ agent, isHomeless }: Doomed): string {
  const parts = [
    isHomeless === true ? t('Its folder is gone.') : '',
    isLive(agent) ? (agent.status === 'working' ? t('It is working and is stopped first.') : t('It runs and is stopped first.')) : '',
    isHomeless === true || agent.workspace === 'in-place' ? t('Its transcript and state are deleted; the files of the project stay.') : t('Its transcript, state and folder are deleted.'),
  ];
  return parts.filter(Boolean).join(' ');
}

export interface Removal {
  /** Returns the present name, asked for after each dialog; throws when the agent is gone. */
  name: () => Promise<string>;
  verb: readonly string[];
  before: 'end first' | 'as it is';
  /** Whether the person has agreed to lose the work that is there. */
  work: 'may be lost' | 'must be kept';
}

/** Removes an agent. When the binary refuses, `anyway` is asked, unless the person has agreed to lose work already. If the
 *  answer is no, an agent that was ended for it is resumed. Returns whether the agent is gone. */
export async function remove(run: (args: string[]) => Promise<unknown>, { name, verb, before, work }: Removal, anyway: (error: CommandError) => Promise<boolean>): Promise<boolean> {
  let isEnded = false;
  try {
    // Not `rm --force` at once: work that appeared after the question would go with it.
    if (before === 'end first') {
      await run(['agent', 'kill', await name()]);
      isEnded = true;
    }
    await run([...verb, await name()]);
    return true;
  } catch (error) {
    if (isGone(error)) return true;
    if (!(error instanceof CommandError) || error.code === 'missing-binary') throw error;
    if (work === 'must be kept' && !(await anyway(error))) {
      if (isEnded) await run(['agent', 'resume', await name()]);
      return false;
    }
    try {
      await run([...verb, '--force', await name()]);
    } catch (second) {
      if (!isGone(second)) throw second;
    }
    return true;
  }
}

/** The binary's code for an agent that does not exist. */
const GONE = 'no-such-agent';

const isGone = (error: unknown): boolean => error instanceof CommandError && error.code === GONE;

/** The failure of a command whose agent no longer exists. */
export const gone = (name: string): CommandError => new CommandError({ code: GONE, message: t('{0} is gone by now', oneLine(name)), saw: [], hints: [] });
