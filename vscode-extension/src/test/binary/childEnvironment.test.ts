import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programEnvironment, terminalEnvironment } from '../../rules/binary/childEnvironment';

test('programs inherit variables of the user and no internal variables of VS Code', () => {
  const kept = { PATH: '/bin', NODE_EXEC_PATH: '/usr/bin/node', VSCODE_IPC_HOOK_CLI: '/tmp/a.sock', VSCODE_GIT_IPC_HANDLE: '/tmp/b.sock', VSCODE_PROXY_URI: 'http://x' };
  const own = { ELECTRON_RUN_AS_NODE: '1', VSCODE_ESM_ENTRYPOINT: 'vs/x', VSCODE_NLS_CONFIG: '{}', VSCODE_PID: '7' };
  assert.deepEqual(programEnvironment({ ...own, ...kept }), kept);
});

test('variables of the session that started the editor are not inherited, and the state directory is', () => {
  const kept = { PATH: '/bin', SYMPOSIUM_HOME: '/srv/s', TMUX_TMPDIR: '/run/t' };
  const origin = { TMUX: '/tmp/tmux-0/symposium,1,0', TMUX_PANE: '%1', SYMPOSIUM_AGENT: 'api', SYMPOSIUM_AGENT_ID: 'x' };
  assert.deepEqual(programEnvironment({ ...origin, ...kept }), kept);
  assert.deepEqual(terminalEnvironment(), { TMUX: null, TMUX_PANE: null, SYMPOSIUM_AGENT: null, SYMPOSIUM_AGENT_ID: null });
});
