import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TerminalFacts, type TerminalVisibility, isReplaceable, isAttachTerminal, isLookedAt, isWatchingOnly, attachmentOf } from '../../rules/terminals/attachedTerminals';
import type { AttachedClient } from '../../binary/types';
import { someAgent } from '../agentFixtures';

const client = (differs: Partial<AttachedClient> = {}): AttachedClient => ({
  user: 'u', tty: '/dev/pts/1', observer: false, driver: true, guest: false, since: null, from: null, pid: 11, focused: true, ...differs,
});
const one = (...clients: AttachedClient[]) => someAgent({ name: 'one', clients });

test('a terminal belongs to the agent that its process is attached to', () => {
  const shell: TerminalFacts = { pid: 7, tty: '/dev/pts/1' };
  const opened: TerminalFacts = { pid: 11, opened: { id: 'one', as: 'driver' } };
  for (const [what, known, agents, wanted] of [
    ['the client itself', { pid: 11 }, [one(client())], 'one driver'],
    ['an observing terminal', { pid: 11 }, [one(client({ observer: true }))], 'one observer'],
    ['an attached shell', shell, [one(client())], 'one driver'],
    ['a shell that has detached', shell, [one()], ''],
    ['a shell while another terminal is attached', shell, [one(client({ tty: '/dev/pts/2', pid: 12 }))], ''],
    ['a terminal that was just opened', opened, [one()], 'one driver'],
    ['a terminal opened as driver while another one drives', opened, [one(client({ observer: true }))], 'one driver'],
    ['a restored terminal that was opened as driver', { pid: 11, before: { id: 'one', as: 'driver' } }, [one(client({ observer: true }))], 'one driver'],
    ['another process under a number that was remembered', { pid: 11, before: { id: 'one', as: 'driver' } }, [one()], ''],
    ['a terminal that switched to another agent by the keys of tmux', opened, [one(), someAgent({ name: 'two', clients: [client()] })], 'two driver'],
    ['a client that tells no process', { pid: 3 }, [one(client({ pid: null }))], ''],
    ['nothing known', {}, [one(client({ pid: null }))], ''],
  ] as const) {
    const seat = attachmentOf(known, agents);
    assert.equal(seat === undefined ? '' : `${seat.id} ${seat.as}`, wanted, what);
  }
});

test('a terminal only watches when another one drives', () => {
  const known: TerminalFacts = { pid: 11 };
  const driver = client({ pid: 12, tty: '/dev/pts/2' });
  const watcher = client({ observer: true, driver: false });
  for (const [what, clients, wanted] of [
    ['it drives', [client()], false],
    ['it watches while another drives', [driver, watcher], true],
    ['no client drives', [watcher], false],
    ['all may type', [client({ driver: false })], false],
    ['it is not attached yet', [driver], undefined],
  ] as const) {
    assert.equal(isWatchingOnly(known, one(...clients)), wanted, what);
  }
});

test('only terminals without a shell may be closed', () => {
  assert.ok(isAttachTerminal({ pid: 11 }, [one(client())]));
  assert.ok(isAttachTerminal({ opened: { id: 'one', as: 'driver' } }, []));
  assert.ok(!isAttachTerminal({ pid: 7, tty: '/dev/pts/1' }, [one(client())]));
  assert.ok(!isAttachTerminal({}, [one(client({ pid: null }))]));
});

test('a driving terminal replaces only an observing terminal on the same agent', () => {
  const watcher = client({ observer: true, driver: false });
  const agent = one(watcher);
  for (const [what, known, wanted] of [
    ['an observing terminal', { pid: 11, opened: { id: 'one', as: 'observer' } }, true],
    ['a restored terminal', { pid: 11 }, true],
    ['a terminal that is about to observe', { pid: 12, opened: { id: 'one', as: 'observer' } }, true],
    ['a terminal opened as driver while another one drives', { pid: 11, opened: { id: 'one', as: 'driver' } }, false],
    ['a terminal that observes another agent', { pid: 12, opened: { id: 'two', as: 'observer' } }, false],
    ['a watching shell', { pid: 7, tty: '/dev/pts/1' }, false],
  ] as const) {
    assert.equal(isReplaceable(known, agent, [agent]), wanted, what);
  }
});

test('a terminal is looked at if it has the keyboard focus or is the active tab', () => {
  const known: TerminalFacts = { pid: 11 };
  const at = (active: boolean, inFront: boolean): TerminalVisibility => ({ active, inFront });
  for (const [what, clients, showing, wanted] of [
    ['in the panel, with the keyboard', [client()], at(true, false), true],
    ['the panel is hidden, or one types elsewhere', [client({ focused: false })], at(true, false), false],
    ['another terminal was used last', [client()], at(false, false), false],
    ['a tab in front, beside what one types in', [client({ focused: false })], at(false, true), true],
    ['a tab behind another', [client({ focused: false })], at(true, false), false],
    ['another terminal has the focus', [client({ pid: 12, tty: '/dev/pts/9' })], at(true, true), false],
    ['detached', [], at(true, true), false],
  ] as const) {
    assert.equal(isLookedAt(known, one(...clients), showing), wanted, what);
  }
});
