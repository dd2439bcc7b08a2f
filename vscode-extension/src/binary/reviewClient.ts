// Runs `agent diff` and `agent review`. Does not depend on VS Code.

import { commentArguments, type CommentPlace } from '../rules/review/reviewFiles';
import type { Client } from './client';
import { type AgentDiff, type ReviewComment, type SentComments, commentsFrom, diffFrom, sentFrom } from './reviewTypes';

export class ReviewClient {
  constructor(private readonly client: Client) {}

  /** Returns everything that an agent changed since its base. */
  async diff(name: string): Promise<AgentDiff> {
    return diffFrom(await this.client.json(['agent', 'diff', name]));
  }

  async comments(name: string): Promise<ReviewComment[]> {
    return commentsFrom(await this.client.json(['agent', 'review', name, '--list']));
  }

  /** Stores a comment as a draft. */
  async add(name: string, place: CommentPlace, text: string): Promise<void> {
    await this.client.json(['agent', 'review', name, ...commentArguments(place)], { stdin: text });
  }

  /** Delivers all drafts as one prompt, and returns when the agent has confirmed it. */
  async send(name: string): Promise<SentComments> {
    return sentFrom(await this.client.json(['agent', 'review', name, '--send']));
  }

  async resolve(name: string, id: number): Promise<void> {
    await this.client.json(['agent', 'review', name, '--resolve', String(id)]);
  }

  async remove(name: string, id: number): Promise<void> {
    await this.client.json(['agent', 'review', name, '--remove', String(id)]);
  }
}
