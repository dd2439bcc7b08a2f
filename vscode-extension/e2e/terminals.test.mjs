// Terminals on agents: which are looked at, which are whose, where they are, and what they are called.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('terminals');
const hands = new Hands(world);
after(() => world.end());

step('the first window opens', async () => {
  for (const name of ['api', 'docs', 'tests']) await world.spawn(name);
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.statusSays('3 idle', 60_000);
  await hands.openView();
});

const clients = (name) => world.clients().filter((client) => client.endsWith(` ${name}`));
const tab = (name) => hands.page.locator('.editor-group-container .tab').filter({ hasText: name });
const settled = async (...names) => {
  for (const name of names) {
    world.symposium('agent', 'deny', name);
    await world.is(name, 'idle');
  }
  await hands.statusSays('3 idle');
  await hands.clearToasts();
};
/** Waits until typing goes to an agent, as it hears it itself: a terminal that is shown already has the focus only later. */
const keyboard = (name) => until(`${name} has the keyboard`, () => world.agent(name).clients.some((client) => client.focused));
const ask = (name) => world.symposium('agent', 'send', name, '/ask ls');

step('attaching in an empty editor area gives the terminal the focus', async () => {
  await hands.menu('docs', 'Attach in Editor Area');
  await hands.has('docs');
  await tab('docs').waitFor();
});

step('a tab in front is looked at, also by one who types beside it', async () => {
  await hands.treeRow('tests').click();
  await until('docs knows that it has lost the keyboard', () => world.agent('docs').clients[0]?.focused === false);
  ask('docs');
  await hands.statusSays('1 waiting, 2 idle');
  // A toast of another agent comes behind, so one of docs would be there by then.
  ask('tests');
  await hands.toast('tests waits for you').waitFor();
  assert.equal(await hands.toast('docs').count(), 0);
  await settled('docs', 'tests');
});

step('a tab behind another is not looked at', async () => {
  await hands.menu('api', 'Peek at Screen');
  await hands.page.locator('.tab.active', { hasText: 'api screen' }).waitFor();
  ask('docs');
  await hands.toast('docs waits for you').waitFor();
  await settled('docs');
});

step('the terminal one types in is looked at, and one in a panel that is hidden is not', async () => {
  await hands.attach('api');
  await keyboard('api');
  ask('api');
  await hands.statusSays('1 waiting, 2 idle');
  ask('tests');
  await hands.toast('tests waits for you').waitFor();
  assert.equal(await hands.toast('api').count(), 0);
  await settled('api', 'tests');
  await hands.focused();
  await hands.palette('View: Toggle Terminal');
  await hands.page.locator('.part.panel').waitFor({ state: 'hidden' });
  ask('api');
  await hands.toast('api waits for you').waitFor();
  await hands.shot('panel-hidden');
  await settled('api');
});

step('attaching in the editor area takes the terminal of the panel along', async () => {
  const before = world.clients().sort();
  await hands.attach('api');
  await keyboard('api');
  await hands.menu('api', 'Attach in Editor Area');
  await tab(/^api$/).waitFor();
  await hands.has('api');
  await hands.type('typed in the editor area\n');
  await hands.terminalShows('You said: typed in the editor area');
  await world.is('api', 'idle');
  assert.deepEqual(world.clients().sort(), before);
  await hands.shot('moved-to-editor');
});

step('attaching again shows it where it is', async () => {
  const before = world.clients().sort();
  await hands.menu('api', 'Attach in Editor Area');
  // One goes after the other, so another terminal of api would be there by then.
  await hands.act('docs', 'Attach to Agent');
  await hands.has('docs');
  await keyboard('docs');
  await hands.attach('api');
  await keyboard('api');
  assert.equal(await tab(/^api$/).count(), 1);
  assert.deepEqual(world.clients().sort(), before);
});

step('a tab is called as its agent is, the one in use at once and others when they are used', async () => {
  world.symposium('agent', 'rename', 'api', 'server');
  await tab(/^server$/).waitFor();
  world.symposium('agent', 'rename', 'docs', 'manual');
  await hands.treeRow('manual').waitFor();
  await hands.attach('manual');
  await keyboard('manual');
  await tab(/^manual$/).waitFor();
  assert.equal(await tab(/^(api|docs)$/).count(), 0);
  await hands.shot('renamed');
  world.symposium('agent', 'rename', 'server', 'api');
  world.symposium('agent', 'rename', 'manual', 'docs');
  await tab(/^docs$/).waitFor();
});

