// Merges simultaneous calls with the same key, such as those of a double click. Pure.

export class SingleFlight {
  private readonly running = new Map<string, Promise<unknown>>();

  /** Runs the action, or waits for the running one, which reports its error itself. */
  async run(key: string, act: () => Promise<unknown>): Promise<void> {
    const first = this.running.get(key);
    if (first !== undefined) {
      await first.catch(() => undefined);
      return;
    }
    const mine = act();
    this.running.set(key, mine);
    try {
      await mine;
    } finally {
      this.running.delete(key);
    }
  }
}
