import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST, fitsDialog, isSeen, seenInRow, seenOf, shownQuestion } from '../rules/question';
import { broken, visible } from '../rules/text';
import type { Agent } from '../types';
import { asking, someAgent } from './agents';

const long = (end: string) => `Bash: rm -rf a/${'x'.repeat(200)}/${end}`;
const whole = (differs: Partial<Agent>, most: number) => seenOf(someAgent(differs), most)?.whole;

const table: [string, Partial<Agent>, number, boolean | undefined][] = [
  ['a short one', asking('Bash: ls'), MOST.row, true],
  ['one that a row cuts', asking(`Bash: ${'x'.repeat(50)}`), MOST.row, false],
  ['the same in a notification', asking(`Bash: ${'x'.repeat(50)}`), MOST.notice, true],
  ['one that the binary cuts in its reason, and that fits all the same', asking(`Bash: ${'x'.repeat(130)}`), MOST.notice, true],
  ['one that is cut everywhere', asking(long('b')), MOST.notice, false],
  ['one with a second line', asking('Edit: a.rs\nnew_string: y'), MOST.notice, false],
  ['one with a mark that turns it round', asking('Bash: rm \u202ea'), MOST.notice, false],
  ['one with a character that is not seen', asking('Bash: rm\u00a0a'), MOST.notice, false],
  ['one with a tag that is not seen', asking('Bash: rm \u{e0041}'), MOST.notice, false],
  ['one with blanks that run together', asking("Bash: rm 'a  b'"), MOST.notice, false],
  ['one that only the screen told of', asking('Proceed?', { extent: 'brief' }), MOST.notice, false],
  ['one of which the binary keeps a part', asking('Bash: ls', { extent: 'cut' }), MOST.notice, false],
  ['none', {}, MOST.notice, undefined],
  ['a question that is no approval', { ...asking('Which?'), waiting_for: 'question' }, MOST.notice, undefined],
];
for (const [name, differs, most, expected] of table) test(`seen whole: ${name}`, () => { assert.equal(whole(differs, most), expected); });

test('two that begin alike are told apart by their id, and a line says when there is more', () => {
  const [a, b] = [someAgent(asking(long('a'))), someAgent(asking(long('b')))];
  assert.equal(a.reason, b.reason);
  assert.notEqual(seenOf(a, MOST.row)?.id, seenOf(b, MOST.row)?.id);
  assert.ok(shownQuestion(a, MOST.row).endsWith('…'));
  assert.equal(shownQuestion(someAgent({ ...asking('Edit: a.rs\nnew: x'), reason: 'Edit: a.rs' }), MOST.row), 'Edit: a.rs …');
  assert.ok(shownQuestion(someAgent({ ...asking(`${'y'.repeat(40)}\nz`), reason: 'y'.repeat(40) }), MOST.row).endsWith('…'));
});

test('a row that has just changed was not read', () => {
  const agent = someAgent({ ...asking('Bash: ls'), status_since: '2026-01-01T00:00:10Z' });
  const at = (second: number) => seenInRow(agent, Date.parse('2026-01-01T00:00:00Z') + second * 1000)?.whole;
  assert.deepEqual([at(10.2), at(11), at(9)], [false, true, false]);
});

test('what would not be seen is spelt out, and lines stay lines', () => {
  assert.equal(visible('rm a\u202eb\nc\u001b[2K\td\u200b\r\u{e0041}\u00a0\u2028\ue000é ü 🎉'), 'rm a<U+202E>b\nc<U+001B>[2K<U+0009>d<U+200B><U+000D><U+E0041><U+00A0><U+2028><U+E000>é ü 🎉');
});

test('a long line is broken where it would run out of sight', () => {
  assert.equal(broken('abcdef\n\n🎉🎉🎉', 2), 'ab\n⤷ cd\n⤷ ef\n\n🎉🎉\n⤷ 🎉');
});

test('what does not fit a dialog is told, and what is no sight is refused', () => {
  assert.deepEqual([fitsDialog('x'.repeat(1200)), fitsDialog('x'.repeat(1201)), fitsDialog('x\n'.repeat(20))], [true, false, false]);
  assert.deepEqual([{ id: 'a', whole: true }, { id: 'a' }, 'Bash: ls', null, undefined].map(isSeen), [true, false, false, false, false]);
});
