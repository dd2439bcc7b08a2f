// The files of a review: which two versions the diff editor compares, and which file a comment is about. Pure.

import type { ChangedFile, LineRange, ReviewComment } from '../../binary/reviewTypes';

/** A file in a review. Without `base` it is new, without `current` it was deleted. Paths are relative to the root of the
 *  working tree. */
export interface ReviewFile {
  path: string;
  base: string | undefined;
  current: string | undefined;
}

/** Returns the files of a diff, sorted by path. A submodule has no content to compare. */
export function reviewFiles(files: readonly ChangedFile[]): ReviewFile[] {
  return files
    .filter(({ kind }) => kind !== 'submodule')
    .map(({ path, old_path, kind }) => ({ path, base: kind === 'added' ? undefined : (old_path ?? path), current: kind === 'deleted' ? undefined : path }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Lines of one version of a file. Lines begin with 1. */
export interface CommentPlace {
  file: ReviewFile;
  side: ReviewComment['side'];
  lines: LineRange;
}

/** Returns the arguments of `agent review NAME` for a new comment. Its text goes to standard input. */
export function commentArguments({ file, side, lines: { first, last } }: CommentPlace): string[] {
  const lines = first === last ? String(first) : `${first}-${last}`;
  return ['--comment', `${file.path}:${lines}`, '-', ...(side === 'old' ? ['--old'] : [])];
}
