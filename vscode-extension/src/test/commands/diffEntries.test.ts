import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffEntries } from '../../rules/commands/diffEntries';

test('new, changed, renamed and deleted files become diff entries, each file once', () => {
  const change = (path: string, status: number, original = path) => ({ path, original, status });
  const entries = diffEntries([change('/b', 5), change('/a', 1), change('/c', 6), change('/e', 3, '/d'), change('/new', 7), change('/b', 7)]);
  assert.deepEqual(entries, [
    { path: '/a', original: undefined, modified: '/a' },
    { path: '/b', original: '/b', modified: '/b' },
    { path: '/c', original: '/c', modified: undefined },
    { path: '/e', original: '/d', modified: '/e' },
    { path: '/new', original: undefined, modified: '/new' },
  ]);
});
