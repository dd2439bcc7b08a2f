import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DoubleClickDetector } from '../../rules/views/doubleClick';
import { FILTERS, applyFilter } from '../../rules/views/agentFilter';
import { nextWaiting } from '../../rules/views/nextWaiting';
import type { Agent } from '../../binary/types';
import { asking, someAgent } from '../agentFixtures';

const waiting = (name: string, minute: number): Agent => someAgent({ ...asking('Bash: ls'), name, status_since: `2026-01-01T00:0${minute}:00Z` });

test('a filter shows the matching agents only', () => {
  const agents = [waiting('waits', 1), someAgent({ name: 'crashed', status: 'crashed' }), someAgent({ name: 'idle' }), someAgent({ name: 'away', project: '/src/z', working_directory: '/src/z', status: 'stopped' })];
  const names = FILTERS.map((filter) => applyFilter(agents, filter, ['/src/api']).map(({ name }) => name));
  assert.deepEqual(names, [['waits', 'crashed', 'idle', 'away'], ['waits', 'crashed'], ['waits', 'idle'], ['waits', 'crashed', 'idle']]);
});

test('waiting agents are visited in turn, longest waiting first', () => {
  const agents = [waiting('late', 2), waiting('early', 1), someAgent({ name: 'idle' })];
  const visit = (last: string | undefined) => nextWaiting(agents, last)?.name;
  assert.deepEqual([visit(undefined), visit('early'), visit('late'), visit('idle')], ['early', 'late', 'early', 'early']);
  assert.equal(nextWaiting([someAgent()], undefined), undefined);
});

test('a click before a key and the selection by the key are no double click', () => {
  const clicks = new DoubleClickDetector();
  const first = clicks.isDouble('a', 0);
  clicks.forget();
  assert.deepEqual([first, clicks.isDouble('a', 50)], [false, false]);
});

test('two clicks on the same row within a moment are a double click, and three are one', () => {
  const clicks = new DoubleClickDetector();
  assert.deepEqual([clicks.isDouble('a', 0), clicks.isDouble('b', 100), clicks.isDouble('b', 300), clicks.isDouble('b', 500), clicks.isDouble('b', 2_000)], [false, false, true, false, false]);
});
