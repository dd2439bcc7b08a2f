// What removing an agent takes along, in words, and how it goes on when the binary says no. Pure.

import { CommandError } from '../client';
import type { Agent } from '../types';
import { t } from '../words';
import { isLive } from './status';
import { oneLine } from './text';

/** What is asked before an agent is forgotten; `gone`: its folder is. */
export function removeQuestion(agent: Agent, gone: boolean): string {
  const { name } = agent;
  if (gone) return isLive(agent) ? t('{0} runs, though its folder is gone. End it and forget it?', name) : t('The folder of {0} is gone. Forget it too?', name);
  if (agent.workspace === 'in-place') {
    return isLive(agent)
      ? t('{0} runs. End it and forget it, with its transcript and state? The files of the project stay.', name)
      : t('Forget {0}, with its transcript and state? The files of the project stay.', name);
  }
  return isLive(agent) ? t('{0} runs. End it and forget it, with its files?', name) : t('Forget {0}, with its files?', name);
}

/** What is asked before several are forgotten at once, whose folders are gone. */
export function homelessQuestion(agents: readonly Agent[]): string {
  const names = (those: readonly Agent[]) => oneLine(those.map(({ name }) => name).join(', '));
  const live = agents.filter(isLive);
  return live.length === 0
    ? t('The folder of these agents is gone. Forget all of them? {0}', names(agents))
    : t('The folder of these agents is gone. Forget all of them, and end those that run ({1})? {0}', names(agents), names(live));
}

export interface Removal {
  /** What it is called by now, asked after each dialog; throws when it is gone. */
  name: () => Promise<string>;
  verb: readonly string[];
  before: 'end first' | 'as it is';
}

/** Removes; what the binary does not want to do is done when `anyway` says so. One that is gone already is removed. Says
 *  whether anything was done. */
export async function remove(run: (args: string[]) => Promise<unknown>, { name, verb, before }: Removal, anyway: (error: CommandError) => Promise<boolean>): Promise<boolean> {
  let isEnded = false;
  try {
    // Not `rm --force`: that would take work along too, which was not asked about.
    if (before === 'end first') {
      await run(['agent', 'kill', await name()]);
      isEnded = true;
    }
    await run([...verb, await name()]);
    return true;
  } catch (error) {
    if (isGone(error)) return true;
    if (!(error instanceof CommandError) || error.code === 'missing-binary') throw error;
    if (!(await anyway(error))) return isEnded;
    try {
      await run([...verb, '--force', await name()]);
    } catch (second) {
      if (!isGone(second)) throw second;
    }
    return true;
  }
}

/** What the binary calls it that there is no such agent. */
const GONE = 'no-such-agent';

const isGone = (error: unknown): boolean => error instanceof CommandError && error.code === GONE;

/** That an agent is gone, of whom something was wanted. */
export const gone = (name: string): CommandError => new CommandError({ code: GONE, message: t('{0} is gone by now', oneLine(name)), saw: [], hints: [] });
