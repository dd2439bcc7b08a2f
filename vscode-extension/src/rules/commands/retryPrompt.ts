// Asking and doing, until it is done or the person has had enough. Pure.

/** Asks, and does what was answered. When that fails and `again` says so it is asked once more; what asks keeps the answers.
 *  Gives undefined when nobody wants to try again. */
export async function untilDone<T>(ask: () => Promise<void>, act: () => Promise<T>, again: (error: unknown) => Promise<boolean>): Promise<T | undefined> {
  for (;;) {
    await ask();
    try {
      return await act();
    } catch (error) {
      if (!(await again(error))) return undefined;
    }
  }
}

/** Shows something with buttons until it is answered or sent away, and gives the answer. A press on one of `beside` is none, and
 *  yet takes it off the screen: what that button does is done, and it is shown again. */
export async function untilAnswered(show: () => PromiseLike<string | undefined>, beside: ReadonlyMap<string, () => void>): Promise<string | undefined> {
  for (;;) {
    const chosen = await show();
    const act = chosen === undefined ? undefined : beside.get(chosen);
    if (act === undefined) return chosen;
    act();
  }
}
