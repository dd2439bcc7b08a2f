import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRestorable, type NoticeKind, type NotifyContext, type NotifyTurn, withTask, combinedText, departures, isShownOnReturn, noticeKey, noticesOnReturn, noticeText, attachableAgents, noticesSince, stillValid, transitions, notifyTurn } from '../../rules/notify/notices';
import type { Agent, Task } from '../../binary/types';
import { asking, someAgent } from '../agentFixtures';

const kinds = (before: Partial<Agent>, after: Partial<Agent>) => transitions([someAgent(before)], [someAgent(after)]).map(({ kind }) => kind);
const tasks = (done: number) => ({ queued: 0, running: 0, done, failed: 0 });
const waiting = asking('Bash: ls');
const atWork = { id: 1, title: 'x', progress: null };
const restarted = { policy: 'on-failure', count: 1, next_at: '2026-01-01T00:00:01Z' };

const failedTurn: Partial<Agent> = { reason: 'API Error: 500', status_since: '2026-01-01T00:00:02Z', failure: { cause: 'error', at: '2026-01-01T00:00:02Z', held_until: '2026-01-01T00:00:32Z' } };

const table: [string, Partial<Agent>, Partial<Agent>, string[]][] = [
  ['nothing happened', {}, {}, []],
  ['it begins to wait', { status: 'working' }, waiting, ['waiting']],
  ['it still waits', waiting, waiting, []],
  ['it asks for the next thing', waiting, asking('Bash: rm'), ['waiting']],
  ['it asks another question with the same beginning', asking(`${'x'.repeat(200)}a`), asking(`${'x'.repeat(200)}b`), ['waiting']],
  ['it crashed', { status: 'working' }, { status: 'crashed', reason: 'it ended with code 3' }, ['crashed']],
  ['it is still crashed', { status: 'crashed' }, { status: 'crashed' }, []],
  ['it will be restarted', { status: 'working' }, { status: 'crashed', restart: restarted }, []],
  ['it is given up', { status: 'crashed', restart: restarted }, { status: 'crashed', reason: 'given up after 5 restarts in 10 min: code 3' }, ['gave-up']],
  ['it stays given up', { status: 'crashed', reason: 'given up after 5' }, { status: 'crashed', reason: 'given up after 5' }, []],
  ['it is lost with its tmux', { status: 'working' }, { status: 'lost', reason: 'its tmux server is gone' }, ['lost']],
  ['it is still lost', { status: 'lost' }, { status: 'lost' }, []],
  ['it is lost and will be restarted', { status: 'working' }, { status: 'lost', restart: restarted }, []],
  ['a task is done', { tasks: tasks(0) }, { tasks: tasks(1) }, ['finished']],
  ['a long turn is over', { status: 'working' }, { status: 'idle', status_since: '2026-01-01T00:01:00Z' }, ['finished']],
  ['a user interrupted a long turn', { status: 'working' }, { status: 'idle', status_since: '2026-01-01T00:01:00Z', reason: 'its turn was interrupted' }, []],
  ['a short turn is over', { status: 'working' }, { status: 'idle', status_since: '2026-01-01T00:00:02Z' }, []],
  ['a task has failed', { tasks: tasks(1) }, { tasks: { ...tasks(1), failed: 1 } }, ['failed']],
  ['a long turn is over, and its task is about to be', { status: 'working', task: atWork }, { status: 'idle', status_since: '2026-01-01T00:01:00Z', task: atWork }, []],
  ['a short turn has failed', { status: 'working' }, failedTurn, ['failed']],
  ['it is still idle after a failed turn', failedTurn, failedTurn, []],
  ['the next turn has failed too', failedTurn, { ...failedTurn, failure: { cause: 'error', at: '2026-01-01T00:00:09Z', held_until: null } }, ['failed']],
  ['a turn has failed, and its task is about to', { status: 'working', task: atWork }, { ...failedTurn, task: atWork }, []],
  ['it hit its limit', { status: 'working' }, { ...failedTurn, status: 'waiting', waiting_for: 'limit' }, ['limited']],
  ['it was stopped', { status: 'working' }, { status: 'stopped' }, []],
];
for (const [name, before, after, expected] of table) test(`transition: ${name}`, () => { assert.deepEqual(kinds(before, after), expected); });

