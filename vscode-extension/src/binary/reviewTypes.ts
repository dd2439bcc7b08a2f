// The types of the output of `agent diff --json` and `agent review --json`, and their shapes.

import { type JsonShape, list, number, object, orNull, text, word } from './jsonShapes';

/** One changed file of `agent diff`. */
export interface ChangedFile {
  /** Relative to the root of the working tree. */
  path: string;
  /** The path before a rename or copy. */
  old_path: string | null;
  kind: 'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'type-changed' | 'submodule';
}

/** The output of `agent diff`. Names only the fields that the extension reads. */
export interface AgentDiff {
  /** The root of the working tree. */
  directory: string;
  base: { name: string; commit: string };
  files: ChangedFile[];
  /** What the diff cannot show, as sentences. */
  remarks: string[];
}

export interface LineRange {
  first: number;
  last: number;
}

/** One comment of `agent review --list`. Lines begin with 1. */
export interface ReviewComment {
  id: number;
  file: string;
  /** `old` if the lines are those of the base. */
  side: 'new' | 'old';
  lines: LineRange;
  snippet: string[];
  text: string;
  state: 'draft' | 'sent' | 'resolved';
  created_at: string;
  placement: 'current' | 'moved' | 'outdated' | 'unknown';
  current_file: string;
  current_lines: LineRange | null;
}

/** The output of `agent review --send`. */
export interface SentComments {
  sent: number[];
  /** The evidence that the agent accepted the prompt; null if there were no drafts. */
  confirmed_by: string | null;
}

const lineRange: JsonShape<LineRange> = object<LineRange>({ first: number, last: number });

const diff: JsonShape<AgentDiff> = object<AgentDiff>({
  directory: text,
  base: object<AgentDiff['base']>({ name: text, commit: text }),
  files: list(object<ChangedFile>({ path: text, old_path: orNull(text), kind: word() })),
  remarks: list(text),
});

const comment: JsonShape<ReviewComment> = object<ReviewComment>({
  id: number,
  file: text,
  side: word(),
  lines: lineRange,
  snippet: list(text),
  text,
  state: word(),
  created_at: text,
  placement: word(),
  current_file: text,
  current_lines: orNull(lineRange),
});

export const diffFrom = (value: unknown): AgentDiff => diff(value, 'diff');
export const commentsFrom = (value: unknown): ReviewComment[] => object<{ comments: ReviewComment[] }>({ comments: list(comment) })(value, 'review').comments;
export const sentFrom = (value: unknown): SentComments => object<SentComments>({ sent: list(number), confirmed_by: orNull(text) })(value, 'sent');
