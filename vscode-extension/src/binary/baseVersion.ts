// Reads the base version of a file from git. Runs nothing that a repository configures: `cat-file` applies no filters and
// no text conversions, and the other programs of a configuration are disabled. Does not depend on VS Code.

import { execFile } from 'node:child_process';
import { findBinary } from './client';

/** A file at a commit. The path is relative to the root of the working tree. */
export interface BaseVersion {
  root: string;
  commit: string;
  path: string;
}

/** The same values as in `HARMLESS` of src/git/command.rs. */
const HARMLESS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'protocol.allow=never', 'safe.bareRepository=explicit', 'submodule.recurse=false'];

/** Limit for the size of a file; VS Code compares no larger ones. */
const MAX_FILE_BYTES = 50 * 1024 * 1024;

const GIT_TIMEOUT_MS = 30_000;

/** Returns the text of a file at a commit. */
export async function readBaseVersion({ root, commit, path }: BaseVersion): Promise<string> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new Error(`not a commit: ${commit}`);
  const git = findBinary('git');
  if (git === undefined) throw new Error('git is not installed');
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };
  const args = [...HARMLESS.flatMap((value) => ['-c', value]), '--no-pager', 'cat-file', 'blob', `${commit}:${path}`];
  return new Promise((resolve, reject) => {
    execFile(git, args, { cwd: root, env, shell: false, timeout: GIT_TIMEOUT_MS, maxBuffer: MAX_FILE_BYTES }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr.trim() === '' ? error.message : stderr.trim()));
    });
  });
}
