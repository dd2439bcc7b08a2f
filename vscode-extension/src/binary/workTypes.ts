// The work of agents in the output of `agent list --work --json`, and its shape.

import { type JsonShape, list, number, object, optional, orNull, text, word } from './jsonShapes';

/** The pull request of a branch. */
export interface PullRequest {
  number: number;
  url: string;
  state: 'open' | 'closed' | 'merged';
  checks: 'pass' | 'fail' | 'pending' | null;
}

/** The work of one agent. Names only the fields that the extension reads. */
export interface Work {
  /** The number of files with uncommitted changes; null if git could not tell. */
  changed: number | null;
  base: { name: string | null; ahead: number; behind: number } | null;
  /** Whether the commits of a worktree are in its base. */
  merged: 'empty' | 'merged' | 'unmerged' | null;
  /** The result of merging a worktree with its uncommitted files. */
  merge: { state: 'clean' | 'nothing' | 'conflicts' | 'unknown'; paths?: string[] | undefined } | null;
  pull_request: PullRequest | null;
}

/** The work of agents, by id. */
export type WorkById = ReadonlyMap<string, Work>;

const work: JsonShape<Work> = object<Work>({
  changed: orNull(number),
  base: orNull(object({ name: orNull(text), ahead: number, behind: number })),
  merged: orNull(word()),
  merge: orNull(object<NonNullable<Work['merge']>>({ state: word(), paths: optional(list(text)) })),
  pull_request: orNull(object<PullRequest>({ number, url: text, state: word(), checks: orNull(word()) })),
});

export const workFrom = (value: unknown): WorkById =>
  new Map(list(object<{ id: string; work: Work }>({ id: text, work }))(value, 'agents').map((agent) => [agent.id, agent.work]));
