// The environment of programs that the extension starts, which agents inherit. Pure.

/** Variables that VS Code uses for its own processes. With ELECTRON_RUN_AS_NODE, a `code` that an agent starts would
 *  run as plain node. */
const VSCODE_INTERNAL = /^(VSCODE|ELECTRON)_/;

/** The exception: variables that terminals of VS Code have too. `code` finds the window by them, and git the credential
 *  helper. */
const SHARED_WITH_TERMINALS = /^VSCODE_(IPC_HOOK_CLI$|PROXY_URI$|GIT_)/;

/** Variables of the tmux pane or the agent that the editor was started from. Programs started by the extension do not
 *  belong to it: an agent would become its child, and tmux would refuse to nest. */
const OF_PARENT_SESSION = ['TMUX', 'TMUX_PANE', 'SYMPOSIUM_AGENT', 'SYMPOSIUM_AGENT_ID'];

/** Returns the environment without variables that are internal to VS Code or belong to the session that started it. */
export const programEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([key]) => (SHARED_WITH_TERMINALS.test(key) || !VSCODE_INTERNAL.test(key)) && !OF_PARENT_SESSION.includes(key)));

/** Returns the variables to unset in a terminal. VS Code has already removed its internal ones. */
export const terminalEnvironment = (): Record<string, null> => Object.fromEntries(OF_PARENT_SESSION.map((key) => [key, null]));
