// Mistakes in specs. Pure.

import type { Spec } from '../../binary/types';
import { oneLine } from '../agent/sanitize';

/** A mistake with its file and position, counted from 0, if the binary prints them. */
export interface SpecMistake {
  text: string;
  file?: { path: string; line: number; column: number };
}

/** Returns the first mistake of a spec. The binary does not read further. */
export function specMistake({ wrong }: Pick<Spec, 'wrong'>): SpecMistake | undefined {
  const [first] = wrong;
  if (first === undefined) return undefined;
  const [, path, line, column] = /^(\/[^\n]*?):(\d+):(\d+): /.exec(first) ?? [];
  const text = oneLine(first.split('\n')[0] ?? first, 300);
  if (path === undefined) return { text };
  return { text, file: { path, line: Math.max(0, Number(line) - 1), column: Math.max(0, Number(column) - 1) } };
}
