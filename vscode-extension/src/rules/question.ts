// What an agent asks for, and whether somebody who saw a list or a notice has seen all of it. Pure.

import type { Agent } from '../types';
import { oneLine, visible } from './text';

/** How many characters of a question are surely seen where it is shown: in a row, which a narrow view cuts; behind a tick of
 *  a quick pick; in a notification, which wraps. */
export const MOST = { row: 30, tick: 80, notice: 160 };

/** A row that changed less than this ago may have done so under the mouse. */
const FRESH = 1_000;

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
  const whole = question.extent === 'whole' && shownQuestion(agent, most) === question.text && visible(question.text) === question.text;
  return { id: question.id, whole };
}

/** The same for a row, which follows what happens. */
export function seenInRow(agent: Agent, now: number): Seen | undefined {
  const seen = seenOf(agent, MOST.row);
  return seen === undefined ? undefined : { ...seen, whole: seen.whole && now - Date.parse(agent.status_since) >= FRESH };
}

export const isSeen = (value: unknown): value is Seen =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Seen>).id === 'string' && typeof (value as Partial<Seen>).whole === 'boolean';

/** More than this does not fit into a dialog of every system: such a question is read in an editor. */
const DIALOG = { characters: 1_200, lines: 20 };

export const fitsDialog = (text: string): boolean => text.length <= DIALOG.characters && text.split('\n').length <= DIALOG.lines;
