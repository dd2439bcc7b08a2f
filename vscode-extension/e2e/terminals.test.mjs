// Terminals attached to agents: visibility, ownership, location and names.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { VSCodeWindow, step } from './support/window.mjs';
import { TestEnvironment, until } from './support/environment.mjs';

const env = new TestEnvironment('terminals');
const vscode = new VSCodeWindow(env);
after(() => env.end());

step('the first window opens', async () => {
  for (const name of ['api', 'docs', 'tests']) await env.spawn(name);
  await env.startServer();
  await env.openBrowser();
  await vscode.ready();
  await vscode.statusSays('3 idle', 60_000);
  await vscode.openView();
});

const clients = (name) => env.clients().filter((client) => client.endsWith(` ${name}`));
const tab = (name) => vscode.page.locator('.editor-group-container .tab').filter({ hasText: name });
const denied = async (...names) => {
  for (const name of names) {
    env.symposium('agent', 'deny', name);
    await env.is(name, 'idle');
  }
  await vscode.statusSays('3 idle');
  await vscode.clearToasts();
};
/** Waits until tmux reports the keyboard focus. A terminal that is already shown gets it later. */
const keyboard = (name) => until(`${name} has the keyboard`, () => env.agent(name).clients.some((client) => client.focused));
const ask = (name) => env.symposium('agent', 'send', name, '/ask ls');

step('attaching in an empty editor area focuses the terminal', async () => {
  await vscode.menu('docs', 'Attach in Editor Area');
  await vscode.has('docs');
  await tab('docs').waitFor();
});

step('an active tab is looked at even while another element has the focus', async () => {
  await vscode.treeRow('tests').click();
  await until('docs has lost the keyboard focus', () => env.agent('docs').clients[0]?.focused === false);
  ask('docs');
  await vscode.statusSays('1 waiting, 2 idle');
  // The notification of a later event appears, so one about docs would be there too.
  ask('tests');
  await vscode.toast('tests waits for you').waitFor();
  assert.equal(await vscode.toast('docs').count(), 0);
  await denied('docs', 'tests');
});

step('a covered tab is not looked at', async () => {
  await vscode.menu('api', 'Peek at Screen');
  await vscode.page.locator('.tab.active', { hasText: 'api screen' }).waitFor();
  await vscode.settle();
  ask('docs');
  await vscode.toast('docs waits for you').waitFor();
  await denied('docs');
});

step('a focused terminal is looked at, and a terminal in a hidden panel is not', async () => {
  await vscode.attach('api');
  await keyboard('api');
  ask('api');
  await vscode.statusSays('1 waiting, 2 idle');
  ask('tests');
  await vscode.toast('tests waits for you').waitFor();
  assert.equal(await vscode.toast('api').count(), 0);
  await denied('api', 'tests');
  await vscode.focused();
  await vscode.palette('View: Toggle Terminal');
  await vscode.page.locator('.part.panel').waitFor({ state: 'hidden' });
  await vscode.settle();
  ask('api');
  await vscode.toast('api waits for you').waitFor();
  await vscode.shot('panel-hidden');
  await denied('api');
});

step('attaching in the editor area moves the terminal of the panel', async () => {
  const before = env.clients().sort();
  await vscode.attach('api');
  await keyboard('api');
  await vscode.menu('api', 'Attach in Editor Area');
  await tab(/^api$/).waitFor();
  await vscode.has('api');
  await vscode.type('typed in the editor area\n');
  await vscode.terminalShows('You said: typed in the editor area');
  await env.is('api', 'idle');
  assert.deepEqual(env.clients().sort(), before);
  await vscode.shot('moved-to-editor');
});

step('attaching again shows the terminal at its present location', async () => {
  const before = env.clients().sort();
  await vscode.menu('api', 'Attach in Editor Area');
  // Attaching is serialised, so a second terminal of api would be there by now.
  await vscode.act('docs', 'Attach to Agent');
  await vscode.has('docs');
  await keyboard('docs');
  await vscode.attach('api');
  await keyboard('api');
  assert.equal(await tab(/^api$/).count(), 1);
  assert.deepEqual(env.clients().sort(), before);
});

step('a tab follows a rename of its agent, an inactive one when it becomes active', async () => {
  env.symposium('agent', 'rename', 'api', 'server');
  await tab(/^server$/).waitFor();
  env.symposium('agent', 'rename', 'docs', 'manual');
  await vscode.treeRow('manual').waitFor();
  await vscode.attach('manual');
  await keyboard('manual');
  await tab(/^manual$/).waitFor();
  assert.equal(await tab(/^(api|docs)$/).count(), 0);
  await vscode.shot('renamed');
  env.symposium('agent', 'rename', 'server', 'api');
  env.symposium('agent', 'rename', 'manual', 'docs');
  await tab(/^docs$/).waitFor();
});

