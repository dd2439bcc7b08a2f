import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilAnswered, untilDone } from '../../rules/commands/retryPrompt';
import { specLine } from '../../rules/views/labels';
import { mistakeIn } from '../../rules/commands/specMistake';
import { spawnable, specIn, withKind } from '../../rules/commands/spawnable';
import type { Spec } from '../../binary/types';

const spec = (wrong: string[]): Spec => ({ name: 'worse', description: null, kind: null, role: null, found_in: 'built-in', wrong });
const unknown = '/src/my: api/.symposium/agents.toml:3:1: unknown key `nonsense`; allowed: description, kind';

test('a spec with a mistake says so, and not that it is built in', () => {
  assert.equal(specLine(spec([unknown])), `has a mistake: ${unknown}`);
  assert.equal(specLine(spec(['first\nsecond', 'third'])), 'has a mistake: first');
  assert.equal(specLine(spec([])), 'built-in');
});

test('a mistake is told with the place where it is mended', () => {
  assert.deepEqual(mistakeIn(spec([unknown])), { text: unknown, file: { path: '/src/my: api/.symposium/agents.toml', line: 2, column: 0 } });
  assert.deepEqual(mistakeIn(spec(['`worse` extends `none`, which is no spec'])), { text: '`worse` extends `none`, which is no spec' });
  assert.equal(mistakeIn(spec([])), undefined);
});

test('what was typed is there again after a failure', async () => {
  const wanted = { name: '' };
  const before: string[] = [];
  const ask = () => {
    before.push(wanted.name);
    wanted.name ||= 'typed';
    return Promise.resolve();
  };
  let failures = 2;
  const act = () => (failures-- > 0 ? Promise.reject(new Error('no')) : Promise.resolve(wanted.name));
  assert.equal(await untilDone(ask, act, () => Promise.resolve(true)), 'typed');
  assert.deepEqual(before, ['', 'typed', 'typed']);
  assert.equal(await untilDone<string>(ask, () => Promise.reject(new Error('no')), () => Promise.resolve(false)), undefined);
  const never = () => Promise.reject(new Error('a question that is left is no failure'));
  await assert.rejects(untilDone<string>(() => Promise.reject(new Error('left')), act, never), /^Error: left$/);
});

test('what was typed is offered again as typed, and only what the settings say as theirs', () => {
  const first = (name: string, bySetting: string) => spawnable([spec([])], [], { name, bySetting }).slice(0, 1).flatMap((each) => [each.name, each.description]);
  assert.deepEqual(first('nope', ''), ['nope', 'as typed']);
  assert.deepEqual(first('nope', 'mine'), ['nope', 'as typed']);
  assert.deepEqual(first('mine', 'mine'), ['mine', 'from the settings']);
  assert.deepEqual(first('worse', 'worse'), ['worse', 'built-in']);
});

test('what may be spawned is offered once each, the wanted one first', () => {
  const kind = (name: string, installed: boolean) => ({ name, installed });
  const names = spawnable([spec([])], [kind('codex', true), kind('demo', true), kind('worse', true), kind('amp', false)], { name: 'codex', bySetting: '' }).map(({ name }) => name);
  assert.deepEqual(names, ['codex', 'worse', 'demo']);
});

test('a hint that is copied takes no way on away', async () => {
  const pressed = ['Copy Hint', 'Show Details', 'Copy Hint', 'Try Again', 'never shown'];
  const did: string[] = [];
  const beside = new Map(['Copy Hint', 'Show Details'].map((name) => [name, () => void did.push(name)]));
  assert.equal(await untilAnswered(() => Promise.resolve(pressed.shift()), beside), 'Try Again');
  assert.deepEqual([did, pressed], [['Copy Hint', 'Show Details', 'Copy Hint'], ['never shown']]);
  assert.equal(await untilAnswered(() => Promise.resolve(undefined), beside), undefined, 'it was sent away');
});

test('a path that is typed for a spec is one of the folder', () => {
  const typed = (spec: string) => specIn('/src/api', spec, '/home/me');
  assert.deepEqual(['./Weather', '../Weather', 'specs/Weather/', '~/Weather', '/w'].map(typed), ['/src/api/Weather', '/src/Weather', '/src/api/specs/Weather', '/home/me/Weather', '/w']);
  assert.deepEqual(['reviewer', 'claude', 'a.b'].map(typed), ['reviewer', 'claude', 'a.b']);
});

test('the built-in spec says which agent CLI it starts', () => {
  assert.equal(withKind([spec([])], 'claude').map(specLine).join(), 'starts claude · built-in');
  const [written] = withKind([{ ...spec([]), found_in: { project: '/src/agents.toml' } }], 'claude');
  assert.equal(written?.description, null);
  assert.equal(withKind([spec([])], null).map(specLine).join(), 'built-in');
});
