import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomesActive } from '../../rules/terminals/activeTerminal';

/** A window whose active terminal the test sets. */
class FakeWindow {
  activeTerminal: string | undefined = 'two';
  private readonly listening = new Set<() => void>();

  readonly onDidChangeActiveTerminal = (listener: () => void) => {
    this.listening.add(listener);
    return { dispose: () => { this.listening.delete(listener); } };
  };

  become(name: string): void {
    this.activeTerminal = name;
    for (const listener of [...this.listening]) listener();
  }

  get listeners(): number {
    return this.listening.size;
  }
}

test('a terminal counts as active only when it has become the active one', async () => {
  const window = new FakeWindow();
  let is: boolean | undefined;
  const waiting = becomesActive(window, 'one', 60_000).then((value) => { is = value; });
  window.become('bash');
  await Promise.resolve();
  assert.equal(is, undefined, 'another one became active');
  window.become('one');
  await waiting;
  assert.deepEqual([is, window.listeners], [true, 0]);
  assert.equal(await becomesActive(window, 'one', 60_000), true, 'it was so before');
});

test('waiting for a terminal that does not become active times out', async () => {
  const window = new FakeWindow();
  assert.equal(await becomesActive(window, 'one', 5), false);
  assert.equal(window.listeners, 0);
});
