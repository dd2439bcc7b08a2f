// Names an agent may have, as the binary checks them; here only so that a mistake is seen while it is typed.

import { t } from '../../l10n';

const shape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** What is wrong with a name, or undefined. */
export function nameMistake(name: string, taken: readonly string[]): string | undefined {
  if (taken.includes(name)) return t('there is an agent of this name already');
  if (shape.test(name)) return undefined;
  return t('letters, digits, - and _, at most 63, a letter or digit first');
}
