// The review of one agent: its files in the diff editor and the threads of its comments.

import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ReviewClient } from '../binary/reviewClient';
import type { AgentDiff, ReviewComment } from '../binary/reviewTypes';
import type { Agent } from '../binary/types';
import { oneLine } from '../rules/agent/sanitize';
import { threadContent } from '../rules/review/commentThreads';
import { type CommentPlace, type ReviewFile, reviewFiles } from '../rules/review/reviewFiles';
import { baseUri } from './baseDocuments';
import { t } from '../l10n';

/** Returns the title of a review. VS Code appends the number of files to the label of the tab. */
export const reviewTitle = (agent: Agent): string => t('Changes of {0}', oneLine(agent.name));

export const isTabOf = (title: string, label: string): boolean => label === title || label.startsWith(`${title} (`);

/** The two versions of a file. A missing one is undefined. */
interface FileUris {
  file: ReviewFile;
  old: vscode.Uri | undefined;
  new: vscode.Uri | undefined;
}

export class ReviewSession implements vscode.Disposable {
  private readonly threads = new Map<number, vscode.CommentThread>();
  private readonly uris: FileUris[];
  readonly title: string;
  /** The number of reads of the comments. An older answer never replaces a newer one. */
  private reads = 0;

  constructor(
    readonly agent: Agent,
    private readonly controller: vscode.CommentController,
    private readonly diff: AgentDiff,
  ) {
    this.title = reviewTitle(agent);
    this.uris = reviewFiles(diff.files).map((file) => ({ file, old: this.uriOf(file.base, 'old'), new: this.uriOf(file.current, 'new') }));
  }

  /** The resources of the diff editor: label, base version, present version. */
  get resources(): [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined][] {
    return this.uris.map(({ file, old, new: now }) => [vscode.Uri.file(join(this.diff.directory, file.path)), old, now]);
  }

  /** What the diff cannot show, as sentences. */
  get remarks(): string {
    return oneLine(this.diff.remarks.join(' '), 300);
  }

  /** Returns the place of lines of a document, or undefined if the review does not contain it. */
  placeOf(uri: vscode.Uri, range: vscode.Range): CommentPlace | undefined {
    for (const side of ['new', 'old'] as const) {
      const found = this.uris.find((each) => each[side]?.toString() === uri.toString());
      if (found !== undefined) return { file: found.file, side, lines: { first: range.start.line + 1, last: range.end.line + 1 } };
    }
    return undefined;
  }

  /** Returns the number of the comment that a thread shows. */
  idOf(thread: vscode.CommentThread): number | undefined {
    return [...this.threads].find(([, each]) => each === thread)?.[0];
  }

  /** Reads the comments of the agent, under its present name, and shows them. */
  async refresh(client: ReviewClient, name: string): Promise<void> {
    const read = ++this.reads;
    const comments = await client.comments(name);
    if (read !== this.reads) return;
    const known = new Set(comments.map(({ id }) => id));
    for (const [id, thread] of this.threads) {
      if (known.has(id)) continue;
      thread.dispose();
      this.threads.delete(id);
    }
    for (const comment of comments) this.show(comment);
  }

  dispose(): void {
    this.reads = Infinity;
    for (const thread of this.threads.values()) thread.dispose();
    this.threads.clear();
  }

  private show(comment: ReviewComment): void {
    const { file, side, lines, label, body, context } = threadContent(comment);
    const uri = this.uriOf(file, side);
    if (uri === undefined) return;
    const range = new vscode.Range(lines.first, 0, lines.last, 0);
    let thread = this.threads.get(comment.id);
    // The URI of a thread cannot be changed.
    if (thread !== undefined && thread.uri.toString() !== uri.toString()) {
      thread.dispose();
      thread = undefined;
    }
    if (thread === undefined) {
      thread = this.controller.createCommentThread(uri, range, []);
      // The comments of the binary have no replies.
      thread.canReply = false;
      thread.collapsibleState = comment.state === 'resolved' ? vscode.CommentThreadCollapsibleState.Collapsed : vscode.CommentThreadCollapsibleState.Expanded;
      this.threads.set(comment.id, thread);
    }
    if (!thread.range.isEqual(range)) thread.range = range;
    if (thread.contextValue === context && thread.label === label) return;
    thread.label = label;
    thread.contextValue = context;
    thread.state = comment.state === 'resolved' ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    // A string is shown as plain text, a MarkdownString would be rendered.
    thread.comments = [{ body, author: { name: t('You') }, mode: vscode.CommentMode.Preview, timestamp: new Date(comment.created_at) }];
  }

  private uriOf(path: string | undefined, side: 'new' | 'old'): vscode.Uri | undefined {
    if (path === undefined) return undefined;
    const { directory: root, base } = this.diff;
    return side === 'new' ? vscode.Uri.file(join(root, path)) : baseUri({ root, commit: base.commit, path });
  }
}
