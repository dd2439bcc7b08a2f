import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GONE_FOR_MS, FolderGoneTimer, agentsWithoutFolder, currentOf } from '../../rules/notify/folderGone';
import { someAgent } from '../agentFixtures';

test('an agent without a folder is asked about once', () => {
  const agents = [
    someAgent({ name: 'well' }),
    someAgent({ name: 'marked', directory_gone: '2026-01-01T00:00:00Z' }),
    someAgent({ name: 'worktree', project: '/src/web', working_directory: '/home/me/.symposium/instances/worktree/workspace' }),
  ];
  const names = (vanished: string[], asked: string[]) => agentsWithoutFolder(agents, vanished, asked).map(({ name }) => name);
  assert.deepEqual(names([], []), ['marked']);
  assert.deepEqual(names(['/src/web'], []), ['marked', 'worktree']);
  assert.deepEqual(names(['/src'], ['marked']), ['well', 'worktree']);
  assert.deepEqual(names(['/src/we'], ['marked']), []);
});

test('an agent that is being removed causes no question about its folder', () => {
  const settling = new FolderGoneTimer();
  const [one, two] = [someAgent({ name: 'one' }), someAgent({ name: 'two' })];
  const names = (without: ReturnType<typeof someAgent>[], now: number) => settling.due(without, now).map(({ name }) => name);
  assert.deepEqual(names([one, two], 0), []);
  assert.deepEqual(names([one, two], GONE_FOR_MS - 1), []);
  assert.deepEqual(names([two], GONE_FOR_MS), ['two'], 'the other agent was removed');
  assert.deepEqual(names([one, two], GONE_FOR_MS + 1), ['two'], 'the time starts again');
  assert.deepEqual(names([one], 2 * GONE_FOR_MS + 1), ['one']);
});

test('an accepted offer applies to agents that still exist', () => {
  const [one, two] = [someAgent({ name: 'one' }), someAgent({ name: 'two' })];
  const renamed = { ...two, name: 'new' };
  assert.deepEqual(currentOf([one, two], [renamed, someAgent({ name: 'three' })]), [renamed]);
});
