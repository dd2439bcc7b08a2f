import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SingleFlight } from '../../rules/commands/singleFlight';

test('two simultaneous calls run once and report an error once', async () => {
  const once = new SingleFlight();
  let ran = 0;
  const work = async () => {
    ran++;
    await Promise.resolve();
  };
  await Promise.all([once.run('a', work), once.run('a', work), once.run('b', work)]);
  assert.equal(ran, 2);
  await once.run('a', work);
  assert.equal(ran, 3, 'when it is over it may be asked for again');
  const fail = () => Promise.reject(new Error('no'));
  const ends = await Promise.allSettled([once.run('a', fail), once.run('a', fail)]);
  assert.deepEqual(ends.map(({ status }) => status), ['rejected', 'fulfilled']);
  await assert.rejects(once.run('a', fail), 'also after one that went wrong');
});
