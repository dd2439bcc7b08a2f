import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareArguments, unshareText, userNameError } from '../../rules/commands/shareArguments';
import { sharesFrom } from '../../binary/types';

test('the answers become arguments of agent share', () => {
  assert.deepEqual(shareArguments('api', { user: 'guest', may: 'watch', hours: '2h' }), ['agent', 'share', 'api', '--with', 'guest', '--read-only', '--for', '2h', '--yes']);
  assert.deepEqual(shareArguments('api', { user: 'guest', may: 'type', hours: '' }), ['agent', 'share', 'api', '--with', 'guest', '--yes']);
});

test('a user name that looks like an option is rejected', () => {
  for (const user of ['guest', '_www', 'first.last', 'machine$']) assert.equal(userNameError(user), undefined, user);
  for (const user of ['', '--yes', '-x', 'two words', 'a;b', '../x']) assert.notEqual(userNameError(user), undefined, user);
});

test('the end of a share names its users, and an agent without shares is reported', () => {
  assert.equal(unshareText('api', sharesFrom([])), 'api is not shared');
  assert.equal(unshareText('api', sharesFrom([{ with: 'guest', read_only: true, until: null }, { with: 'other', read_only: false, until: null }])), 'api is no longer shared with guest, other');
});
