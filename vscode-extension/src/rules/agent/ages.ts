// Formats ages and durations like `agent list`. Pure: `now` is an argument.

import { t } from '../../l10n';

/** Formats an age in its largest unit. Leaves out seconds, because the views are redrawn once a minute. */
export function age(since: string | null, now: number): string {
  const then = since === null ? Number.NaN : Date.parse(since);
  if (Number.isNaN(then)) return '';
  const seconds = (now - then) / 1000;
  return seconds < 60 ? t('<1m') : span(seconds);
}

/** Formats a number of seconds in the largest unit. */
export function span(seconds: number): string {
  if (seconds < 60) return t('{0}s', Math.floor(seconds));
  if (seconds < 3600) return t('{0}m', Math.floor(seconds / 60));
  if (seconds < 86400) return t('{0}h', Math.floor(seconds / 3600));
  return t('{0}d', Math.floor(seconds / 86400));
}
