// The notices whose messages are still open in this window. Pure.

import type { Notice } from './notices';

const key = ({ agent, kind }: Notice): string => `${agent.id} ${kind}`;

export class OpenNotices {
  private readonly open = new Map<string, number>();

  /** Counts notices as open until the message that shows them is closed. */
  until(closed: PromiseLike<unknown>, notices: readonly Notice[]): void {
    const keys = notices.map(key);
    for (const each of keys) this.open.set(each, (this.open.get(each) ?? 0) + 1);
    const end = () => {
      for (const each of keys) this.open.set(each, (this.open.get(each) ?? 1) - 1);
    };
    closed.then(end, end);
  }

  /** Returns whether a message about the same event is open. */
  has(notice: Notice): boolean {
    return (this.open.get(key(notice)) ?? 0) > 0;
  }
}
