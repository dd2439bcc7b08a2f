// Checks that the window exists before a message is shown. The extension host outlives a crashed window by some
// minutes.

import * as vscode from 'vscode';

/** How long a window waits before it shows a notice, so that a window with precedence can claim it. The watcher of
 *  another window is at most this late on a busy machine. */
export const TURN_DELAY_MS = { first: 0, second: 1_000, third: 1_500, last: 2_000 };

/** Runs an action when the window answers: never for a crashed window, later for a suspended one. */
export async function whenWindowAnswers(act: () => void): Promise<void> {
  try {
    // The window runs this command of VS Code, which has no visible effect.
    await vscode.commands.executeCommand('setContext', 'symposium.answers', true);
  } catch {
    // The window is closing.
    return;
  }
  act();
}
