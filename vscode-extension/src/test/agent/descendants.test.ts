import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveBelow } from '../../rules/agent/descendants';
import { someAgent } from '../agentFixtures';

test('all that run below an agent are its live family, also below one that has ended', () => {
  const agents = [
    someAgent({ name: 'top' }),
    someAgent({ name: 'child', parent: 'top' }),
    someAgent({ name: 'ended', parent: 'top', status: 'stopped' }),
    someAgent({ name: 'grandchild', parent: 'ended' }),
    someAgent({ name: 'other' }),
  ];
  const below = (name: string) => liveBelow({ name }, agents).map((each) => each.name);
  assert.deepEqual([below('top'), below('ended'), below('other')], [['child', 'grandchild'], ['grandchild'], []]);
});

test('a circle of parents ends', () => {
  const agents = [someAgent({ name: 'a', parent: 'b' }), someAgent({ name: 'b', parent: 'a' }), someAgent({ name: 'c', parent: 'c' })];
  assert.deepEqual(liveBelow({ name: 'a' }, agents).map(({ name }) => name), ['b']);
  assert.deepEqual(liveBelow({ name: 'c' }, agents), []);
});
