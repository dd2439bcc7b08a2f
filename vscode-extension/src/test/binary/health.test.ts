import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Health, choices, problemMessage, noAgentMessage } from '../../rules/binary/health';

const healths: Health[] = ['starting', 'ready', 'missing-binary', 'missing-tmux', 'wrong-binary', 'too-old', 'unusable', 'failing'];

test('messages and welcome views offer the same commands', () => {
  const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { viewsWelcome: { view: string; contents: string; when: string }[] } };
  for (const { contents, when } of contributes.viewsWelcome.filter(({ view }) => view === 'symposium.agents')) {
    const health = when.split(' == ')[1] as Health;
    const offered = [...(texts[contents.slice(1, -1)] ?? '').matchAll(/\[(.+?)\]\(command:(.+?)\)/g)].map(([, title, command]) => ({ title, command }));
    assert.ok(offered.length > 0, when);
    assert.deepEqual(choices(health), offered, when);
  }
});

test('every problem is shown with a button that helps', () => {
  const told = healths.map((health) => problemMessage(health, 'it said\nthis'));
  assert.deepEqual(told.map((each) => each !== undefined && each.choices.length > 0), [false, false, true, true, true, true, true, true]);
  assert.deepEqual(told.map((each) => each?.text), [
    undefined,
    undefined,
    'Symposium: the program symposium was not found',
    'Symposium: tmux is not installed',
    'Symposium: the program in the setting symposium.path is not symposium; it calls itself it said this',
    'Symposium: it said this is too old: this extension needs symposium 0.1.0 or newer',
    'Symposium: it said this',
    'Symposium: it said this',
  ]);
});

test('an empty choice is a message with a button', () => {
  assert.deepEqual([noAgentMessage(0, 'No agent is running.').text, noAgentMessage(3, 'No agent is running.').text], ['There are no agents yet.', 'No agent is running.']);
  for (const told of [noAgentMessage(0), noAgentMessage(3)]) assert.ok(told.choices.some(({ title, command }) => title === 'Spawn Agent' && command === 'symposium.spawn'), told.text);
});
