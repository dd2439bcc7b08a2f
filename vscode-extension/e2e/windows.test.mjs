// One and several windows: each event is shown once, by the right window, a returning user gets a recap, and each window
// has its own terminals.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { TestEnvironment, until } from './support/environment.mjs';
import { VSCodeWindow, step } from './support/window.mjs';

const env = new TestEnvironment('windows');
const first = new VSCodeWindow(env);
after(() => env.end());
/** Opened after the steps with a Markdown preview, which takes VS Code 1.139 a minute with two windows on one server. */
let second;

step('the first window opens', async () => {
  await env.spawn('api');
  await env.spawn('docs');
  await env.startServer();
  await env.openBrowser();
  await first.ready();
  await first.statusSays('2 idle', 60_000);
});

/** Returns the watcher processes of this environment. */
const watchers = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return command.startsWith(`${env.binary}\0`) && command.includes('--watch');
    } catch {
      return false;
    }
  }).map(Number);

const toasts = (window, words) => window.page.locator('.notifications-toasts .notification-list-item', { hasText: words }).count();

/** Runs an action while the watcher is suspended, so that the window receives all changes at once. The window has no
 *  focus, because a focused window polls beside the watcher. */
async function atOnce(act) {
  const [watcher] = await until('there is one watcher', () => watchers().length === 1 && watchers());
  await first.look('elsewhere');
  process.kill(watcher, 'SIGSTOP');
  try {
    await act();
  } finally {
    process.kill(watcher, 'SIGCONT');
  }
}

const ask = async (name, command) => {
  env.symposium('agent', 'send', name, `/ask ${command}`);
  await env.is(name, 'waiting');
};

step('simultaneous events are one notification, and Attach offers their agents only', async () => {
  await env.spawn('tests');
  await env.spawn('web');
  await first.statusSays('4 idle');
  await first.clearToasts();
  await atOnce(async () => {
    await ask('docs', 'make clean');
    await ask('tests', 'make check');
    env.symposium('agent', 'send', 'web', '/crash 3');
    await env.is('web', 'crashed');
  });
  const toast = first.toast('waiting for you: docs, tests · crashed: web');
  await toast.waitFor();
  assert.equal(await first.page.locator('.notifications-toasts .notification-list-item').count(), 1);
  await first.look('here');
  await first.shot('several');
  await first.press(toast, 'Attach');
  await first.row('web').waitFor();
  assert.equal(await first.row('api').count(), 0);
  await first.page.keyboard.press('Escape');
  env.symposium('agent', 'rm', 'web');
  for (const name of ['docs', 'tests']) env.symposium('agent', 'deny', name);
  await first.statusSays('3 idle');
  await first.clearToasts();
});

step('several questions are shown before they are approved, and one failure does not stop the others', async () => {
  await atOnce(async () => {
    await ask('api', 'make all');
    await ask('docs', 'make clean');
    await ask('tests', 'rm [x](command:workbench.action.quit) $(zap)');
  });
  const toast = first.toast('waiting for you: api, docs, tests');
  await toast.waitFor();
  await first.look('here');
  await first.press(toast, 'Approve');
  const hostile = first.row('Bash: rm [x](command:workbench.action.quit) $');
  await hostile.waitFor();
  assert.equal(await hostile.locator('a[href], .codicon-zap').count(), 0);
  for (const asked of ['make all', 'make clean']) await first.pick(asked);
  await first.shot('approve-some');
  env.symposium('agent', 'deny', 'docs');
  await env.is('docs', 'idle');
  await first.enter();
  await env.is('api', 'idle');
  assert.equal(env.agent('tests').status, 'waiting', 'an agent that was not selected is not approved');
  await first.press(first.toast('docs` shows no dialog'), 'Show Details');
  await first.page.locator('.tab', { hasText: 'details.txt' }).waitFor();
  env.symposium('agent', 'deny', 'tests');
  await first.statusSays('3 idle');
  await first.clearToasts();
});

const isRunning = (id) => until(`task ${id} is running`, () => env.symposium('task', 'show', String(id)).state === 'running');

step('a failed task is reported with its reason, and again after a retry', async () => {
  const { id } = env.symposium('task', 'add', 'docs', '/work 60s');
  for (const reason of ['no disk left', 'still none']) {
    await isRunning(id);
    env.symposium('task', 'fail', String(id), reason);
    const toast = first.toast(`docs failed task #${id} /work 60s: ${reason}`);
    await toast.waitFor();
    assert.equal(await toast.locator('.codicon-warning').count(), 1);
    await first.clearToasts();
    env.symposium('agent', 'interrupt', 'docs');
    await env.is('docs', 'idle');
    if (reason === 'no disk left') env.symposium('task', 'retry', String(id));
  }
  await first.statusSays('3 idle');
  assert.equal(await toasts(first, 'docs'), 0, 'the end of the turn is not reported too');
});

