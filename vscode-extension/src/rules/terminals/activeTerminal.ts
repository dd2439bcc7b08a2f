// Waiting until a terminal is the one that VS Code's commands act on: showing it only asks for that. Pure.

/** Those parts of `vscode.window` that tell. */
export interface Window<T> {
  readonly activeTerminal: T | undefined;
  onDidChangeActiveTerminal: (heard: () => void) => { dispose: () => void };
}

/** Whether a terminal is the active one, or is so within a time. */
export function isActive<T>(window: Window<T>, terminal: T, within: number): Promise<boolean> {
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
