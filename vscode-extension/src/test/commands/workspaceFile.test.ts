import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workspaceFile } from '../../rules/commands/workspaceFile';

test('a workspace file names its folder after the agent, and keeps the settings of the folder', () => {
  const folders = [{ name: 'checkout', path: 'workspace' }];
  assert.deepEqual(JSON.parse(workspaceFile('checkout', 'workspace', '{"a.b":1}')), { folders, settings: { 'a.b': 1 } });
  for (const text of [undefined, '', '// comment\n{}', '[]']) assert.deepEqual(JSON.parse(workspaceFile('checkout', 'workspace', text)), { folders });
});
