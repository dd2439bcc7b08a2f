// Formats errors. VS Code does not show a notification that is taller than the window. Pure.

import { oneLine } from '../agent/sanitize';

export interface ErrorReport {
  message: string;
  saw: readonly string[];
  hints: readonly string[];
}

/** Limits for a notification of at most ten lines with its hint. */
const MAX_LENGTH = { message: 200, lines: 3, line: 80, hint: 120 };

/** Formats an error for a notification, and returns whether that is all of it. */
export function shortError({ message, saw, hints }: ErrorReport): { text: string; isAll: boolean } {
  const lines = saw.flatMap((part) => part.split('\n')).filter((line) => oneLine(line) !== '');
  const all = [message, ...lines].map((part) => oneLine(part, Infinity));
  const shown = all.slice(0, 1 + MAX_LENGTH.lines).map((part, at) => oneLine(part, at === 0 ? MAX_LENGTH.message : MAX_LENGTH.line));
  const [hint, ...others] = hints.map((each) => oneLine(each, Infinity));
  const first = hint === undefined ? undefined : oneLine(hint, MAX_LENGTH.hint);
  const more = all.length > shown.length ? ' …' : '';
  const isAll = more === '' && shown.every((part, at) => part === all[at]) && first === hint && others.length === 0;
  return { text: `${shown.join(' — ')}${more}${first === undefined ? '' : `. ${first}`}`, isAll };
}

/** Formats a complete error for a document. */
export const fullError = ({ message, saw, hints }: ErrorReport): string =>
  [message, ...saw.flatMap((part) => part.split('\n')).map((line) => `  ${line}`), ...hints.map((hint) => `hint: ${hint}`)].join('\n');
