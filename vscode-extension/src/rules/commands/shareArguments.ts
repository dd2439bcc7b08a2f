// With whom an agent is shared, as arguments of the binary. Pure.

import type { Share } from '../../binary/types';
import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';
import { span } from '../agent/ages';

export interface Sharing {
  user: string;
  may: 'watch' | 'type';
  /** As `--for` takes it; empty: until it is ended. */
  hours: string;
}

/** What is wrong with the name of a user, or undefined; whether there is one of that name is the binary's to say. */
export function userMistake(user: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?$/.test(user) ? undefined : t('the login name of a user');
}

/** The person was asked in the editor, so the binary need not ask again. */
export function shareArguments(agent: string, { user, may, hours }: Sharing): string[] {
  const args = ['agent', 'share', agent, '--with', user];
  if (may === 'watch') args.push('--read-only');
  if (hours !== '') args.push('--for', hours);
  return [...args, '--yes'];
}

/** What ending it came to; that there was nothing to end is an answer too. */
export const unshared = (agent: string, ended: readonly Share[]): string =>
  ended.length === 0 ? t('{0} was shared with nobody', agent) : t('{0} is no longer shared with {1}', agent, oneLine(ended.map((share) => share.with).join(', ')));

/** One with whom an agent is shared, in a line. */
export function shareLine(share: Share, now: number): string {
  const may = share.read_only ? t('watches') : t('may type');
  const left = share.until === null ? undefined : span(Math.max(0, (Date.parse(share.until) - now) / 1000));
  return left === undefined ? `${share.with} (${may})` : t('{0} ({1}, for another {2})', share.with, may, left);
}
