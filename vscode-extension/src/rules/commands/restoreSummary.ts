// The result of restoring lost agents. Pure.

import { CommandError } from '../../binary/client';
import type { Restored } from '../../binary/types';
import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';

/** Returns an error for the agents that were not restored, or undefined. */
export function restoreError(failed: readonly Restored[]): CommandError | undefined {
  const [only, ...others] = failed;
  if (only === undefined) return undefined;
  const name = oneLine(only.name);
  return others.length === 0
    ? new CommandError({ code: 'not-restored', message: t('{0} was not restored', name), saw: [only.remark], hints: [] })
    : new CommandError({ code: 'not-restored', message: t('{0} agents were not restored', failed.length), saw: failed.map((each) => `${oneLine(each.name)}: ${each.remark}`), hints: [] });
}
