// Two windows at once: each knows everything, neither makes more of it. Then what is told of several agents, and to one
// who comes back.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('windows');
const first = new Hands(world);
after(() => world.end());
let second;
const clock = join(world.dir, 'clock');
world.env.SYMPOSIUM_CLOCK = clock;

step('the first window opens', async () => {
  await world.spawn('api');
  await world.spawn('docs');
  await world.startServer();
  world.addExtension(join(dirname(fileURLToPath(import.meta.url)), 'support/clock'));
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
  }).map(Number);

step('each window has one watcher', async () => {
  await until('two watch', () => watchers().length === 2);
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

/** How many toasts with these words there are in both windows. */
const toldOf = async (words) => {
  const counts = await Promise.all([first, second].map((hands) => hands.page.locator('.notifications-toasts .notification-list-item', { hasText: words }).count()));
  return counts.reduce((sum, each) => sum + each);
};

/** An agent in a folder that no window has open. */
const spawnElsewhere = async () => {
  const folder = join(world.dir, 'elsewhere');
  mkdirSync(folder, { recursive: true });
  await world.spawn('stray', '--dir', folder);
};

step('an agent of neither project is told of by one window, also when nobody looks at either', async () => {
  await spawnElsewhere();
  await Promise.all([first, second].map((hands) => hands.statusSays('3 idle')));
  for (const looks of ['here', 'elsewhere']) {
    await first.look(looks);
    for (const hands of [first, second]) await hands.clearToasts();
    world.symposium('agent', 'send', 'stray', `/ask look ${looks}`);
    const { status_since } = await world.is('stray', 'waiting');
    await until('one tells', () => toldOf('stray waits for you'));
    // The window that is last in turn has had its turn by then.
    await until('the other would have told it', () => Date.now() - Date.parse(status_since) > 3_000);
    assert.equal(await toldOf('stray waits for you'), 1, looks);
    world.symposium('agent', 'deny', 'stray');
    await world.is('stray', 'idle');
  }
  await first.look('here');
  for (const hands of [first, second]) await hands.clearToasts();
  world.symposium('agent', 'rm', '--force', 'stray');
  await Promise.all([first, second].map((hands) => hands.statusSays('2 idle')));
});

step('a window that is closed takes its watcher along, and no agent', async () => {
  await first.attach('api');
  await second.page.close();
  await until('one watches', () => watchers().length === 1, 60_000);
  assert.deepEqual([world.agent('api').status, world.agent('docs').status], ['idle', 'idle']);
  await first.statusSays('2 idle');
});

/** Lets this happen while the watcher holds its breath, so that the window hears of all of it at once. Nobody is looking,
 *  because a window that is looked at asks beside the watcher. */
async function atOnce(act) {
  const [watcher] = watchers();
  await first.look('elsewhere');
  process.kill(watcher, 'SIGSTOP');
  try {
    await act();
  } finally {
    process.kill(watcher, 'SIGCONT');
  }
}

const ask = async (name, command) => {
  world.symposium('agent', 'send', name, `/ask ${command}`);
  await world.is(name, 'waiting');
};

step('what happens at once is one notice, and attaching is to one of those', async () => {
  await world.spawn('tests');
  await world.spawn('web');
  await first.statusSays('4 idle');
  await first.clearToasts();
  await atOnce(async () => {
    await ask('docs', 'make clean');
    await ask('tests', 'make check');
    world.symposium('agent', 'send', 'web', '/crash 3');
    await world.is('web', 'crashed');
  });
  const toast = first.toast('waiting for you: docs, tests · crashed: web');
  await toast.waitFor();
  assert.equal(await first.page.locator('.notifications-toasts .notification-list-item').count(), 1);
  await first.look('here');
  await first.shot('several');
  await first.press(toast, 'Attach');
  await first.row('web').waitFor();
  assert.equal(await first.row('api').count(), 0);
  await first.pick('docs');
  await first.has('docs');
  world.symposium('agent', 'rm', 'web');
  for (const name of ['docs', 'tests']) world.symposium('agent', 'deny', name);
  await first.statusSays('3 idle');
});

step('of several that are approved one that fails holds up no other', async () => {
  await first.attach('api');
  await atOnce(async () => {
    await ask('docs', 'make clean');
    await ask('tests', 'make dist');
  });
  const toast = first.toast('waiting for you: docs, tests');
  await toast.waitFor();
  await first.look('here');
  await first.press(toast, 'Approve');
  for (const asked of ['make clean', 'make dist']) await first.row(asked).click();
  world.symposium('agent', 'deny', 'docs');
  await world.is('docs', 'idle');
  await first.page.keyboard.press('Enter');
  await world.is('tests', 'idle');
  await first.toast('docs` shows no dialog').locator('.monaco-button', { hasText: 'Show Details' }).waitFor();
  await first.shot('approve-some-failed');
  await first.press(first.toast('docs` shows no dialog'), 'Show Details');
  await first.page.locator('.tab', { hasText: 'details.txt' }).waitFor();
  await first.statusSays('3 idle');
  await first.clearToasts();
});

step('what several ask for is read before it is approved', async () => {
  // Of what is looked at nothing would be told.
  await first.attach('api');
  await atOnce(async () => {
    await ask('docs', 'make clean');
    await ask('tests', 'rm [x](command:workbench.action.quit) $(zap)');
  });
  const toast = first.toast('waiting for you: docs, tests');
  await toast.waitFor();
  await first.look('here');
  await first.press(toast, 'Approve');
  await first.row('Bash: make clean').waitFor();
  const hostile = first.row('Bash: rm [x](command:workbench.action.quit) $');
  await hostile.waitFor();
  assert.equal(await hostile.locator('a[href], .codicon-zap').count(), 0);
  await first.row('docs').click();
  await first.shot('approve-some');
  await first.page.keyboard.press('Enter');
  await world.is('docs', 'idle');
  assert.equal(world.agent('tests').status, 'waiting', 'what was not ticked is not approved');
  world.symposium('agent', 'deny', 'tests');
  await first.statusSays('3 idle');
});

step('the recaps of several are one document', async () => {
  await atOnce(async () => {
    await ask('docs', 'make clean');
    await ask('tests', 'make check');
  });
  const toast = first.toast('waiting for you: docs, tests');
  await toast.waitFor();
  await first.look('here');
  await first.press(toast, 'Show Recap');
  for (const name of ['docs', 'tests']) await first.previewShows('h1', name);
  for (const name of ['docs', 'tests']) world.symposium('agent', 'deny', name);
  await first.statusSays('3 idle');
  await first.clearToasts();
});

const clockIs = async (words) => {
  await first.palette('Test: Six Minutes Later');
  await first.page.locator('.statusbar', { hasText: `the clock is ${words}` }).waitFor();
};

/** What there is to tell somebody who was away: one asks, one has done its task. */
const happen = async () => {
  await ask('docs', 'make clean');
  const before = world.agent('tests').tasks.done;
  world.symposium('task', 'add', 'tests', 'count to three');
  await until('the task is done', () => world.agent('tests').tasks.done > before);
  await world.is('tests', 'idle');
};

step('one who comes back after a while is offered the recap of those that have news', async () => {
  await first.look('elsewhere');
  await clockIs('ahead');
  await happen();
  await first.statusSays('1 waiting, 2 idle');
  await first.toast('tests finished').waitFor();
  await first.clearToasts();
  await first.look('here');
  const toast = first.toast('While you were away: waiting for you: docs · finished: tests');
  await toast.waitFor();
  await first.shot('returned');
  await first.press(toast, 'Show Recap');
  await first.previewShows('h1', 'docs');
  await first.previewShows('blockquote', 'Bash: make clean');
  await first.previewShows('li', 'count to three');
  assert.equal(await first.preview().locator('h1').count(), 2);
  await first.shot('returned-recap');
  world.symposium('agent', 'deny', 'docs');
  await first.statusSays('3 idle');
});

step('one who comes back is told of other projects too', async () => {
  await spawnElsewhere();
  await first.statusSays('4 idle');
  await clockIs('right');
  await first.look('elsewhere');
  await clockIs('ahead');
  await ask('stray', 'ls');
  await first.toast('stray waits for you').waitFor();
  await first.clearToasts();
  await first.look('here');
  await first.toast('While you were away: waiting for you: stray').waitFor();
  await first.clearToasts();
  world.symposium('agent', 'rm', '--force', 'stray');
  await first.statusSays('3 idle');
});

step('one who was away for a moment is told nothing of it', async () => {
  await clockIs('right');
  await first.look('elsewhere');
  await happen();
  await first.toast('tests finished').waitFor();
  await first.clearToasts();
  await first.look('here');
  // What comes behind is there, so the other would be too.
  await ask('tests', 'ls');
  await first.toast('tests waits for you').waitFor();
  assert.equal(await first.toast('While you were away').count(), 0);
  for (const name of ['docs', 'tests']) world.symposium('agent', 'deny', name);
  await first.statusSays('3 idle');
});

step('a window that was closed meanwhile offers it too', async () => {
  await first.look('elsewhere');
  await world.closeBrowser();
  await happen();
  writeFileSync(clock, '');
  await world.openBrowser();
  await first.ready();
  const toast = first.toast('While you were away: waiting for you: docs · finished: tests');
  await toast.waitFor({ timeout: 60_000 });
  await first.press(toast, 'Show Recap');
  await first.previewShows('li', 'count to three');
  await first.shot('reopened');
});
