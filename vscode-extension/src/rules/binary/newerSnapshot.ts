// Orders the lists that the watcher pushes and the replies to single requests. Pure.

export class SnapshotOrder {
  private pushes = 0;

  /** Records a list that the watcher pushed. */
  pushed(): void {
    this.pushes++;
  }

  /** Starts a request. The returned function tells whether the reply is still the newest list: a list that was pushed
   *  in the meantime is at least as new, and an older reply would stay until the next change. */
  request(): () => boolean {
    const at = this.pushes;
    return () => at === this.pushes;
  }
}