step('a shell in which one attached is the terminal of that agent until one detaches', async () => {
  await hands.palette('Terminal: Create New Terminal');
  await until('a shell is ready', async () => (await hands.terminals()).some((screen) => /[#$]$/m.test(screen)));
  await hands.type(`${world.binary} agent attach tests\n`);
  await hands.has('tests');
  const [client] = clients('tests');
  await hands.attach('api');
  await keyboard('api');
  await hands.attach('tests');
  await keyboard('tests');
  assert.deepEqual(clients('tests'), [client]);
  world.symposium('agent', 'detach', 'tests');
  await until('nobody is attached', () => clients('tests').length === 0);
  await hands.palette('Symposium: Attach to Agent');
  await hands.pick('tests');
  await until('tests has another client', () => clients('tests').length === 1 && clients('tests')[0] !== client);
  await hands.has('tests');
  // The shell is still there, and nobody's.
  await hands.page.locator('.terminal-tabs-entry', { hasText: 'bash' }).waitFor();
});

step('a row that vanishes takes its mark along, and Enter goes to nobody else', async () => {
  await hands.palette('Symposium: Stop Agent');
  await hands.row('docs').waitFor();
  const marked = hands.page.locator('.quick-input-list .monaco-list-row.focused');
  for (let at = 0; at < 3 && !(await marked.innerText()).startsWith('docs'); at++) await hands.page.keyboard.press('ArrowDown');
  assert.match(await marked.innerText(), /^docs/);
  world.symposium('agent', 'kill', 'docs');
  await hands.row('docs').waitFor({ state: 'detached' });
  await hands.page.keyboard.press('Enter');
  assert.equal(await marked.count(), 0);
  await hands.shot('mark-gone');
  // What changes next marks nobody either.
  ask('tests');
  await hands.row('Bash: ls').waitFor();
  await hands.page.keyboard.press('Enter');
  assert.equal(await marked.count(), 0);
  await hands.page.keyboard.press('Escape');
  assert.deepEqual(['api', 'docs', 'tests'].map((name) => world.agent(name).status), ['idle', 'stopped', 'waiting']);
  world.symposium('agent', 'resume', 'docs');
  await world.is('docs', 'idle');
  await settled('tests');
});

step('a terminal profile that is not gone through with is no mistake', async () => {
  await hands.palette('Create New Terminal (With Profile)');
  await hands.pick('Symposium agent');
  await hands.row('api').waitFor();
  await hands.page.keyboard.press('Escape');
  await hands.row('api').waitFor({ state: 'hidden' });
  const before = world.clients().sort();
  await hands.palette('Create New Terminal (With Profile)');
  await hands.pick('Symposium agent');
  await hands.pick('api');
  await hands.has('api');
  // A toast of another agent comes behind, so one of VS Code would be there by then.
  ask('tests');
  await hands.toast('tests waits for you').waitFor();
  assert.equal(await hands.page.locator('.notifications-toasts .notification-list-item').count(), 1);
  assert.deepEqual(world.clients().sort(), before);
  await settled('tests');
});

step('another window on the same folder has a terminal of its own, and takes none away', async () => {
  await hands.attach('docs');
  await until('docs has a client', () => clients('docs').length === 1);
  const [mine] = clients('docs');
  // Of a terminal in the editor area VS Code itself would show the same process in both windows.
  const page = await world.openWindow(world.project);
  const second = new Hands({ ...world, name: 'terminals-second', page, symposium: (...args) => world.symposium(...args) });
  await second.ready();
  await second.statusSays('3 idle', 60_000);
  await second.palette('Symposium: Attach to Agent');
  await second.pick('docs');
  await until('docs has two clients', () => clients('docs').length === 2);
  await second.terminalShows('watching only');
  assert.ok(clients('docs').includes(mine));
  const theirs = clients('docs').sort();
  // It has only one there too, also after a reload.
  await second.focused();
  await second.reload();
  await second.statusSays('3 idle', 60_000);
  await second.openView();
  await second.act('docs', 'Attach to Agent');
  // One goes after the other, so another client of docs would be there by then.
  await second.act('tests', 'Attach to Agent');
  await until('tests has two clients', () => clients('tests').length === 2);
  assert.deepEqual(clients('docs').sort(), theirs);
  assert.equal(await second.page.locator('.terminal-tabs-entry', { hasText: 'docs' }).count(), 1);
  await second.shot('second-window');
  await page.close();
});

step('who only watches is told so, and takes over', async () => {
  await hands.page.bringToFront();
  world.symposium('agent', 'detach', 'tests');
  await until('nobody is attached', () => clients('tests').length === 0);
  await hands.clearToasts();
  // Another terminal of the same person, which came first.
  const theirs = world.terminal('tests');
  const driver = () => world.agent('tests').clients.find((client) => client.driver)?.pid;
  const other = await until('it drives', driver);
  await hands.palette('Symposium: Attach to Agent');
  await hands.pick('tests');
  await hands.terminalShows('watching only');
  const toast = hands.toast('You are only watching tests: another terminal drives it.');
  await toast.waitFor();
  await hands.shot('only-watching');
  await hands.press(toast, 'Take Over');
  await until('the window drives', () => driver() !== undefined && driver() !== other);
  await until('there are two clients', () => clients('tests').length === 2);
  await hands.has('tests');
  await keyboard('tests');
  await hands.type('typed after taking over\n');
  await hands.terminalShows('You said: typed after taking over');
  assert.equal(clients('tests').length, 2, 'the one that watched is gone');
  // Taking over once more is to the one that drives: nothing is offered.
  const mine = driver();
  await world.is('tests', 'idle');
  await hands.menu('tests', 'Take Over Agent');
  await keyboard('tests');
  assert.equal(driver(), mine);
  assert.equal(await hands.toast('You are only watching').count(), 0);
  theirs.kill();
});

step('the terminal that is taken to the editor area is that of the row, whichever was used last', async () => {
  await hands.attach('docs');
  await keyboard('docs');
  const before = world.clients().sort();
  await hands.palette('Terminal: Create New Terminal');
  await until('a shell is ready', async () => (await hands.terminals()).some((screen) => /[#$]$/m.test(screen)));
  await hands.focused();
  await hands.menu('tests', 'Attach in Editor Area');
  await tab(/^tests$/).waitFor();
  await keyboard('tests');
  // The one in front of it was an agent's here, and a shell there.
  await hands.menu('docs', 'Attach in Editor Area');
  await tab(/^docs$/).waitFor();
  await keyboard('docs');
  assert.equal(await tab('bash').count(), 0);
  assert.deepEqual(world.clients().sort(), before);
  await hands.shot('moved-by-row');
});
