import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveDescendants } from '../../rules/agent/descendants';
import { someAgent } from '../agentFixtures';

test('running descendants include those below an ended agent', () => {
  const agents = [
    someAgent({ name: 'top' }),
    someAgent({ name: 'child', parent: 'top' }),
    someAgent({ name: 'ended', parent: 'top', status: 'stopped' }),
    someAgent({ name: 'grandchild', parent: 'ended' }),
    someAgent({ name: 'other' }),
  ];
  const below = (name: string) => liveDescendants({ name }, agents).map((each) => each.name);
  assert.deepEqual([below('top'), below('ended'), below('other')], [['child', 'grandchild'], ['grandchild'], []]);
});

test('a cycle of parents terminates', () => {
  const agents = [someAgent({ name: 'a', parent: 'b' }), someAgent({ name: 'b', parent: 'a' }), someAgent({ name: 'c', parent: 'c' })];
  assert.deepEqual(liveDescendants({ name: 'a' }, agents).map(({ name }) => name), ['b']);
  assert.deepEqual(liveDescendants({ name: 'c' }, agents), []);
});
