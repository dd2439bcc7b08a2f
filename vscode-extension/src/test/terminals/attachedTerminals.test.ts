import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Known, type Showing, givesWay, isOwn, isSeen, onlyWatches, seatOf } from '../../rules/terminals/attachedTerminals';
import type { Client } from '../../binary/types';
import { someAgent } from '../agentFixtures';

const client = (differs: Partial<Client> = {}): Client => ({
  user: 'u', tty: '/dev/pts/1', observer: false, driver: true, guest: false, since: null, from: null, pid: 11, focused: true, ...differs,
});
const one = (...clients: Client[]) => someAgent({ name: 'one', clients });

test('a terminal is of the agent that its process is attached to', () => {
  const shell: Known = { pid: 7, tty: '/dev/pts/1' };
  const opened: Known = { pid: 11, opened: { id: 'one', as: 'driver' } };
  for (const [what, known, agents, wanted] of [
    ['the client itself', { pid: 11 }, [one(client())], 'one driver'],
    ['one that watches', { pid: 11 }, [one(client({ observer: true }))], 'one observer'],
    ['a shell in which somebody attached', shell, [one(client())], 'one driver'],
    ['a shell that has detached', shell, [one()], ''],
    ['a shell while another terminal is attached', shell, [one(client({ tty: '/dev/pts/2', pid: 12 }))], ''],
    ['one that was just opened', opened, [one()], 'one driver'],
    ['one that was opened to drive while another does', opened, [one(client({ observer: true }))], 'one driver'],
    ['one that was restored, of which it is known that it was to drive', { pid: 11, before: { id: 'one', as: 'driver' } }, [one(client({ observer: true }))], 'one driver'],
    ['another process under a number that was remembered', { pid: 11, before: { id: 'one', as: 'driver' } }, [one()], ''],
    ['one that went to another agent by the keys of tmux', opened, [one(), someAgent({ name: 'two', clients: [client()] })], 'two driver'],
    ['a client that tells no process', { pid: 3 }, [one(client({ pid: null }))], ''],
    ['nothing known', {}, [one(client({ pid: null }))], ''],
  ] as const) {
    const seat = seatOf(known, agents);
    assert.equal(seat === undefined ? '' : `${seat.id} ${seat.as}`, wanted, what);
  }
});

test('a terminal only watches when another one drives', () => {
  const known: Known = { pid: 11 };
  const driver = client({ pid: 12, tty: '/dev/pts/2' });
  const watcher = client({ observer: true, driver: false });
  for (const [what, clients, wanted] of [
    ['it drives', [client()], false],
    ['it watches while another drives', [driver, watcher], true],
    ['nobody drives', [watcher], false],
    ['all may type', [client({ driver: false })], false],
    ['it is not attached yet', [driver], undefined],
  ] as const) {
    assert.equal(onlyWatches(known, one(...clients)), wanted, what);
  }
});

test('only what has no shell in it is ours to send away', () => {
  assert.ok(isOwn({ pid: 11 }, [one(client())]));
  assert.ok(isOwn({ opened: { id: 'one', as: 'driver' } }, []));
  assert.ok(!isOwn({ pid: 7, tty: '/dev/pts/1' }, [one(client())]));
  assert.ok(!isOwn({}, [one(client({ pid: null }))]));
});

test('who is to drive takes the place of what was opened here to watch the same agent, and of nothing else', () => {
  const watcher = client({ observer: true, driver: false });
  const agent = one(watcher);
  for (const [what, known, wanted] of [
    ['one that watches', { pid: 11, opened: { id: 'one', as: 'observer' } }, true],
    ['one that was restored', { pid: 11 }, true],
    ['one that is about to watch', { pid: 12, opened: { id: 'one', as: 'observer' } }, true],
    ['one that was to drive while another does', { pid: 11, opened: { id: 'one', as: 'driver' } }, false],
    ['one that watches another agent', { pid: 12, opened: { id: 'two', as: 'observer' } }, false],
    ['a shell in which somebody watches', { pid: 7, tty: '/dev/pts/1' }, false],
  ] as const) {
    assert.equal(givesWay(known, agent, [agent]), wanted, what);
  }
});

test('a terminal is looked at when it has the keyboard or lies in front, and in doubt not', () => {
  const known: Known = { pid: 11 };
  const at = (active: boolean, inFront: boolean): Showing => ({ active, inFront });
  for (const [what, clients, showing, wanted] of [
    ['in the panel, with the keyboard', [client()], at(true, false), true],
    ['the panel is hidden, or one types elsewhere', [client({ focused: false })], at(true, false), false],
    ['another terminal was used last', [client()], at(false, false), false],
    ['a tab in front, beside what one types in', [client({ focused: false })], at(false, true), true],
    ['a tab behind another', [client({ focused: false })], at(true, false), false],
    ['somebody else has the keyboard of theirs', [client({ pid: 12, tty: '/dev/pts/9' })], at(true, true), false],
    ['detached', [], at(true, true), false],
  ] as const) {
    assert.equal(isSeen(known, one(...clients), showing), wanted, what);
  }
});