test('a failed turn is announced with its error, also to a user who was away', () => {
  const [now] = transitions([someAgent({ status: 'working' })], [someAgent(failedTurn)]);
  assert.equal(noticeText(now ?? assert.fail()), 'a turn of one failed: API Error: 500');
  assert.deepEqual(noticesSince(Date.parse('2026-01-01T00:00:01Z'), [someAgent(failedTurn)]).map(({ kind }) => kind), ['failed']);
});

test('a new agent causes no notice', () => {
  assert.deepEqual(transitions([], [someAgent(waiting)]), []);
});

const at = (differs: Partial<NotifyContext>): NotifyContext => ({
  about: ['waiting', 'finished'], mode: 'always', focused: true, isHere: () => true, isMuted: () => false, isLookedAt: () => false, ...differs,
});
const elsewhere = { isHere: () => false };
const turns: [string, Partial<NotifyContext>, NotifyTurn][] = [
  ['always', {}, 'first'],
  ['off', { mode: 'off' }, 'settled'],
  ['muted', { isMuted: () => true }, 'never'],
  ['a disabled kind of notice', { about: ['finished', 'crashed'] }, 'never'],
  ['only while away, and here', { mode: 'windowNotFocused' }, 'settled'],
  ['only while away, and away', { mode: 'windowNotFocused', focused: false }, 'second'],
  ['this project, in a window behind another', { focused: false }, 'second'],
  ['its terminal is looked at', { isLookedAt: () => true }, 'settled'],
  ['its terminal is looked at in a window without focus', { isLookedAt: () => true, focused: false }, 'second'],
  ['another project, in the window with the focus', elsewhere, 'third'],
  ['another project, in a window without it', { ...elsewhere, focused: false }, 'last'],
  ['another project, its terminal is looked at', { ...elsewhere, isLookedAt: () => true }, 'settled'],
  ['another project, off', { ...elsewhere, mode: 'off' }, 'never'],
  ['another project, only while away, and here', { ...elsewhere, mode: 'windowNotFocused' }, 'never'],
  ['another project, only while away, and away', { ...elsewhere, mode: 'windowNotFocused', focused: false }, 'last'],
];
for (const [name, situation, expected] of turns) {
  test(`turn: ${name}`, () => { assert.equal(notifyTurn({ kind: 'waiting', agent: someAgent(waiting) }, at(situation)), expected); });
}

test('two windows give the same event the same key, and other events other keys', () => {
  const key = (was: Partial<Agent>, is: Partial<Agent>) => transitions([someAgent(was)], [someAgent(is)]).map(noticeKey)[0];
  assert.equal(key({ status: 'working' }, waiting), key({ status: 'idle' }, waiting));
  assert.notEqual(key({ status: 'working' }, waiting), key({ status: 'working' }, asking('Bash: rm')));
  const turn = (until: string) => key({ status: 'working', status_since: '2025-12-31T00:00:00Z' }, { status_since: until });
  assert.notEqual(turn('2026-01-01T00:01:00Z'), turn('2026-01-01T00:02:00Z'));
});

const task = (differs: Partial<Task> = {}): Task => ({
  id: 1, agent: 'one', pool: null, text: 'count', priority: 'normal', state: 'done', created_at: '2026-01-01T00:00:00Z',
  changed_at: '2026-01-01T00:05:00Z', after: [], blocked: 0, progress: null, why: 'its turn is over', result: 'one two three', ...differs,
});
const failed = task({ state: 'failed', why: 'no disk left', result: 'of an earlier attempt' });
const working: Partial<Agent> = { status: 'working', tasks: tasks(0), task: atWork };
const endAs = (was: Partial<Agent>, is: Partial<Agent>, over: Task[]) => transitions([someAgent(was)], [someAgent(is)]).map((notices) => withTask(notices, over));
const overAt = '2026-01-01T00:05:03Z';

test('the end of a task and the end of its turn are one event', () => {
  const keys = (was: Partial<Agent>, is: Partial<Agent>) => endAs(was, is, [task()]).map(noticeKey);
  const first = keys(working, { status: 'working', tasks: tasks(1) });
  assert.equal(first.length, 1);
  assert.deepEqual(keys({ status: 'working', tasks: tasks(1) }, { tasks: tasks(1), status_since: overAt }), first, 'its turn is over later');
  assert.deepEqual(keys(working, { tasks: tasks(1), status_since: overAt }), first, 'both at once');
});

test('a turn without a task is reported as a turn, even after an earlier task', () => {
  const [notices] = endAs({ status: 'working', tasks: tasks(1), status_since: '2026-01-01T00:06:00Z' }, { tasks: tasks(1), status_since: '2026-01-01T00:09:00Z', reason: 'all well' }, [task()]);
  assert.ok(notices !== undefined);
  assert.equal(noticeText(notices), 'one finished: all well');
});

