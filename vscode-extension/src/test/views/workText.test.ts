import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibleLabel, description } from '../../rules/views/labels';
import { tooltip } from '../../rules/views/recapDocument';
import { changedWork, pullRequestLine, shownWork, workLine, workParts, workTrigger } from '../../rules/views/workText';
import type { Work } from '../../binary/workTypes';
import { someAgent } from '../agentFixtures';

const now = Date.parse('2026-01-01T00:05:00Z');
const hostile = '**b** [l](command:quit) $(zap)\u202e';

const someWork = (differs: Partial<Work> = {}): Work => ({
  changed: 0,
  base: { name: 'main', ahead: 0, behind: 0 },
  merged: 'unmerged',
  merge: { state: 'clean' },
  pull_request: null,
  ...differs,
});

const pullRequest = { number: 12, url: 'https://forge.example.org/me/project/pull/12', state: 'open', checks: 'fail' } as const;

const conflicting = someWork({ changed: 3, base: { name: 'main', ahead: 2, behind: 1 }, merge: { state: 'conflicts', paths: ['a', 'b'] }, pull_request: pullRequest });

test('a row shows numbers, the result of a merge and the pull request', () => {
  const agent = someAgent({ workspace: 'worktree', branch: 'symposium/fix' });
  const row = (work: Work) => description(agent, now, { below: 0, muted: false, work });
  assert.equal(row(conflicting), 'idle · 5m · symposium/fix · ±3 ↑2 ↓1 · 2 conflicts · PR #12 checks fail');
  assert.equal(row(someWork()), 'idle · 5m · symposium/fix');
  assert.equal(accessibleLabel(agent, { below: 0, muted: false, work: conflicting }), 'one, idle, 2 conflicts, PR #12 checks fail');
});

test('conflicts of merged or empty work are not shown', () => {
  const merge = { state: 'conflicts' as const, paths: ['a'] };
  assert.deepEqual(workParts(someWork({ merge })), ['1 conflict']);
  assert.deepEqual(workParts(someWork({ merged: 'merged', merge })), ['merged']);
  assert.deepEqual(workParts(someWork({ merged: 'merged', merge, changed: 1 })), ['±1', '1 conflict']);
  assert.deepEqual(workParts(someWork({ merged: 'empty', merge: { state: 'nothing' } })), []);
  assert.deepEqual(workParts(someWork({ merge: { state: 'nothing' } })), ['merged']);
  assert.deepEqual(workParts({ changed: null, base: null, merged: null, merge: null, pull_request: null }), []);
});

test('checks are named while a pull request is open', () => {
  const mark = (differs: object) => workParts(someWork({ pull_request: { ...pullRequest, ...differs } }));
  assert.deepEqual(mark({ checks: null }), ['PR #12']);
  assert.deepEqual(mark({ checks: 'pending' }), ['PR #12 checks pending']);
  assert.deepEqual(mark({ state: 'merged' }), ['PR #12 merged']);
  assert.equal(pullRequestLine(pullRequest), `#12 open, checks fail ${pullRequest.url}`);
});

test('words of a newer binary are shown as they are', () => {
  const newer = { ...pullRequest, state: 'draft', checks: 'queued' } as unknown as Work['pull_request'];
  assert.deepEqual(workParts(someWork({ pull_request: newer })), ['PR #12 draft']);
});

test('the hover names the work in words and as text', () => {
  assert.equal(workLine(conflicting), 'uncommitted files: 3, 2 ahead of and 1 behind main, 2 conflicts: a, b');
  assert.equal(workLine(someWork({ base: null })), '');
  assert.match(workLine(someWork({ merge: { state: 'conflicts', paths: ['a', 'b', 'c', 'd'] } })), /4 conflicts: a, b, c, …$/);
  const work = someWork({ base: { name: hostile, ahead: 1, behind: 0 }, pull_request: { ...pullRequest, url: hostile } });
  const hover = tooltip(someAgent(), { work }, now);
  assert.match(hover, /\*\*Work:\*\*.*\n\*\*Pull request:\*\*/);
  for (const mark of ['**b**', '](', '$(zap)', '\u202e']) assert.ok(!hover.includes(mark), hover);
});

test('only agents with their own worktree show work', () => {
  const works = new Map([['one', conflicting]]);
  assert.equal(shownWork(someAgent({ workspace: 'worktree' }), works), conflicting);
  assert.equal(shownWork(someAgent(), works), undefined);
  assert.equal(shownWork(someAgent({ workspace: 'worktree', directory_gone: '2026-01-01T00:00:00Z' }), works), undefined);
});

test('rows are redrawn only if their work changed', () => {
  const before = new Map([['a', someWork()], ['b', someWork()], ['gone', someWork()]]);
  const after = new Map([['a', someWork()], ['b', conflicting], ['new', someWork()]]);
  assert.deepEqual([...changedWork(before, after)].sort(), ['b', 'gone', 'new']);
});

test('the status of agents in worktrees triggers a request, that of others does not', () => {
  const inPlace = someAgent();
  assert.equal(workTrigger([inPlace]), '');
  const worktree = someAgent({ workspace: 'worktree', status: 'working' });
  assert.notEqual(workTrigger([worktree]), workTrigger([{ ...worktree, status: 'idle' }]));
  assert.equal(workTrigger([worktree, inPlace]), workTrigger([worktree, { ...inPlace, status: 'working' }]));
});
