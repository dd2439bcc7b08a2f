// The arguments and messages of shares. Pure.

import type { Share } from '../../binary/types';
import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';
import { span } from '../agent/ages';

export interface ShareRequest {
  user: string;
  may: 'watch' | 'type';
  /** The value of `--for`; empty without a limit. */
  hours: string;
}

/** Returns what is wrong with a user name, or undefined. The binary checks whether the user exists. */
export function userNameError(user: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?$/.test(user) ? undefined : t('the login name of a user');
}

/** Returns the arguments of `agent share`. The user has already confirmed in the editor. */
export function shareArguments(agent: string, { user, may, hours }: ShareRequest): string[] {
  const args = ['agent', 'share', agent, '--with', user];
  if (may === 'watch') args.push('--read-only');
  if (hours !== '') args.push('--for', hours);
  return [...args, '--yes'];
}

/** Describes the result of `agent unshare`. */
export const unshareText = (agent: string, ended: readonly Share[]): string =>
  ended.length === 0 ? t('{0} is not shared', agent) : t('{0} is no longer shared with {1}', agent, oneLine(ended.map((share) => share.with).join(', ')));

/** Describes a share in one line. */
export function shareLine(share: Share, now: number): string {
  const may = share.read_only ? t('watches') : t('may type');
  const left = share.until === null ? undefined : span(Math.max(0, (Date.parse(share.until) - now) / 1000));
  return left === undefined ? `${share.with} (${may})` : t('{0} ({1}, {2} left)', share.with, may, left);
}
