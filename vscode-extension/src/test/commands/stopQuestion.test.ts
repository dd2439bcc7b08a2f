import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopQuestion } from '../../rules/commands/stopQuestion';
import { someAgent } from '../agentFixtures';

test('stopping an agent in a turn needs a question', () => {
  for (const status of ['starting', 'working', 'waiting'] as const) assert.deepEqual(stopQuestion(someAgent({ status }), [])?.buttons, [{ title: 'Stop', options: [] }], status);
  assert.match(stopQuestion(someAgent({ name: 'ui', status: 'working' }), [])?.message ?? '', /^ui is working\. Stop it\?$/);
  assert.equal(stopQuestion(someAgent({ status: 'idle' }), []), undefined);
});

test('Enter stops the named agent only, and the other button its children too', () => {
  const question = stopQuestion(someAgent({ name: 'lead' }), [someAgent({ name: 'mate' }), someAgent({ name: 'junior' })]);
  assert.ok(question !== undefined);
  assert.equal(question.message, 'lead has running children: mate, junior');
  assert.deepEqual(question.buttons, [{ title: 'Only lead', options: [] }, { title: 'Stop All', options: ['--with-children'] }]);
});
