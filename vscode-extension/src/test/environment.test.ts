import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forPrograms } from '../rules/environment';

test('programs inherit what a person set, and nothing by which VS Code knows its own processes', () => {
  const kept = { PATH: '/bin', NODE_EXEC_PATH: '/usr/bin/node', VSCODE_IPC_HOOK_CLI: '/tmp/a.sock', VSCODE_GIT_IPC_HANDLE: '/tmp/b.sock', VSCODE_PROXY_URI: 'http://x' };
  const own = { ELECTRON_RUN_AS_NODE: '1', VSCODE_ESM_ENTRYPOINT: 'vs/x', VSCODE_NLS_CONFIG: '{}', VSCODE_PID: '7' };
  assert.deepEqual(forPrograms({ ...own, ...kept }), kept);
});
