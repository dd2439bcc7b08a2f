// A spec that something is wrong with: what, and where it is to be mended. Pure.

import type { Spec } from '../../binary/types';
import { oneLine } from '../agent/sanitize';

/** What is wrong, and the file with the place in it, counted from nought, as far as the binary tells. */
export interface Mistake {
  text: string;
  file?: { path: string; line: number; column: number };
}

/** The first of them: the binary reads no further in a file than to that. */
export function mistakeIn({ wrong }: Pick<Spec, 'wrong'>): Mistake | undefined {
  const [first] = wrong;
  if (first === undefined) return undefined;
  const [, path, line, column] = /^(\/[^\n]*?):(\d+):(\d+): /.exec(first) ?? [];
  const text = oneLine(first.split('\n')[0] ?? first, 300);
  if (path === undefined) return { text };
  return { text, file: { path, line: Math.max(0, Number(line) - 1), column: Math.max(0, Number(column) - 1) } };
}
