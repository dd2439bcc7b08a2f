// What an agent asks for, and whether somebody who saw a list or a notice has seen all of it. Pure.

import type { Agent } from '../../binary/types';
import { noLinks, oneLine, visible } from './sanitize';

/** How many characters of a question are surely seen where it is shown: behind a tick of a quick pick; in a notification,
 *  which wraps. Of a row nobody knows: its width, its name and its buttons cut it, and it changes under the mouse. */
export const MOST = { tick: 80, notice: 160 };

/** Which question somebody has before their eyes, and whether they see all of it. */
export interface Seen {
  id: string;
  whole: boolean;
}

export const asks = (agent: Agent): boolean => agent.status === 'waiting' && agent.waiting_for === 'approval';

/** The question as it stands on a line; its end tells when there is more to it. */
export function shownQuestion({ question, reason }: Pick<Agent, 'question' | 'reason'>, most: number): string {
  if (question?.extent === 'whole' && oneLine(question.text, most) === question.text) return question.text;
  const line = oneLine(reason, most);
  const isAll = question === null || question.extent === 'brief' || line.endsWith('…');
  return isAll ? line : oneLine(`${line} …`, most);
}

/** What somebody has seen of it who was shown so much; undefined when nothing is asked. */
export function seenOf(agent: Agent, most: number): Seen | undefined {
  const { question } = agent;
  if (question === null || !asks(agent)) return undefined;
  // What is changed to be shown, be it by a blank, is not what is run.
  const isPlain = visible(question.text) === question.text && noLinks(question.text) === question.text;
  const whole = question.extent === 'whole' && isPlain && shownQuestion(agent, most) === question.text;
  return { id: question.id, whole };
}

/** The same for a row: which one it is, and never all of it. */
export const seenInRow = (agent: Agent): Seen | undefined =>
  agent.question === null || !asks(agent) ? undefined : { id: agent.question.id, whole: false };

export const isSeen = (value: unknown): value is Seen =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Seen>).id === 'string' && typeof (value as Partial<Seen>).whole === 'boolean';

/** More than this does not fit into a dialog of every system: such a question is read in an editor. */
const DIALOG = { characters: 1_200, lines: 20 };

export const fitsDialog = (text: string): boolean => text.length <= DIALOG.characters && text.split('\n').length <= DIALOG.lines;
