// One thing at a time by a key: a double click is one call. Pure.

export class Once {
  private readonly underWay = new Map<string, Promise<unknown>>();

  /** Does it, unless it is being done: then that one is waited for, which also tells what goes wrong. */
  async run(key: string, act: () => Promise<unknown>): Promise<void> {
    const first = this.underWay.get(key);
    if (first !== undefined) {
      await first.catch(() => undefined);
      return;
    }
    const mine = act();
    this.underWay.set(key, mine);
    try {
      await mine;
    } finally {
      this.underWay.delete(key);
    }
  }
}
