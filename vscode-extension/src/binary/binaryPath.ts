// Validates the path of the binary while it is typed. Does not depend on VS Code.

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { findBinary } from './client';
import { t } from '../l10n';

/** Returns the error, or undefined for a program that can be run and for an empty path, which means the usual folders. */
export function binaryMistake(typed: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const path = typed.trim();
  if (path === '' || findBinary(path, env) !== undefined) return undefined;
  const whole = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  if (!whole.includes('/')) return t('no program of this name in PATH or the usual folders');
  if (!isAbsolute(whole)) return t('a name, or a whole path that begins with / or ~/');
  try {
    const found = statSync(whole);
    if (found.isDirectory()) return t('a directory, not a program');
    return found.isFile() ? t('not executable') : t('not a file');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? t('cannot be read: permission denied') : t('there is no such file on this machine');
  }
}
