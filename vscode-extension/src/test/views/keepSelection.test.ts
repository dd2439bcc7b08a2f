import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSelection } from '../../rules/views/keepSelection';

test('the selection stays on its row and disappears with it', () => {
  const ids = ['a', 'b'];
  assert.deepEqual(nextSelection('first', undefined, ids), 'first');
  assert.deepEqual(nextSelection('first', 'b', ids), { id: 'b' });
  assert.deepEqual(nextSelection({ id: 'c' }, 'c', ids), 'none');
  assert.deepEqual(nextSelection('none', undefined, ids), 'none', 'the next change does not mark the first');
  assert.deepEqual(nextSelection('none', 'a', ids), { id: 'a' }, 'the user has chosen again');
});
