// Validates agent names by the rules of the binary, so that a mistake is shown while the name is typed.

import { t } from '../../l10n';

const validName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** Returns what is wrong with a name, or undefined. */
export function nameError(name: string, taken: readonly string[]): string | undefined {
  if (taken.includes(name)) return t('an agent of this name already exists');
  if (validName.test(name)) return undefined;
  return t('letters, digits, - and _, at most 63, a letter or digit first');
}
