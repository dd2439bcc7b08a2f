import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markedNext } from '../../rules/views/keepSelection';

test('a mark stays on its row, and goes with it', () => {
  const ids = ['a', 'b'];
  assert.deepEqual(markedNext('first', undefined, ids), 'first');
  assert.deepEqual(markedNext('first', 'b', ids), { id: 'b' });
  assert.deepEqual(markedNext({ id: 'c' }, 'c', ids), 'none');
  assert.deepEqual(markedNext('none', undefined, ids), 'none', 'the next change does not mark the first');
  assert.deepEqual(markedNext('none', 'a', ids), { id: 'a' }, 'somebody has chosen again');
});
