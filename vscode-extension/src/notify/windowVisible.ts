// Whether there is a window to show anything in, and when it is its turn: the extension host outlives a window that crashed
// by some minutes, and has no other way to know.

import * as vscode from 'vscode';

/** How long a window waits for another to tell it first: a watcher on a busy machine is that late at most. */
export const AFTER = { first: 0, second: 1_000, third: 1_500, last: 2_000 };

/** Does this when the window answers: for one that is gone never, for one that sleeps when it wakes up. */
export async function onceSeen(act: () => void): Promise<void> {
  try {
    // Any command of VS Code itself is run by the window, and this one changes nothing that is seen.
    await vscode.commands.executeCommand('setContext', 'symposium.answers', true);
  } catch {
    // It is being closed.
    return;
  }
  act();
}
