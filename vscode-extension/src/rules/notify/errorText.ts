// What went wrong, as much of it as a notification has room for: one that is taller than the window is not shown at all.
// Pure.

import { oneLine } from '../agent/sanitize';

export interface Told {
  message: string;
  saw: readonly string[];
  hints: readonly string[];
}

/** What a notification has room for, with a hint behind it: ten lines at most. */
const MOST = { message: 200, lines: 3, line: 80, hint: 120 };

/** In a notification, and whether that is all of it. */
export function inShort({ message, saw, hints }: Told): { text: string; isAll: boolean } {
  const lines = saw.flatMap((part) => part.split('\n')).filter((line) => oneLine(line) !== '');
  const all = [message, ...lines].map((part) => oneLine(part, Infinity));
  const shown = all.slice(0, 1 + MOST.lines).map((part, at) => oneLine(part, at === 0 ? MOST.message : MOST.line));
  const [hint, ...others] = hints.map((each) => oneLine(each, Infinity));
  const first = hint === undefined ? undefined : oneLine(hint, MOST.hint);
  const more = all.length > shown.length ? ' …' : '';
  const isAll = more === '' && shown.every((part, at) => part === all[at]) && first === hint && others.length === 0;
  return { text: `${shown.join(' — ')}${more}${first === undefined ? '' : `. ${first}`}`, isAll };
}

/** All of it, for a document. */
export const inDetail = ({ message, saw, hints }: Told): string =>
  [message, ...saw.flatMap((part) => part.split('\n')).map((line) => `  ${line}`), ...hints.map((hint) => `hint: ${hint}`)].join('\n');
