// What a program that is started from here inherits, and an agent with it. Pure.

/** How the processes of VS Code find each other and know what they are: ELECTRON_RUN_AS_NODE would make a `code` that an
 *  agent starts a plain node. */
const OWN = /^(VSCODE|ELECTRON)_/;

/** What a terminal of VS Code has too: how `code` finds the window, and git the one who knows the password. */
const SHARED = /^VSCODE_(IPC_HOOK_CLI$|PROXY_URI$|GIT_)/;

/** Where the editor was started: within a tmux, perhaps ours, or by an agent. It is no part of either, and neither is what it
 *  starts: an agent would be the child of that one, and a tmux would take itself for nested. */
const ORIGIN = ['TMUX', 'TMUX_PANE', 'SYMPOSIUM_AGENT', 'SYMPOSIUM_AGENT_ID'];

/** The environment without what VS Code means for its own processes, and without where it was started. */
export const forPrograms = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([key]) => (SHARED.test(key) || !OWN.test(key)) && !ORIGIN.includes(key)));

/** The same for a terminal, of which VS Code has its own processes' out already: what it is to unset. */
export const forTerminals = (): Record<string, null> => Object.fromEntries(ORIGIN.map((key) => [key, null]));
