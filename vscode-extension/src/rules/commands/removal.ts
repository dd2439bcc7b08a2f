// Removing agents: the question that is asked, and the order of the commands. Nothing is ended before the last answer. Pure.

import { CommandError } from '../../binary/client';
import type { Agent } from '../../binary/types';
import { t } from '../../l10n';
import { isLive } from '../agent/status';
import { noLinks, oneLine } from '../agent/sanitize';

/** An agent with what its workspace holds that exists nowhere else. */
export interface Doomed {
  agent: Agent;
  /** Whether its folder is gone. */
  isHomeless?: boolean;
  /** That work as sentences; empty when there is none. */
  work: readonly string[];
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
    ...losing.map(({ agent, work }) => {
      const lines = oneLine(work.join('; '), 300);
      return others.length === 0 ? t('Work that exists nowhere else: {0}', lines) : t('Work of {0} that exists nowhere else: {1}', oneLine(agent.name), lines);
    }),
    losing.length > 0 ? t('A copy of it is kept for 30 days.') : '',
  ];
  const message = others.length === 0 ? t('Remove {0}?', oneLine(only?.agent.name ?? '')) : t('Remove {0} agents?', doomed.length);
  return { message: noLinks(message), detail: noLinks(lines.filter(Boolean).join('\n')), yes: losing.length > 0 ? t('Remove with Work') : t('Remove'), losesWork: losing.length > 0 };
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

/** What came of a removal: whether the agent is gone, and what the binary printed. */
export interface Removed {
  isGone: boolean;
  printed?: unknown;
}

/** Removes an agent. When the binary refuses, `anyway` is asked, unless the person has agreed to lose work already. If the
 *  answer is no, an agent that was ended for it is resumed. */
export async function remove(run: (args: string[]) => Promise<unknown>, { name, verb, before, work }: Removal, anyway: (error: CommandError) => Promise<boolean>): Promise<Removed> {
  let isEnded = false;
  try {
    // Not `rm --force` at once: work that appeared after the question would go with it.
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

/** The binary's code for an agent that does not exist. */
const GONE = 'no-such-agent';

const isGone = (error: unknown): boolean => error instanceof CommandError && error.code === GONE;

/** The failure of a command whose agent no longer exists. */
export const gone = (name: string): CommandError => new CommandError({ code: GONE, message: t('{0} is gone by now', oneLine(name)), saw: [], hints: [] });
