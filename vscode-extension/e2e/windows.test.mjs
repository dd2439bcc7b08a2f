// Two windows at once: each knows everything, neither makes more of it.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, before } from 'node:test';
import { Hands, step } from './hands.mjs';
import { World, until } from './world.mjs';

const world = new World('windows');
const first = new Hands(world);
after(() => world.end());
let second;

before(async () => {
  await world.spawn('api');
  await world.spawn('docs');
  await world.startServer();
  await world.openBrowser();
  await first.ready();
  await first.statusSays('2 idle', 60_000);
  // Another folder: of one folder VS Code would share what it remembers.
  second = new Hands({ ...world, name: 'windows-second', page: await world.openWindow(world.home), symposium: (...args) => world.symposium(...args) });
  await second.ready();
  await second.statusSays('2 idle', 60_000);
});

/** The processes of this world that watch. */
const watchers = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${world.binary}\0`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--watch');
    } catch {
      return false;
    }
  }).length;

step('each window has one watcher', async () => {
  await until('two watch', () => watchers() === 2);
});

step('both see a change, and the one whose project it is tells of it', async () => {
  await first.page.bringToFront();
  world.symposium('agent', 'send', 'docs', '/ask ls');
  await Promise.all([first, second].map((hands) => hands.statusSays('1 waiting, 1 idle')));
  await first.toast('docs waits for you').waitFor();
  assert.equal(await second.toast('docs').count(), 0);
  world.symposium('agent', 'deny', 'docs');
  await Promise.all([first, second].map((hands) => hands.statusSays('2 idle')));
});

step('a window that is closed takes its watcher along, and no agent', async () => {
  await first.attach('api');
  await second.page.close();
  await until('one watches', () => watchers() === 1, 60_000);
  assert.deepEqual([world.agent('api').status, world.agent('docs').status], ['idle', 'idle']);
  await first.statusSays('2 idle');
});
