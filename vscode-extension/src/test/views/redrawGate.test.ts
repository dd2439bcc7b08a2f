import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RedrawGate } from '../../rules/views/redrawGate';

function recorded() {
  const drawn: (string[] | undefined)[] = [];
  const gate = new RedrawGate<string>();
  gate.onRedraw((rows) => drawn.push(rows));
  return { gate, drawn };
}

test('redraws during a hold happen once, after its end', async () => {
  const { gate, drawn } = recorded();
  gate.request(['a']);
  assert.deepEqual(drawn, [['a']]);
  await gate.hold(async () => {
    gate.request(['b']);
    await gate.hold(() => Promise.resolve());
    gate.request(['b', 'c']);
    assert.equal(drawn.length, 1);
  });
  assert.deepEqual(drawn, [['a'], ['b', 'c']]);
});

test('a hold without a request causes no redraw, and a request for the whole view includes all rows', async () => {
  const { gate, drawn } = recorded();
  await gate.hold(() => Promise.resolve());
  assert.deepEqual(drawn, []);
  await gate.hold(() => {
    gate.request(['a']);
    gate.request(undefined);
    return Promise.resolve();
  });
  assert.deepEqual(drawn, [undefined]);
});

test('a failed action ends the hold', async () => {
  const { gate, drawn } = recorded();
  await assert.rejects(gate.hold(() => {
    gate.request(['a']);
    return Promise.reject(new Error('no terminal'));
  }));
  assert.deepEqual(drawn, [['a']]);
});