step('a shell that runs agent attach is the terminal of the agent until it detaches', async () => {
  await vscode.openShell();
  await vscode.type(`${env.binary} agent attach tests\n`);
  await vscode.has('tests');
  const [client] = clients('tests');
  await vscode.attach('api');
  await keyboard('api');
  await vscode.attach('tests');
  await keyboard('tests');
  assert.deepEqual(clients('tests'), [client]);
  env.symposium('agent', 'detach', 'tests');
  await until('no client is attached', () => clients('tests').length === 0);
  await vscode.chooseAgent('tests');
  await until('tests has another client', () => clients('tests').length === 1 && clients('tests')[0] !== client);
  await vscode.has('tests');
  // The shell stays open and belongs to no agent.
  await vscode.page.locator('.terminal-tabs-entry', { hasText: 'bash' }).waitFor();
});

step('a row that disappears loses the selection, and Enter chooses no other agent', async () => {
  await vscode.palette('Symposium: Stop Agent');
  await vscode.row('docs').waitFor();
  const marked = vscode.page.locator('.quick-input-list .monaco-list-row.focused');
  for (let at = 0; at < 3 && !(await marked.innerText()).startsWith('docs'); at++) await vscode.page.keyboard.press('ArrowDown');
  assert.match(await marked.innerText(), /^docs/);
  env.symposium('agent', 'kill', 'docs');
  await vscode.row('docs').waitFor({ state: 'detached' });
  await vscode.enter();
  assert.equal(await marked.count(), 0);
  await vscode.shot('mark-gone');
  // A further change selects no row either.
  ask('tests');
  await vscode.row('Bash: ls').waitFor();
  await vscode.enter();
  assert.equal(await marked.count(), 0);
  await vscode.page.keyboard.press('Escape');
  assert.deepEqual(['api', 'docs', 'tests'].map((name) => env.agent(name).status), ['idle', 'stopped', 'waiting']);
  env.symposium('agent', 'resume', 'docs');
  await env.is('docs', 'idle');
  await denied('tests');
});

step('the terminal profile opens a terminal, and cancelling it causes no error', async () => {
  await vscode.palette('Create New Terminal (With Profile)');
  await vscode.pick('Symposium agent');
  await vscode.row('api').waitFor();
  await vscode.page.keyboard.press('Escape');
  await vscode.row('api').waitFor({ state: 'hidden' });
  const before = env.clients().sort();
  await vscode.palette('Create New Terminal (With Profile)');
  await vscode.pick('Symposium agent');
  await vscode.pick('api');
  await vscode.has('api');
  // The notification of a later event appears, so an error of VS Code would be there too.
  ask('tests');
  await vscode.toast('tests waits for you').waitFor();
  assert.equal(await vscode.page.locator('.notifications-toasts .notification-list-item').count(), 1);
  assert.deepEqual(env.clients().sort(), before);
  await denied('tests');
});

step('a terminal that only watches offers to take over', async () => {
  env.symposium('agent', 'detach', 'tests');
  await until('no client is attached', () => clients('tests').length === 0);
  await vscode.clearToasts();
  // Another terminal of the same user is the driver.
  const theirs = env.terminal('tests');
  const driver = () => env.agent('tests').clients.find((client) => client.driver)?.pid;
  const other = await until('it drives', driver);
  await vscode.chooseAgent('tests');
  await vscode.terminalShows('watching only');
  const toast = vscode.toast('You are only watching tests: another terminal drives it.');
  await toast.waitFor();
  await vscode.shot('only-watching');
  await vscode.press(toast, 'Take Over');
  await until('the window drives', () => driver() !== undefined && driver() !== other);
  await until('there are two clients', () => clients('tests').length === 2);
  await vscode.has('tests');
  await keyboard('tests');
  await vscode.type('typed after taking over\n');
  await vscode.terminalShows('You said: typed after taking over');
  assert.equal(clients('tests').length, 2, 'the watching terminal was closed');
  // Taking over again shows the driving terminal and offers nothing.
  const mine = driver();
  await env.is('tests', 'idle');
  await vscode.menu('tests', 'Take Over Agent');
  await keyboard('tests');
  assert.equal(driver(), mine);
  assert.equal(await vscode.toast('You are only watching').count(), 0);
  theirs.kill();
});

step('the terminal of the row moves to the editor area, whichever terminal is active', async () => {
  await vscode.attach('docs');
  await keyboard('docs');
  const before = env.clients().sort();
  await vscode.openShell();
  await vscode.menu('tests', 'Attach in Editor Area');
  await tab(/^tests$/).waitFor();
  await keyboard('tests');
  // The active terminal is one of an agent before the first move, and a shell before the second.
  await vscode.menu('docs', 'Attach in Editor Area');
  await tab(/^docs$/).waitFor();
  await keyboard('docs');
  assert.equal(await tab('bash').count(), 0);
  assert.deepEqual(env.clients().sort(), before);
  await vscode.shot('moved-by-row');
});
