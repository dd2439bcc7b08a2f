// Waits until a terminal is active. Showing a terminal only requests it. Pure.

/** The part of `vscode.window` that this file needs. */
export interface ActiveTerminalSource<T> {
  readonly activeTerminal: T | undefined;
  onDidChangeActiveTerminal: (listener: () => void) => { dispose: () => void };
}

/** Returns whether a terminal is active, or becomes active in time. */
export function becomesActive<T>(window: ActiveTerminalSource<T>, terminal: T, within: number): Promise<boolean> {
  if (window.activeTerminal === terminal) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (is: boolean) => {
      changing.dispose();
      clearTimeout(timer);
      resolve(is);
    };
    const timer = setTimeout(() => { end(false); }, within);
    const changing = window.onDidChangeActiveTerminal(() => {
      if (window.activeTerminal === terminal) end(true);
    });
  });
}
