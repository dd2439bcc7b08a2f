// What a program that is started from here inherits, and an agent with it. Pure.

/** How the processes of VS Code find each other and know what they are: ELECTRON_RUN_AS_NODE would make a `code` that an
 *  agent starts a plain node. */
const OWN = /^(VSCODE|ELECTRON)_/;

/** What a terminal of VS Code has too: how `code` finds the window, and git the one who knows the password. */
const SHARED = /^VSCODE_(IPC_HOOK_CLI$|PROXY_URI$|GIT_)/;

/** The environment without what VS Code means for its own processes. */
export const forPrograms = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([key]) => SHARED.test(key) || !OWN.test(key)));
