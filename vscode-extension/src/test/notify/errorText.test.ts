import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warningIn } from '../../binary/types';
import { fullError, shortError } from '../../rules/notify/errorText';

const screen = Array.from({ length: 40 }, (_, at) => `line ${at} ${'x'.repeat(200)}`);

test('a short error is shown completely', () => {
  const told = { message: 'no agent named `a`', saw: ['known agents: b'], hints: ['did you mean `b`?'] };
  assert.deepEqual(shortError(told), { text: 'no agent named `a` — known agents: b. did you mean `b`?', isAll: true });
  assert.deepEqual(shortError({ message: 'no', saw: ['', ' '], hints: [] }), { text: 'no', isAll: true });
});

const long: [string, Parameters<typeof shortError>[0]][] = [
  ['a screen', { message: 'it shows no dialog', saw: ['it is idle; the end of its screen:', ...screen], hints: ['look'] }],
  ['a screen in one piece', { message: 'it shows no dialog', saw: [screen.join('\n')], hints: [] }],
  ['a long message', { message: 'm'.repeat(5000), saw: [], hints: [] }],
  ['a long hint', { message: 'm', saw: [], hints: ['h'.repeat(5000)] }],
  ['all of it', { message: 'm'.repeat(5000), saw: screen, hints: ['h'.repeat(5000), 'another'] }],
  ['a second hint', { message: 'm', saw: [], hints: ['h', 'another'] }],
];
for (const [name, told] of long) {
  test(`a failure has room in a notification, and the rest in a document: ${name}`, () => {
    const { text, isAll } = shortError(told);
    assert.ok(text.length <= 600 && !text.includes('\n'), text);
    assert.equal(isAll, false);
    for (const part of [told.message, ...told.saw.flatMap((each) => each.split('\n')), ...told.hints]) assert.ok(fullError(told).includes(part));
  });
}

test('a warning is read from an object and from text, and an error report is not a warning', () => {
  assert.equal(warningIn('{"warning":"entry `half` cannot be read"}'), 'entry `half` cannot be read');
  assert.equal(warningIn('warning: tmux is slow'), 'tmux is slow');
  for (const line of ['{"error":{"code":"x"}}', '{', 'note: x']) assert.equal(warningIn(line), undefined, line);
});
