import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Windows } from '../../notify/windowClaims';

const folder = mkdtempSync(join(tmpdir(), 'sy-windows-'));
after(() => { rmSync(folder, { recursive: true }); });

test('of two windows one tells, and what is other news is told', () => {
  const [first, second] = [new Windows(folder), new Windows(folder)];
  assert.deepEqual([first.claim('a'), second.claim('a'), second.claim('b'), first.claim('b'), first.claim('../../x')], [true, false, true, false, true]);
});

test('where nothing can be written each tells', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  chmodSync(file, 0o400);
  const windows = new Windows(file);
  assert.deepEqual([windows.claim('a'), windows.claim('a'), windows.lastHere()], [true, true, 0]);
  windows.noteHere(7);
});

test('what was told long ago is forgotten', () => {
  const windows = new Windows(folder);
  windows.claim('old');
  for (const name of readdirSync(join(folder, 'told'))) utimesSync(join(folder, 'told', name), 0, 0);
  assert.equal(new Windows(folder).claim('old'), true);
});

test('somebody who was at one window was here for all', () => {
  assert.equal(new Windows(join(folder, 'new')).lastHere(), 0);
  new Windows(folder).noteHere(1_234);
  assert.equal(new Windows(folder).lastHere(), 1_234);
});
