// What is told of the end of a task, and by which of several windows on one folder: never by one that cannot be seen.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('news');
const first = new Hands(world);
after(() => world.end());
let second;

step('the first window opens', async () => {
  await world.spawn('api');
  await world.spawn('docs');
  await world.startServer();
  await world.openBrowser();
  await first.ready();
  await first.statusSays('2 idle', 60_000);
});

const another = async (name) => {
  const hands = new Hands({ ...world, name: `news-${name}`, page: await world.openWindow(world.project), symposium: (...args) => world.symposium(...args) });
  await hands.ready();
  await hands.statusSays('2 idle', 60_000);
  return hands;
};
const toasts = (hands, words) => hands.page.locator('.notifications-toasts .notification-list-item', { hasText: words }).count();
const runs = (id) => until(`task ${id} runs`, () => world.symposium('task', 'show', String(id)).state === 'running');

step('a task that failed is told by why, once, and once more when it was tried again', async () => {
  // Longer than the turn that is told of by itself.
  const { id } = world.symposium('task', 'add', 'docs', '/work 31s');
  await runs(id);
  world.symposium('task', 'fail', String(id), 'no disk left');
  const toast = first.toast(`docs failed task #${id} /work 31s: no disk left`);
  await toast.waitFor();
  assert.equal(await toast.locator('.codicon-warning').count(), 1);
  await first.shot('task-failed');
  await first.clearToasts();
  const { status_since } = await until('its turn is over', () => world.agent('docs').status === 'idle' && world.agent('docs'), 60_000);
  await until('the end of its turn would have been told', () => Date.now() - Date.parse(status_since) > 3_000);
  assert.equal(await toasts(first, 'docs'), 0);
  world.symposium('task', 'retry', String(id));
  await runs(id);
  world.symposium('task', 'fail', String(id), 'still none');
  await first.toast(`docs failed task #${id} /work 31s: still none`).waitFor();
  await first.clearToasts();
  world.symposium('agent', 'interrupt', 'docs');
  await first.statusSays('2 idle');
});

step('the end of a task is told though its agent goes with it, and its task is shown', async () => {
  const { id: agent } = world.symposium('agent', 'spawn', 'demo', '--name', 'brief', '--ephemeral', '--task', '/work 2s');
  const toast = first.toast('/work 2s: Worked for 2s.');
  await toast.waitFor();
  assert.match(await toast.innerText(), /brief finished task #\d+ /);
  assert.equal(await toast.locator('.monaco-button', { hasText: /Attach|Show Recap/ }).count(), 0);
  await until('it is gone', () => world.agent('brief') === undefined);
  await first.press(toast, 'Show Task');
  const { id } = world.symposium('task', 'list', '--all').find(({ agent_id }) => agent_id === agent);
  await first.page.locator('.tab', { hasText: `Task ${id}` }).waitFor();
  await first.clearToasts();
  await first.statusSays('2 idle');
});

/** Lets an agent ask, and says which windows told of it when all have had their turn. */
async function tellers(command, windows) {
  world.symposium('agent', 'send', 'docs', `/ask ${command}`);
  const { status_since } = await world.is('docs', 'waiting');
  const counts = () => Promise.all(windows.map((hands) => toasts(hands, `Bash: ${command}`)));
  await until('one tells', async () => (await counts()).includes(1));
  await until('another would have told it', () => Date.now() - Date.parse(status_since) > 4_000);
  const told = await counts();
  world.symposium('agent', 'deny', 'docs');
  await Promise.all(windows.map((hands) => hands.statusSays('2 idle')));
  for (const hands of windows) await hands.clearToasts();
  return told;
}

step('of two windows on one folder the one that is looked at tells', async () => {
  second = await another('second');
  assert.deepEqual(await tellers('one', [first, second]), [1, 0]);
  await first.look('elsewhere');
  await second.look('here');
  assert.deepEqual(await tellers('two', [first, second]), [0, 1]);
});

step('what cannot be shown is told by one window', async () => {
  await world.spawn('half', '--title', 'taken away');
  const real = `${world.binary}.real`;
  renameSync(world.binary, real);
  writeFileSync(world.binary, `#!/bin/sh\ncase "$*" in *list*) ${real} "$@" | sed -u 's/"title": *"taken away"/"title":7/';; *) exec ${real} "$@";; esac\n`, { mode: 0o755 });
  for (const hands of [first, second]) {
    await hands.palette('Symposium: Refresh');
    await hands.statusSays('2 idle; cannot be shown: half');
  }
  const since = Date.now();
  const count = async () => (await toasts(first, 'cannot be shown: half')) + (await toasts(second, 'cannot be shown: half'));
  await until('one tells', count);
  await until('the other would have told it', () => Date.now() - since > 3_000);
  assert.equal(await count(), 1);
  renameSync(real, world.binary);
  world.symposium('agent', 'rm', '--force', 'half');
  for (const hands of [first, second]) {
    await hands.palette('Symposium: Refresh');
    await hands.statusSays('2 idle');
    await hands.clearToasts();
  }
});

step('the removal of one whose folder is gone is offered by one window', async () => {
  const count = async (name) => (await Promise.all([first, second].map((hands) => toasts(hands, `The folder of these agents was deleted: ${name}`)))).join();
  for (const name of ['web', 'shop']) {
    const dir = join(world.project, name);
    mkdirSync(dir);
    await world.spawn(name, '--dir', dir);
    rmSync(dir, { recursive: true });
    process.kill(world.symposium('supervisor', 'status').pid, 'SIGUSR1');
    await until(`it is offered to remove ${name}`, async () => (await count(name)) !== '0,0');
  }
  // A folder is gone for a while before it is told: by the time of the second the other window has had its turn of the first.
  assert.deepEqual([await count('web'), await count('shop')], ['0,1', '0,1']);
  for (const name of ['web', 'shop']) world.symposium('agent', 'rm', '--force', name);
  for (const hands of [first, second]) {
    await hands.statusSays('2 idle');
    await hands.clearToasts();
  }
});

step('a window that crashed takes no news along', async () => {
  // It was looked at, and its extension host goes on.
  const session = await world.browser.newCDPSession(second.page);
  const crashed = second.page.waitForEvent('crash');
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
  assert.deepEqual(await tellers('three', [first]), [1]);
});
