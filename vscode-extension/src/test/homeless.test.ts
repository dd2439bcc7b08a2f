import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeless } from '../rules/homeless';
import { someAgent } from './agents';

test('an agent without a folder is asked about once', () => {
  const agents = [
    someAgent({ name: 'well' }),
    someAgent({ name: 'marked', directory_gone: '2026-01-01T00:00:00Z' }),
    someAgent({ name: 'worktree', project: '/src/web', working_directory: '/home/me/.symposium/instances/worktree/workspace' }),
  ];
  const names = (vanished: string[], asked: string[]) => homeless(agents, vanished, asked).map(({ name }) => name);
  assert.deepEqual(names([], []), ['marked']);
  assert.deepEqual(names(['/src/web'], []), ['marked', 'worktree']);
  assert.deepEqual(names(['/src'], ['marked']), ['well', 'worktree']);
  assert.deepEqual(names(['/src/we'], ['marked']), []);
});