test('a retried task is reported again', () => {
  const once = endAs(working, { tasks: { ...tasks(0), failed: 1 } }, [failed]);
  const again = endAs(working, { tasks: { ...tasks(0), failed: 1 } }, [{ ...failed, changed_at: '2026-01-01T00:07:00Z' }]);
  assert.notDeepEqual(once.map(noticeKey), again.map(noticeKey));
});

test('the notice of a task contains its result', () => {
  const shownTexts = (over: Task[]) => endAs(working, { tasks: tasks(1), reason: 'something older' }, over).map((notices) => [notices.kind, noticeText(notices)]);
  assert.deepEqual(shownTexts([task()]), [['finished', 'one finished task #1 count: one two three']]);
  assert.deepEqual(shownTexts([failed]), [['failed', 'one failed task #1 count: no disk left']]);
  assert.deepEqual(shownTexts([task({ id: 2, changed_at: '2026-01-01T00:01:00Z' }), failed]), [['failed', 'one failed task #1 count: no disk left']], 'the last one');
});

test('a returning user is valid about other projects since the last use of any window', () => {
  const notices = [someAgent({ name: 'ours', ...waiting }), someAgent({ name: 'other', ...waiting })].map((agent) => ({ kind: 'waiting' as const, agent, mark: '' }));
  const isOurs = ({ name }: Agent) => name === 'ours';
  const names = (anywhere: string) => noticesOnReturn(notices, Date.parse(anywhere), isOurs).map(({ agent }) => agent.name);
  assert.deepEqual(names('2025-12-31T23:00:00Z'), ['ours', 'other']);
  assert.deepEqual(names('2026-01-01T00:00:01Z'), ['ours']);
});

test('a reason with a link in it is shown as text', () => {
  const agent = someAgent({ ...waiting, reason: 'see [this](command:workbench.action.quit) now', question: { id: 'q', text: 'see [this](command:workbench.action.quit)\nnow', extent: 'whole' } });
  const text = noticeText({ kind: 'waiting', agent, mark: '' });
  assert.equal(text, 'one waits for you: see [this] (command:workbench.action.quit) now …');
});

test('several notices are combined, and long lists of names are cut', () => {
  const notices = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ kind: 'waiting' as const, agent: someAgent({ name }), mark: '' }));
  assert.equal(combinedText([...notices, { kind: 'crashed', agent: someAgent({ name: 'x' }), mark: '' }]), 'waiting for you: a, b, c and 2 more · crashed: x');
});

const still = (kind: NoticeKind, was: Partial<Agent>, is: Partial<Agent>) => stillValid([{ kind, agent: someAgent(was), mark: '' }], [someAgent(is)]).map((notice) => notice.kind);
const crashed: Partial<Agent> = { status: 'crashed' };
const stays: [string, NoticeKind, Partial<Agent>, Partial<Agent>, boolean][] = [
  ['it waits', 'waiting', waiting, waiting, true],
  ['it was answered', 'waiting', waiting, { status: 'working' }, false],
  ['it crashed', 'crashed', crashed, crashed, true],
  ['it was resumed', 'crashed', crashed, { status: 'idle' }, false],
  ['it is about to be restarted', 'crashed', crashed, { ...crashed, restart: restarted }, false],
  ['it is lost and about to be restarted', 'lost', { status: 'lost' }, { status: 'lost', restart: restarted }, false],
  ['it was given up after it crashed', 'crashed', crashed, { status: 'crashed', reason: 'given up after 5' }, false],
  ['it has finished and does the next thing', 'finished', {}, { status: 'working' }, true],
];
for (const [name, kind, was, is, expected] of stays) test(`still so: ${name}`, () => { assert.deepEqual(still(kind, was, is), expected ? [kind] : []); });

test('the notice of a waiting agent contains its present question', () => {
  const first = { kind: 'waiting' as const, agent: someAgent(waiting), mark: 'first' };
  const now = someAgent(asking('Bash: rm'));
  assert.deepEqual(stillValid([first, first], [now]), [{ kind: 'waiting', agent: now, mark: 'id of Bash: rm' }]);
  assert.deepEqual(stillValid([first], []), [], 'a removed agent has no notice');
});

const brief: Partial<Agent> = { ...working, ephemeral: true };

