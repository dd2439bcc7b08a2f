// Dialogs that repeat until they succeed or the user gives up. Pure.

/** Asks and acts. After an error, `again` decides whether to ask once more; `ask` keeps the answers. Returns undefined
 *  if the user gives up. */
export async function askUntilDone<T>(ask: () => Promise<void>, act: () => Promise<T>, again: (error: unknown) => Promise<boolean>): Promise<T | undefined> {
  for (;;) {
    await ask();
    try {
      return await act();
    } catch (error) {
      if (!(await again(error))) return undefined;
    }
  }
}

/** Time after which VS Code has closed a message whose button was pressed. It hides an equal message that is shown
 *  earlier: seen with 1.139 on an idle machine. */
const CLOSE_MS = 500;

/** Shows a message until it is answered or closed, and returns the answer. A button in `beside` runs its action and
 *  shows the message again. */
export async function showUntilAnswered(show: () => PromiseLike<string | undefined>, beside: ReadonlyMap<string, () => void>): Promise<string | undefined> {
  for (;;) {
    const chosen = await show();
    const act = chosen === undefined ? undefined : beside.get(chosen);
    if (act === undefined) return chosen;
    act();
    await new Promise((done) => setTimeout(done, CLOSE_MS));
  }
}
