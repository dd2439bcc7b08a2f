import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { PersistedTerminals, type PersistedTerminal } from '../../terminals/persisted';

let folder = '';
const folders: string[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sy-memory-'));
  folders.push(folder);
});
afterEach(() => { for (const child of children.splice(0)) child.kill('SIGKILL'); });
after(() => { for (const each of folders) rmSync(each, { recursive: true }); });

/** Starts a process that runs until the end of the test. */
function living(): number {
  const child = spawn('sleep', ['60']);
  children.push(child);
  return child.pid ?? assert.fail('no process');
}

/** Returns the id of a process that has ended. */
function dead(): Promise<number> {
  const child = spawn('true');
  return new Promise((done) => child.on('close', () => { done(child.pid ?? 0); }));
}

const terminal = (pid: number): PersistedTerminal => ({ id: 'one', as: 'driver', pid, name: 'one' });

test('terminals are left over only if their window has gone and their process runs', async () => {
  const there = terminal(living());
  new PersistedTerminals(folder, living()).keep([there]);
  assert.deepEqual(new PersistedTerminals(folder).left(), []);
  const gone = [terminal(living()), terminal(await dead())];
  new PersistedTerminals(folder, await dead()).keep(gone);
  assert.deepEqual(new PersistedTerminals(folder).left(), gone.slice(0, 1));
});

test('a closed window counts as gone although its process still runs', () => {
  const first = new PersistedTerminals(folder, living());
  first.keep([terminal(living())]);
  first.leave();
  assert.equal(new PersistedTerminals(folder).left().length, 1);
});

test('a restored terminal is not left over', async () => {
  const back = terminal(living());
  new PersistedTerminals(folder, await dead()).keep([back]);
  const mine = new PersistedTerminals(folder);
  mine.keep([back]);
  assert.deepEqual(mine.left(), []);
  assert.deepEqual(new PersistedTerminals(folder, living()).left(), []);
});

test('a terminal that is reported closed stays stored while its process runs', async () => {
  const [one, two] = [terminal(living()), terminal(await dead())];
  const first = new PersistedTerminals(folder, await dead());
  first.keep([one, two]);
  first.keep([]);
  assert.deepEqual(new PersistedTerminals(folder).left(), [one]);
  assert.deepEqual(new PersistedTerminals(folder).before(one.pid), one);
  assert.equal(new PersistedTerminals(folder).before(two.pid), undefined);
});

test('a reused process id does not identify a window', () => {
  const earlier = { host: process.pid, hasLeft: false, terminals: [terminal(living())] };
  writeFileSync(join(folder, `${process.pid}-earlier.json`), JSON.stringify(earlier));
  assert.deepEqual(new PersistedTerminals(folder).left(), earlier.terminals);
});

test('unneeded files are deleted, and unreadable files are kept', async () => {
  new PersistedTerminals(folder, await dead()).keep([terminal(await dead())]);
  writeFileSync(join(folder, 'half.json'), '{"host": 1,');
  assert.deepEqual(new PersistedTerminals(folder).left(), []);
  assert.deepEqual(readdirSync(folder), ['half.json']);
});

test('an unwritable folder causes no error', () => {
  const nowhere = new PersistedTerminals('/dev/null/x');
  nowhere.keep([terminal(1)]);
  nowhere.leave();
  assert.deepEqual(nowhere.left(), []);
});

test('terminals that ended with their window are returned once, those of a running window never', async () => {
  new PersistedTerminals(folder, living()).keep([terminal(await dead())]);
  const gone = { ...terminal(await dead()), id: 'two' };
  const page = { host: await dead(), hasLeft: false, terminals: [gone, terminal(living())] };
  writeFileSync(join(folder, 'killed.json'), JSON.stringify(page));
  writeFileSync(join(folder, 'left.json'), JSON.stringify({ ...page, hasLeft: true, terminals: [{ ...gone, id: 'three' }] }));
  assert.deepEqual(new PersistedTerminals(folder).lost().map(({ id }) => id), ['two', 'three']);
  assert.deepEqual(readdirSync(folder).filter((name) => name === 'left.json'), [], 'what has no living terminal is forgotten');
});
