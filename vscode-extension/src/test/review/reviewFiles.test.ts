import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangedFile } from '../../binary/reviewTypes';
import { commentArguments, reviewFiles } from '../../rules/review/reviewFiles';

const changed = (path: string, kind: ChangedFile['kind'], old_path: string | null = null): ChangedFile => ({ path, kind, old_path });

test('new, changed, renamed and deleted files are compared with their base version, and submodules are left out', () => {
  const files = reviewFiles([changed('new', 'added'), changed('b', 'modified'), changed('to', 'renamed', 'from'), changed('gone', 'deleted'), changed('sub', 'submodule')]);
  assert.deepEqual(files, [
    { path: 'b', base: 'b', current: 'b' },
    { path: 'gone', base: 'gone', current: undefined },
    { path: 'new', base: undefined, current: 'new' },
    { path: 'to', base: 'from', current: 'to' },
  ]);
});

test('a comment names its lines, and a line of the base of a renamed file by the present path', () => {
  const file = { path: 'to', base: 'from', current: 'to' };
  assert.deepEqual(commentArguments({ file, side: 'new', lines: { first: 3, last: 3 } }), ['--comment', 'to:3', '-']);
  assert.deepEqual(commentArguments({ file, side: 'old', lines: { first: 3, last: 7 } }), ['--comment', 'to:3-7', '-', '--old']);
});
