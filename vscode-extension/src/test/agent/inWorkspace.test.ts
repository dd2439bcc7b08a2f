import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHere } from '../../rules/agent/inWorkspace';

test('an agent belongs to the window of its project, of its worktree, and of a folder around or within them', () => {
  const agent = { project: '/home/me/shop', working_directory: '/home/me/.symposium/shop/workspace' };
  for (const folder of ['/home/me/shop', '/home/me', '/home/me/shop/web', '/home/me/.symposium/shop/workspace']) assert.ok(isHere(agent, ['/srv', folder]), folder);
  for (const folder of ['/home/me/shop-two', '/home/you', '/home/me/.symposium/shop-two/workspace']) assert.ok(!isHere(agent, [folder]), folder);
  assert.ok(!isHere(agent, []), 'a window without a folder');
});

test('an agent without a project belongs to the window of its folder', () => {
  assert.ok(isHere({ project: null, working_directory: '/srv/far' }, ['/srv']));
  assert.ok(!isHere({ project: null, working_directory: '/srv/far' }, ['/home/me/shop']));
});
