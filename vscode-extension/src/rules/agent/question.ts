// The question of an agent, and whether a list or a notice showed all of it. Pure.

import type { Agent } from '../../binary/types';
import { withoutLinks, oneLine, spellOutInvisible } from './sanitize';

/** The number of characters of a question that are certainly visible in a quick pick and in a notification, which
 *  wraps. There is no such number for a row of the view: its width, its name and its buttons cut the text. */
export const QUESTION_LENGTH = { tick: 80, notice: 160 };

/** The question that a user was shown, and whether it was shown completely. */
export interface SeenQuestion {
  id: string;
  whole: boolean;
}

export const needsApproval = (agent: Agent): boolean => agent.status === 'waiting' && agent.waiting_for === 'approval';

/** Formats a question for one line. An ellipsis at the end shows that there is more. */
export function shownQuestion({ question, reason }: Pick<Agent, 'question' | 'reason'>, most: number): string {
  if (question?.extent === 'whole' && oneLine(question.text, most) === question.text) return question.text;
  const line = oneLine(reason, most);
  const isAll = question === null || question.extent === 'brief' || line.endsWith('…');
  return isAll ? line : oneLine(`${line} …`, most);
}

/** Returns what a user has seen of the question in a place of this length, or undefined without a question. */
export function seenOf(agent: Agent, most: number): SeenQuestion | undefined {
  const { question } = agent;
  if (question === null || !needsApproval(agent)) return undefined;
  // A text that had to be changed to be shown is not the text that would run.
  const isPlain = spellOutInvisible(question.text) === question.text && withoutLinks(question.text) === question.text;
  const whole = question.extent === 'whole' && isPlain && shownQuestion(agent, most) === question.text;
  return { id: question.id, whole };
}

/** Returns what a user has seen of the question in a row, which is never certain to be all of it. */
export const seenInRow = (agent: Agent): SeenQuestion | undefined =>
  agent.question === null || !needsApproval(agent) ? undefined : { id: agent.question.id, whole: false };

export const isSeen = (value: unknown): value is SeenQuestion =>
  typeof value === 'object' && value !== null && typeof (value as Partial<SeenQuestion>).id === 'string' && typeof (value as Partial<SeenQuestion>).whole === 'boolean';

/** A longer text does not fit into the dialogs of every operating system and is shown in an editor. */
const DIALOG_LIMITS = { characters: 1_200, lines: 20 };

export const fitsDialog = (text: string): boolean => text.length <= DIALOG_LIMITS.characters && text.split('\n').length <= DIALOG_LIMITS.lines;
