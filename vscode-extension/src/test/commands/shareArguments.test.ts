import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareArguments, unshared, userMistake } from '../../rules/commands/shareArguments';
import { sharesFrom } from '../../binary/types';

test('what was answered becomes arguments, and watching alone is the binary told so', () => {
  assert.deepEqual(shareArguments('api', { user: 'guest', may: 'watch', hours: '2h' }), ['agent', 'share', 'api', '--with', 'guest', '--read-only', '--for', '2h', '--yes']);
  assert.deepEqual(shareArguments('api', { user: 'guest', may: 'type', hours: '' }), ['agent', 'share', 'api', '--with', 'guest', '--yes']);
});

test('a user is a login name, never an option', () => {
  for (const user of ['guest', '_www', 'first.last', 'machine$']) assert.equal(userMistake(user), undefined, user);
  for (const user of ['', '--yes', '-x', 'two words', 'a;b', '../x']) assert.notEqual(userMistake(user), undefined, user);
});

test('ending a share says with whom it was, also when it was with nobody', () => {
  assert.equal(unshared('api', sharesFrom([])), 'api was shared with nobody');
  assert.equal(unshared('api', sharesFrom([{ with: 'guest', read_only: true, until: null }, { with: 'other', read_only: false, until: null }])), 'api is no longer shared with guest, other');
});
