import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReviewComment, commentsFrom, diffFrom, sentFrom } from '../../binary/reviewTypes';
import { threadContent } from '../../rules/review/commentThreads';

const comment = (differs: Partial<ReviewComment> = {}): ReviewComment => ({
  id: 4,
  file: 'a.rs',
  side: 'new',
  lines: { first: 2, last: 3 },
  snippet: ['one', 'two'],
  text: 'rename `one`\nplease',
  state: 'draft',
  created_at: '2026-01-01T00:00:00Z',
  placement: 'current',
  current_file: 'a.rs',
  current_lines: { first: 2, last: 3 },
  ...differs,
});

test('a comment is shown at the present place of its lines', () => {
  const moved = threadContent(comment({ placement: 'moved', current_file: 'b.rs', current_lines: { first: 9, last: 10 }, state: 'sent' }));
  assert.deepEqual(moved, { file: 'b.rs', side: 'new', lines: { first: 8, last: 9 }, label: 'Sent comment 4', body: 'rename `one`\nplease', context: 'sent' });
});

test('a comment whose lines have changed is shown at the former place with the former lines', () => {
  const { lines, label, body } = threadContent(comment({ placement: 'outdated', current_lines: null }));
  assert.deepEqual([lines, label, body], [{ first: 1, last: 2 }, 'Draft 4; its lines have changed', '> one\n> two\nrename `one`\nplease']);
});

test('invisible characters in former lines are spelled out', () => {
  assert.equal(threadContent(comment({ placement: 'outdated', current_lines: null, snippet: ['a\u202eb'], text: 'x' })).body, '> a<U+202E>b\nx');
});

test('the output of the binary is parsed, and a missing field is rejected', () => {
  const diff = { agent: 'one', directory: '/w', base: { name: 'main', commit: 'c0', source: 'spawn' }, files: [{ path: 'a', old_path: null, kind: 'added', added: 1, removed: 0 }], remarks: [] };
  assert.equal(diffFrom(diff).files[0]?.path, 'a');
  assert.throws(() => diffFrom({ ...diff, base: { name: 'main' } }), /diff\.base\.commit: expected a text/);
  assert.equal(commentsFrom({ agent: 'one', comments: [comment()] })[0]?.id, 4);
  assert.throws(() => commentsFrom({ comments: [{ ...comment(), state: 1 }] }), /state/);
  assert.deepEqual(sentFrom({ agent: 'one', sent: [], confirmed_by: null }).sent, []);
});
