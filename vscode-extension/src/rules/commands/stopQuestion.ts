// Decides whether stopping an agent needs a question, and returns the dialog. Pure.

import type { Agent } from '../../binary/types';
import { t } from '../../l10n';
import { withoutLinks, oneLine } from '../agent/sanitize';

export interface StopQuestion {
  message: string;
  detail: string;
  /** The buttons in their order, with the options of `agent kill`. Enter presses the first one. */
  buttons: { title: string; options: readonly string[] }[];
}

/** Returns the question before an agent is stopped, given its running descendants. An idle agent without any is stopped
 *  without a question, because it can be resumed without a loss. */
export function stopQuestion(agent: Agent, below: readonly Agent[]): StopQuestion | undefined {
  const name = oneLine(agent.name);
  const isBusy = ['starting', 'working', 'waiting'].includes(agent.status);
  if (below.length > 0) {
    const names = oneLine(below.map((each) => each.name).join(', '), 300);
    return {
      message: withoutLinks(t('{0} has running children: {1}', name, names)),
      detail: '',
      buttons: [{ title: t('Only {0}', name), options: [] }, { title: t('Stop All'), options: ['--with-children'] }],
    };
  }
  if (!isBusy) return undefined;
  return {
    message: withoutLinks(agent.status === 'waiting' ? t('{0} is waiting for you. Stop it?', name) : t('{0} is working. Stop it?', name)),
    detail: t('Its turn ends. The conversation is kept and can be resumed.'),
    buttons: [{ title: t('Stop'), options: [] }],
  };
}

/** Returns the question before several agents are stopped. */
export function stopSeveralQuestion(agents: readonly Agent[]): { message: string; detail: string; yes: string } {
  const names = (those: readonly Agent[]) => oneLine(those.map(({ name }) => name).join(', '), 300);
  const busy = agents.filter(({ status }) => status === 'working');
  const detail = [names(agents), busy.length > 0 ? t('Working now: {0}', names(busy)) : '', t('The conversations are kept and can be resumed.')];
  return { message: t('Stop {0} agents?', agents.length), detail: withoutLinks(detail.filter(Boolean).join('\n')), yes: t('Stop') };
}
