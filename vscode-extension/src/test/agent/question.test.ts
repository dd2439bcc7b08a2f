import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUESTION_LENGTH, fitsDialog, isSeen, seenInRow, seenOf, shownQuestion } from '../../rules/agent/question';
import { wrapLines, spellOutInvisible } from '../../rules/agent/sanitize';
import type { Agent } from '../../binary/types';
import { asking, someAgent } from '../agentFixtures';

const long = (end: string) => `Bash: rm -rf a/${'x'.repeat(200)}/${end}`;
const whole = (differs: Partial<Agent>, most: number) => seenOf(someAgent(differs), most)?.whole;

const table: [string, Partial<Agent>, number, boolean | undefined][] = [
  ['a short one', asking('Bash: ls'), QUESTION_LENGTH.tick, true],
  ['a question that a quick pick cuts', asking(`Bash: ${'x'.repeat(90)}`), QUESTION_LENGTH.tick, false],
  ['the same in a notification', asking(`Bash: ${'x'.repeat(90)}`), QUESTION_LENGTH.notice, true],
  ['a question that the binary cuts in the reason, and that still fits', asking(`Bash: ${'x'.repeat(130)}`), QUESTION_LENGTH.notice, true],
  ['a question that is cut everywhere', asking(long('b')), QUESTION_LENGTH.notice, false],
  ['one with a second line', asking('Edit: a.rs\nnew_string: y'), QUESTION_LENGTH.notice, false],
  ['one with a mark that turns it round', asking('Bash: rm \u202ea'), QUESTION_LENGTH.notice, false],
  ['one with a character that is not seen', asking('Bash: rm\u00a0a'), QUESTION_LENGTH.notice, false],
  ['one with a tag that is not seen', asking('Bash: rm \u{e0041}'), QUESTION_LENGTH.notice, false],
  ['one with words that are drawn in another order', asking('Bash: mv \u05d0\u05d1 \u05d3\u05d4'), QUESTION_LENGTH.notice, false],
  ['a question that contains a link', asking('Bash: echo [x](y)'), QUESTION_LENGTH.notice, false],
  ['one with blanks that run together', asking("Bash: rm 'a  b'"), QUESTION_LENGTH.notice, false],
  ['a question that was read from the screen', asking('Proceed?', { extent: 'brief' }), QUESTION_LENGTH.notice, false],
  ['one of which the binary keeps a part', asking('Bash: ls', { extent: 'cut' }), QUESTION_LENGTH.notice, false],
  ['none', {}, QUESTION_LENGTH.notice, undefined],
  ['a question that is no approval', { ...asking('Which?'), waiting_for: 'question' }, QUESTION_LENGTH.notice, undefined],
];
for (const [name, differs, most, expected] of table) test(`seen whole: ${name}`, () => { assert.equal(whole(differs, most), expected); });

test('questions with the same beginning differ by id, and a cut line ends with an ellipsis', () => {
  const [a, b] = [someAgent(asking(long('a'))), someAgent(asking(long('b')))];
  assert.equal(a.reason, b.reason);
  assert.notEqual(seenOf(a, QUESTION_LENGTH.tick)?.id, seenOf(b, QUESTION_LENGTH.tick)?.id);
  assert.ok(shownQuestion(a, QUESTION_LENGTH.tick).endsWith('…'));
  assert.equal(shownQuestion(someAgent({ ...asking('Edit: a.rs\nnew: x'), reason: 'Edit: a.rs' }), QUESTION_LENGTH.tick), 'Edit: a.rs …');
  assert.ok(shownQuestion(someAgent({ ...asking(`${'y'.repeat(40)}\nz`), reason: 'y'.repeat(40) }), 30).endsWith('…'));
});

test('a question in a row never counts as completely shown', () => {
  const seen = ['Bash: ls', '', 'x'].map((text) => seenInRow(someAgent(asking(text))));
  assert.deepEqual(seen, [{ id: 'id of Bash: ls', whole: false }, { id: 'id of ', whole: false }, { id: 'id of x', whole: false }]);
  assert.equal(seenInRow(someAgent()), undefined);
});

test('invisible characters are spelt out and lines are kept', () => {
  assert.equal(spellOutInvisible('rm a\u202eb\nc\u001b[2K\td\u200b\r\u{e0041}\u00a0\u2028\ue000é ü 🎉'), 'rm a<U+202E>b\nc<U+001B>[2K<U+0009>d<U+200B><U+000D><U+E0041><U+00A0><U+2028><U+E000>é ü 🎉');
});

test('right-to-left words keep their order', () => {
  const order = (text: string) => spellOutInvisible(text).replaceAll('\u200e', '|');
  assert.equal(order('mv \u05d0\u05d1/\u05d2 \u0645\u064f\u0646 1'), 'mv |\u05d0\u05d1|/|\u05d2| |\u0645\u064f\u0646| 1');
  assert.equal(order('a \u{1e900}\u{10800} \ufb2a\ufe8d'), 'a |\u{1e900}\u{10800}| |\ufb2a\ufe8d|');
  assert.equal(order('\u200f\u05d0 é 日本 ß'), '<U+200F>|\u05d0| é 日本 ß');
});

test('a long line is wrapped', () => {
  assert.equal(wrapLines('abcdef\n\n🎉🎉🎉', 2), 'ab\n⤷ cd\n⤷ ef\n\n🎉🎉\n⤷ 🎉');
});

test('a text that does not fit a dialog is detected, and other values are not a seen question', () => {
  assert.deepEqual([fitsDialog('x'.repeat(1200)), fitsDialog('x'.repeat(1201)), fitsDialog('x\n'.repeat(20))], [true, false, false]);
  assert.deepEqual([{ id: 'a', whole: true }, { id: 'a' }, 'Bash: ls', null, undefined].map(isSeen), [true, false, false, false, false]);
});