step('the result of an ephemeral agent is reported after its removal', async () => {
  const { id: agent } = env.symposium('agent', 'spawn', 'demo', '--name', 'brief', '--ephemeral', '--task', '/work 2s');
  const toast = first.toast('/work 2s: Worked for 2s.');
  await toast.waitFor();
  assert.match(await toast.innerText(), /brief finished task #\d+ /);
  assert.equal(await toast.locator('.monaco-button', { hasText: /Attach|Show Recap/ }).count(), 0);
  await until('the agent was removed', () => env.agent('brief') === undefined);
  await first.press(toast, 'Show Task');
  const { id } = env.symposium('task', 'list', '--all').find(({ agent_id }) => agent_id === agent);
  // A preview takes the focus late, also from a window that is in the background.
  await first.previewShows('h1', `Task ${id}`);
  await first.clearToasts();
  await first.statusSays('3 idle');
});

/** Creates events for a user who is away: a question and a finished task. */
const happen = async (between = () => undefined) => {
  await ask('docs', 'make clean');
  await between();
  const before = env.agent('tests').tasks.done;
  env.symposium('task', 'add', 'tests', 'count to three');
  await until('the task is done', () => env.agent('tests').tasks.done > before);
  await env.is('tests', 'idle');
};

step('a returning user is offered the recaps of agents with news as one document', async () => {
  await first.look('elsewhere');
  await first.setClock('ahead');
  // Events within 300 ms are one notification.
  await happen(() => first.toast('docs waits for you').waitFor());
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
  await first.palette('View: Close All Editors');
  env.symposium('agent', 'deny', 'docs');
  await first.statusSays('3 idle');
  await first.clearToasts();
  await first.setClock('right');
});

step('another window on the same folder has its own watcher and its own terminal', async () => {
  await first.attach('docs');
  const [mine] = env.clients();
  const page = await env.openWindow();
  second = new VSCodeWindow({ ...env, name: 'windows-second', page, symposium: (...args) => env.symposium(...args) });
  await second.ready();
  await second.statusSays('3 idle', 60_000);
  await until('there are two watchers', () => watchers().length === 2);
  await second.chooseAgent('docs');
  await second.terminalShows('watching only');
  await until('docs has two clients', () => env.clients().length === 2);
  assert.ok(env.clients().includes(mine));
  assert.equal((await second.terminals()).length, 1);
  await second.shot('second-window');
  env.symposium('agent', 'detach', 'docs');
  await until('docs has no client', () => env.clients().length === 0);
  const isClosed = async (window) => (await window.terminals()).every((screen) => !screen.includes('docs · '));
  await Promise.all([first, second].map((window) => until('its terminal has closed', () => isClosed(window))));
});

/** Lets an agent ask, and returns the number of notifications in each window after all windows had their turn. */
async function notifications(command, windows) {
  env.symposium('agent', 'send', 'docs', `/ask ${command}`);
  const { status_since } = await env.is('docs', 'waiting');
  const counts = () => Promise.all(windows.map((window) => toasts(window, `Bash: ${command}`)));
  await Promise.all(windows.map((window) => window.statusSays('1 waiting, 2 idle')));
  await until('a window shows it', async () => (await counts()).includes(1));
  if (windows.length > 1) await otherTurns(status_since);
  const shown = await counts();
  env.symposium('agent', 'deny', 'docs');
  await Promise.all(windows.map((window) => window.statusSays('3 idle')));
  for (const window of windows) await window.clearToasts();
  return shown;
}

/** The last window in turn waits two seconds. */
const otherTurns = (since) => until('the other windows had their turn', () => Date.now() - Date.parse(since) > 3_000);

step('both windows follow a change, and the focused one shows the notification', async () => {
  await first.look('elsewhere');
  await second.look('here');
  assert.deepEqual(await notifications('one', [first, second]), [0, 1]);
});

step('an agent of another project causes one notification, even if no window has the focus', async () => {
  const folder = join(env.dir, 'elsewhere');
  mkdirSync(folder);
  await env.spawn('stray', '--dir', folder);
  await Promise.all([first, second].map((window) => window.statusSays('4 idle')));
  await second.look('elsewhere');
  env.symposium('agent', 'send', 'stray', '/ask ls');
  const { status_since } = await env.is('stray', 'waiting');
  const shown = async () => (await toasts(first, 'stray waits for you')) + (await toasts(second, 'stray waits for you'));
  await until('a window shows it', shown);
  await otherTurns(status_since);
  assert.equal(await shown(), 1);
  for (const window of [first, second]) await window.clearToasts();
  env.symposium('agent', 'rm', '--force', 'stray');
  await Promise.all([first, second].map((window) => window.statusSays('3 idle')));
});

step('a crashed window does not suppress notifications', async () => {
  // It has the focus, and its extension host still runs.
  await second.look('here');
  const session = await env.browser.newCDPSession(second.page);
  const crashed = second.page.waitForEvent('crash');
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
  assert.deepEqual(await notifications('two', [first]), [1]);
});

step('a closed window ends its watcher and no agent, and offers the recap when it is opened again', async () => {
  // Leaving the page lets VS Code tell its server. Chromium may end a page without that, and the server then keeps the
  // extension host for a reconnection, as it does for the crashed window.
  await first.page.goto('about:blank');
  await until('there is one watcher', () => watchers().length === 1, 60_000);
  await env.closeBrowser();
  for (const name of ['api', 'docs', 'tests']) assert.equal(env.agent(name).status, 'idle');
  await happen();
  writeFileSync(env.variables.SYMPOSIUM_CLOCK, '');
  await env.openBrowser();
  // On a busy machine the notification is hidden again before the window is ready.
  await first.toast('While you were away: waiting for you: docs · finished: tests').waitFor({ timeout: 90_000 });
  await first.shot('reopened');
});
