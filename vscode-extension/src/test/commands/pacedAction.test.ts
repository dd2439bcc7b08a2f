import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PaceClock, PacedAction } from '../../rules/commands/pacedAction';

/** An action with a pause of 100 whose runs the test ends, and a clock that the test moves. */
function paced() {
  let [time, starts] = [1_000, 0];
  let due: { at: number; act: () => void } | undefined;
  let end: () => void = () => undefined;
  const clock: PaceClock = {
    now: () => time,
    later: (act, ms) => {
      due = { at: time + ms, act };
      return () => { due = undefined; };
    },
  };
  const action = new PacedAction(() => {
    starts++;
    return new Promise((resolve) => { end = resolve; });
  }, 100, clock);
  const pass = (ms: number) => {
    time += ms;
    if (due === undefined || due.at > time) return;
    const { act } = due;
    due = undefined;
    act();
  };
  const finish = async () => {
    end();
    await new Promise((resolve) => { setImmediate(resolve); });
  };
  return { action, pass, finish, starts: () => starts };
}

test('requests during a run cause one more run, after the pause', async () => {
  const { action, pass, finish, starts } = paced();
  action.request();
  action.request();
  action.request();
  assert.equal(starts(), 1);
  pass(10);
  await finish();
  assert.equal(starts(), 1);
  pass(89);
  assert.equal(starts(), 1);
  pass(1);
  assert.equal(starts(), 2);
  pass(500);
  await finish();
  assert.equal(starts(), 2);
});

test('a slow run is not started twice', async () => {
  const { action, pass, finish, starts } = paced();
  action.request();
  pass(1_000);
  action.request();
  assert.equal(starts(), 1);
  await finish();
  assert.equal(starts(), 2);
});

test('a cancelled request does not run', async () => {
  const { action, pass, finish, starts } = paced();
  action.request();
  await finish();
  action.request();
  action.cancel();
  pass(1_000);
  assert.equal(starts(), 1);
  action.request();
  assert.equal(starts(), 2);
});
