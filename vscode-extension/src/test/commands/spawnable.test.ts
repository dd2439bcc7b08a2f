import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showUntilAnswered, askUntilDone } from '../../rules/commands/retryPrompt';
import { specLine } from '../../rules/views/labels';
import { specMistake } from '../../rules/commands/specMistake';
import { spawnable, resolveSpec, withKind } from '../../rules/commands/spawnable';
import type { Spec } from '../../binary/types';

const spec = (wrong: string[]): Spec => ({ name: 'worse', description: null, kind: null, role: null, found_in: 'built-in', wrong });
const unknown = '/src/my: api/.symposium/agents.toml:3:1: unknown key `nonsense`; allowed: description, kind';

test('a spec with a mistake is described by its mistake', () => {
  assert.equal(specLine(spec([unknown])), `has a mistake: ${unknown}`);
  assert.equal(specLine(spec(['first\nsecond', 'third'])), 'has a mistake: first');
  assert.equal(specLine(spec([])), 'built-in');
});

test('a mistake has the position in its file', () => {
  assert.deepEqual(specMistake(spec([unknown])), { text: unknown, file: { path: '/src/my: api/.symposium/agents.toml', line: 2, column: 0 } });
  assert.deepEqual(specMistake(spec(['`worse` extends `none`, which is no spec'])), { text: '`worse` extends `none`, which is no spec' });
  assert.equal(specMistake(spec([])), undefined);
});

test('the answers are kept after a failure', async () => {
  const wanted = { name: '' };
  const before: string[] = [];
  const ask = () => {
    before.push(wanted.name);
    wanted.name ||= 'typed';
    return Promise.resolve();
  };
  let failures = 2;
  const act = () => (failures-- > 0 ? Promise.reject(new Error('no')) : Promise.resolve(wanted.name));
  assert.equal(await askUntilDone(ask, act, () => Promise.resolve(true)), 'typed');
  assert.deepEqual(before, ['', 'typed', 'typed']);
  assert.equal(await askUntilDone<string>(ask, () => Promise.reject(new Error('no')), () => Promise.resolve(false)), undefined);
  const never = () => Promise.reject(new Error('a question that is left is no failure'));
  await assert.rejects(askUntilDone<string>(() => Promise.reject(new Error('left')), act, never), /^Error: left$/);
});

test('a typed spec is offered again, and a spec of the settings is marked as such', () => {
  const first = (name: string, bySetting: string) => spawnable([spec([])], [], { name, bySetting }).slice(0, 1).flatMap((each) => [each.name, each.description]);
  assert.deepEqual(first('nope', ''), ['nope', 'as typed']);
  assert.deepEqual(first('nope', 'mine'), ['nope', 'as typed']);
  assert.deepEqual(first('mine', 'mine'), ['mine', 'from the settings']);
  assert.deepEqual(first('worse', 'worse'), ['worse', 'built-in']);
});

test('specs and kinds are offered once each, the wanted one first', () => {
  const kind = (name: string, installed: boolean) => ({ name, installed });
  const names = spawnable([spec([])], [kind('codex', true), kind('demo', true), kind('worse', true), kind('amp', false)], { name: 'codex', bySetting: '' }).map(({ name }) => name);
  assert.deepEqual(names, ['codex', 'worse', 'demo']);
});

test('copying the hint keeps the message open', async () => {
  const pressed = ['Copy Hint', 'Show Details', 'Copy Hint', 'Try Again', 'never shown'];
  const did: string[] = [];
  const beside = new Map(['Copy Hint', 'Show Details'].map((name) => [name, () => void did.push(name)]));
  assert.equal(await showUntilAnswered(() => Promise.resolve(pressed.shift()), beside), 'Try Again');
  assert.deepEqual([did, pressed], [['Copy Hint', 'Show Details', 'Copy Hint'], ['never shown']]);
  assert.equal(await showUntilAnswered(() => Promise.resolve(undefined), beside), undefined, 'it was sent away');
});

test('a typed path belongs to the folder', () => {
  const typed = (spec: string) => resolveSpec('/src/api', spec, '/home/me');
  assert.deepEqual(['./Weather', '../Weather', 'specs/Weather/', '~/Weather', '/w'].map(typed), ['/src/api/Weather', '/src/Weather', '/src/api/specs/Weather', '/home/me/Weather', '/w']);
  assert.deepEqual(['reviewer', 'claude', 'a.b'].map(typed), ['reviewer', 'claude', 'a.b']);
});

test('the built-in spec names the agent CLI that it starts', () => {
  assert.equal(withKind([spec([])], 'claude').map(specLine).join(), 'starts claude · built-in');
  const [written] = withKind([{ ...spec([]), found_in: { project: '/src/agents.toml' } }], 'claude');
  assert.equal(written?.description, null);
  assert.equal(withKind([spec([])], null).map(specLine).join(), 'built-in');
});
