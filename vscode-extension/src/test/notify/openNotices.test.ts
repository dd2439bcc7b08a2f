import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Notice } from '../../rules/notify/notices';
import { OpenNotices } from '../../rules/notify/openNotices';
import { someAgent } from '../agentFixtures';

test('a notice is open until its message is closed', async () => {
  const notice = (name: string, kind: Notice['kind']): Notice => ({ kind, agent: someAgent({ name }), mark: '' });
  const open = new OpenNotices();
  let close: () => void = () => undefined;
  open.until(new Promise<void>((resolve) => { close = resolve; }), [notice('one', 'finished')]);
  assert.deepEqual([notice('one', 'finished'), notice('one', 'waiting'), notice('two', 'finished')].map((each) => open.has(each)), [true, false, false]);
  close();
  await Promise.resolve();
  assert.equal(open.has(notice('one', 'finished')), false);
});
