// Which of two answers is the newer one: what the watcher tells, or what was asked for beside it. Pure.

export class Hearing {
  private lines = 0;

  /** The watcher has told something. */
  told(): void {
    this.lines++;
  }

  /** Somebody asks; the answer is news as long as this says so. What the watcher tells meanwhile is as new or newer, while
   *  the answer may be older than it and would stay until the next change. */
  asks(): () => boolean {
    const at = this.lines;
    return () => at === this.lines;
  }
}
