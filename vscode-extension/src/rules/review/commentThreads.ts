// How a review comment is shown in the editor. All texts are plain text. Pure.

import type { LineRange, ReviewComment } from '../../binary/reviewTypes';
import { spellOutInvisible } from '../agent/sanitize';
import { t } from '../../l10n';

/** A comment as the editor shows it. */
export interface ThreadContent {
  /** Relative to the root of the working tree, in the version `side`. */
  file: string;
  side: ReviewComment['side'];
  /** The lines, which begin with 0. */
  lines: LineRange;
  label: string;
  /** The text of the comment, after the former lines if they have changed. */
  body: string;
  /** The word that the menus of a thread match. */
  context: ReviewComment['state'];
}

const states: Partial<Record<string, (id: number) => string>> = {
  draft: (id) => t('Draft {0}', id),
  sent: (id) => t('Sent comment {0}', id),
  resolved: (id) => t('Resolved comment {0}', id),
};

export function threadContent(comment: ReviewComment): ThreadContent {
  const { first, last } = comment.current_lines ?? comment.lines;
  const isOutdated = comment.placement === 'outdated';
  const label = states[comment.state]?.(comment.id) ?? `${comment.state} ${comment.id}`;
  const text = spellOutInvisible(comment.text);
  return {
    file: comment.current_file,
    side: comment.side,
    lines: { first: first - 1, last: last - 1 },
    label: isOutdated ? t('{0}; its lines have changed', label) : label,
    body: isOutdated ? [...comment.snippet.map((line) => `> ${spellOutInvisible(line)}`), text].join('\n') : text,
    context: comment.state,
  };
}
