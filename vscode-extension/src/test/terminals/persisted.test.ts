import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { Memory, type Remembered } from '../../terminals/persisted';

let folder = '';
const folders: string[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sy-memory-'));
  folders.push(folder);
});
afterEach(() => { for (const child of children.splice(0)) child.kill('SIGKILL'); });
after(() => { for (const each of folders) rmSync(each, { recursive: true }); });

/** A process that lives until the test is over. */
function living(): number {
  const child = spawn('sleep', ['60']);
  children.push(child);
  return child.pid ?? assert.fail('no process');
}

/** The number of a process that has ended. */
function dead(): Promise<number> {
  const child = spawn('true');
  return new Promise((done) => child.on('close', () => { done(child.pid ?? 0); }));
}

const terminal = (pid: number): Remembered => ({ id: 'one', as: 'driver', pid, name: 'one' });

test('of a window that lives nothing is left, and of one that went all that lives', async () => {
  const there = terminal(living());
  new Memory(folder, living()).keep([there]);
  assert.deepEqual(new Memory(folder).left(), []);
  const gone = [terminal(living()), terminal(await dead())];
  new Memory(folder, await dead()).keep(gone);
  assert.deepEqual(new Memory(folder).left(), gone.slice(0, 1));
});

test('a window that has said goodbye is gone, though its process takes its time', () => {
  const first = new Memory(folder, living());
  first.keep([terminal(living())]);
  first.leave();
  assert.equal(new Memory(folder).left().length, 1);
});

test('a terminal that came back in a window is not left over', async () => {
  const back = terminal(living());
  new Memory(folder, await dead()).keep([back]);
  const mine = new Memory(folder);
  mine.keep([back]);
  assert.deepEqual(mine.left(), []);
  assert.deepEqual(new Memory(folder, living()).left(), []);
});

test('what a window says is closed while it goes is not forgotten, and what has ended is', async () => {
  const [one, two] = [terminal(living()), terminal(await dead())];
  const first = new Memory(folder, await dead());
  first.keep([one, two]);
  first.keep([]);
  assert.deepEqual(new Memory(folder).left(), [one]);
  assert.deepEqual(new Memory(folder).before(one.pid), one);
  assert.equal(new Memory(folder).before(two.pid), undefined);
});

test('the same number of a process is not the same window', () => {
  const earlier = { host: process.pid, left: false, terminals: [terminal(living())] };
  writeFileSync(join(folder, `${process.pid}-earlier.json`), JSON.stringify(earlier));
  assert.deepEqual(new Memory(folder).left(), earlier.terminals);
});

test('what nobody needs any more is taken away, and what cannot be read is left alone', async () => {
  new Memory(folder, await dead()).keep([terminal(await dead())]);
  writeFileSync(join(folder, 'half.json'), '{"host": 1,');
  assert.deepEqual(new Memory(folder).left(), []);
  assert.deepEqual(readdirSync(folder), ['half.json']);
});

test('without a disk nothing is remembered, and nothing fails', () => {
  const nowhere = new Memory('/dev/null/x');
  nowhere.keep([terminal(1)]);
  nowhere.leave();
  assert.deepEqual(nowhere.left(), []);
});

test('terminals that ended with their window are told once, and those of a living window never', async () => {
  new Memory(folder, living()).keep([terminal(await dead())]);
  const gone = { ...terminal(await dead()), id: 'two' };
  const page = { host: await dead(), left: false, terminals: [gone, terminal(living())] };
  writeFileSync(join(folder, 'killed.json'), JSON.stringify(page));
  writeFileSync(join(folder, 'left.json'), JSON.stringify({ ...page, left: true, terminals: [{ ...gone, id: 'three' }] }));
  assert.deepEqual(new Memory(folder).lost().map(({ id }) => id), ['two', 'three']);
  assert.deepEqual(readdirSync(folder).filter((name) => name === 'left.json'), [], 'what has no living terminal is forgotten');
});
