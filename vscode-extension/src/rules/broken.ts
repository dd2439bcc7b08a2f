// Agents that are there and could not be read, in words.

import type { Broken } from '../types';
import { t } from '../words';
import { oneLine } from './text';

/** Who cannot be shown, and why the first of them cannot. */
export function inWords(broken: readonly Broken[]): string {
  const [first] = broken;
  if (first === undefined) return '';
  const names = broken.slice(0, 3).map(({ name }) => oneLine(name, 63)).join(', ');
  const all = broken.length > 3 ? t('{0} and {1} more', names, broken.length - 3) : names;
  return t('cannot be shown: {0} ({1})', all, oneLine(first.why));
}
