import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WindowClaims } from '../../notify/windowClaims';

const folder = mkdtempSync(join(tmpdir(), 'sy-windows-'));
after(() => { rmSync(folder, { recursive: true }); });

test('one of two windows claims an event, and another event can still be claimed', () => {
  const [first, second] = [new WindowClaims(folder), new WindowClaims(folder)];
  assert.deepEqual([first.claim('a'), second.claim('a'), second.claim('b'), first.claim('b'), first.claim('../../x')], [true, false, true, false, true]);
});

test('every window claims an event if the folder cannot be written', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  chmodSync(file, 0o400);
  const windows = new WindowClaims(file);
  assert.deepEqual([windows.claim('a'), windows.claim('a'), windows.lastActive()], [true, true, 0]);
  windows.noteActive(7);
});

test('old claims are deleted', () => {
  const windows = new WindowClaims(folder);
  windows.claim('old');
  for (const name of readdirSync(join(folder, 'claims'))) utimesSync(join(folder, 'claims', name), 0, 0);
  assert.equal(new WindowClaims(folder).claim('old'), true);
});

test('the time of use is shared by all windows', () => {
  assert.equal(new WindowClaims(join(folder, 'new')).lastActive(), 0);
  new WindowClaims(folder).noteActive(1_234);
  assert.equal(new WindowClaims(folder).lastActive(), 1_234);
});
