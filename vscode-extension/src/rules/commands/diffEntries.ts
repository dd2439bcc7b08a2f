// Converts the changes that the git extension of VS Code lists into entries of a diff editor. Pure.

/** Values of the enum `Status` of the git extension. */
const STATUS = { indexAdded: 1, indexDeleted: 2, deleted: 6, untracked: 7, intentToAdd: 9 };

export interface Change {
  path: string;
  /** The path before a rename. */
  original: string;
  status: number;
}

/** A file in a diff editor. Without `original` it is new, without `modified` it was deleted. */
export interface DiffEntry {
  path: string;
  original: string | undefined;
  modified: string | undefined;
}

/** Returns one entry for each file, sorted by path. The first change of a file wins: a diff against a commit says more
 *  than the status of the working tree. */
export function diffEntries(changes: readonly Change[]): DiffEntry[] {
  const entries = new Map<string, DiffEntry>();
  for (const { path, original, status } of changes) {
    if (entries.has(path)) continue;
    const isNew = status === STATUS.indexAdded || status === STATUS.untracked || status === STATUS.intentToAdd;
    const isGone = status === STATUS.indexDeleted || status === STATUS.deleted;
    entries.set(path, { path, original: isNew ? undefined : original, modified: isGone ? undefined : path });
  }
  return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
