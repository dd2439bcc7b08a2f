// What bringing back the lost agents came to, in words. Pure.

import { CommandError } from '../../binary/client';
import type { Restored } from '../../binary/types';
import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';

/** Those that could not be brought back, as one failure; undefined when all are back. */
export function notRestored(failed: readonly Restored[]): CommandError | undefined {
  const [only, ...others] = failed;
  if (only === undefined) return undefined;
  const name = oneLine(only.name);
  return others.length === 0
    ? new CommandError({ code: 'not-restored', message: t('{0} was not brought back', name), saw: [only.remark], hints: [] })
    : new CommandError({ code: 'not-restored', message: t('{0} were not brought back', failed.length), saw: failed.map((each) => `${oneLine(each.name)}: ${each.remark}`), hints: [] });
}
