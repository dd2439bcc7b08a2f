// What is wrong with a path that is to be the binary, said while it is typed. Knows nothing of VS Code.

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { findBinary } from './client';
import { t } from '../l10n';

/** Undefined when it can be run, and for nothing at all, which means the usual places. */
export function binaryMistake(typed: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const path = typed.trim();
  if (path === '' || findBinary(path, env) !== undefined) return undefined;
  const whole = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  if (!whole.includes('/')) return t('no program of this name was found in PATH or the usual places');
  if (!isAbsolute(whole)) return t('a name, or a whole path that begins with / or ~/');
  try {
    const found = statSync(whole);
    if (found.isDirectory()) return t('this is a directory; the program is a file');
    return found.isFile() ? t('this file cannot be run: it is not executable') : t('this is no file');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? t('this cannot be looked at: permission denied') : t('there is no such file on this machine');
  }
}