test('the result of a task is reported although its agent was removed with it', () => {
  const seen = endAs(brief, { ephemeral: true, tasks: tasks(1) }, [task()]);
  assert.deepEqual(stillValid(seen, []), seen);
  assert.deepEqual(stillValid(endAs(working, { tasks: { ...tasks(0), failed: 1 } }, [failed]), []).map(({ kind }) => kind), ['failed']);
  const turn = endAs({ status: 'working' }, { status_since: overAt }, []);
  assert.equal(turn.length, 1);
  assert.deepEqual(stillValid(turn, []), [], 'the end of a turn is not');
});

test('an ephemeral agent that disappears is reported by the result of its task, once for two windows', () => {
  const gone = departures([someAgent(brief)], []);
  const valid = (over: Task[]) => stillValid(gone.map((notices) => withTask(notices, over)), []);
  assert.deepEqual(valid([failed]).map(noticeText), ['one failed task #1 count: no disk left']);
  assert.deepEqual(valid([task()]).map(noticeKey), endAs(brief, { ephemeral: true, tasks: tasks(1) }, [task()]).map(noticeKey));
  assert.deepEqual(valid([]), [], 'an agent that was removed during its task');
  assert.deepEqual(stillValid(gone, [someAgent(brief)]), [], 'an agent that exists again');
});

test('only ephemeral agents that disappear are looked up by their task', () => {
  const left = (was: Partial<Agent>, after: Agent[] = []) => departures([someAgent(was)], after).length;
  assert.deepEqual([left(brief), left(brief, [someAgent(brief)]), left({ ...brief, ephemeral: false }), left({ ...brief, task: null })], [1, 0, 0, 0]);
});

test('a notice offers no buttons for an agent that is removed with its task', () => {
  const offered = (is: Partial<Agent>, now: Agent[]) => attachableAgents(endAs({ ...working, ...is }, { ...is, tasks: { ...tasks(1), ...is.tasks } }, [task()]), now).length;
  assert.equal(offered({}, [someAgent()]), 1);
  assert.equal(offered({}, []), 0);
  assert.equal(offered({ ephemeral: true }, [someAgent()]), 0);
  const crash = transitions([someAgent({ ephemeral: true })], [someAgent({ ephemeral: true, status: 'crashed' })]);
  assert.equal(attachableAgents(crash, [someAgent()]).length, 1, 'no task of it is over');
});

const then = Date.parse('2026-01-01T12:00:00Z');
const later = '2026-01-01T12:00:01Z';
const happened: [string, Partial<Agent>, NoticeKind[]][] = [
  ['nothing', {}, []],
  ['it has finished', { status_since: later, reason: 'all done' }, ['finished']],
  ['it was only started again', { status_since: later }, []],
  ['it waits', { ...waiting, status_since: later }, ['waiting']],
  ['it waited before', waiting, []],
  ['it was given up', { status: 'crashed', reason: 'given up after 5', status_since: later }, ['gave-up']],
  ['it works', { status: 'working', status_since: later }, []],
  ['it crashed, and comes back by itself', { status: 'crashed', restart: restarted, status_since: later }, []],
  ['it is new', { ...waiting, created_at: later, status_since: later }, []],
];
for (const [name, is, expected] of happened) test(`while the window was closed: ${name}`, () => { assert.deepEqual(noticesSince(then, [someAgent(is)]).map(({ kind }) => kind), expected); });

test('a user gets a summary only after a longer absence', () => {
  const notices = [{ kind: 'finished' as const, agent: someAgent(), mark: '' }];
  const minutes = (count: number) => count * 60_000;
  assert.equal(isShownOnReturn(minutes(5), notices, 'windowNotFocused'), true);
  assert.equal(isShownOnReturn(minutes(4), notices, 'always'), false);
  assert.equal(isShownOnReturn(minutes(60), [], 'always'), false);
  assert.equal(isShownOnReturn(minutes(60), notices, 'off'), false);
});

test('lost agents are reported as lost, with an offer to restore them', () => {
  const notices = transitions([someAgent({ name: 'a' }), someAgent({ name: 'b' })], [someAgent({ name: 'a', status: 'lost', reason: 'r' }), someAgent({ name: 'b', status: 'lost' })]);
  assert.equal(combinedText(notices), 'lost: a, b');
  assert.equal(noticeText(notices[0] ?? assert.fail()), 'a is lost: r');
  assert.deepEqual([isRestorable(notices), isRestorable(transitions([someAgent()], [someAgent({ status: 'crashed' })]))], [true, false]);
});
