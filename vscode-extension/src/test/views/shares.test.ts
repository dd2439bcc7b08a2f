import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Share } from '../../binary/types';
import { contextValue, description, sharedUsers } from '../../rules/views/labels';
import { activeShares } from '../../rules/views/shares';
import { someAgent } from '../agentFixtures';

const now = Date.parse('2026-01-01T00:05:00Z');
const share = (differs: Partial<Share> = {}): Share => ({ with: 'guest', read_only: true, until: null, ...differs });

test('the row of a shared agent names the users that it is shared with', () => {
  const sharedWith = sharedUsers(someAgent(), [share(), share({ with: 'other' })]);
  assert.equal(description(someAgent(), now, { below: 0, muted: false, sharedWith }), 'shared with guest, other · idle · 5m · main');
  assert.equal(description(someAgent(), now, { below: 0, muted: false, sharedWith: [] }), 'idle · 5m · main');
});

test('an attached guest is named once', () => {
  const client = { user: 'guest', tty: '/dev/pts/1', observer: false, driver: false, guest: true, since: null, from: null, pid: 11, focused: false };
  assert.deepEqual(sharedUsers(someAgent({ clients: [client] }), [share()]), ['guest']);
  assert.deepEqual(sharedUsers(someAgent({ clients: [client] }), []), ['guest']);
});

test('Stop Sharing is offered on the rows of shared agents only', () => {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { menus: Record<string, { command: string; when: string }[]> } };
  const { when } = contributes.menus['view/item/context']?.find(({ command }) => command === 'symposium.unshare') ?? assert.fail();
  const pattern = new RegExp(/viewItem =~ \/(.+)\/$/.exec(when)?.[1] ?? assert.fail(when));
  assert.ok(pattern.test(contextValue(someAgent(), { muted: false, sharedWith: ['guest'] })));
  assert.ok(!pattern.test(contextValue(someAgent(), { muted: false })));
});

test('the row shows the shares of the list that have not expired', () => {
  const shares = [share({ until: '2026-01-01T00:04:00Z' }), share({ with: 'other', until: '2026-01-01T00:06:00Z' }), share({ with: 'third' })];
  assert.deepEqual(activeShares(someAgent({ shares }), now).map((each) => each.with), ['other', 'third']);
  assert.deepEqual(activeShares(someAgent(), now), []);
});
