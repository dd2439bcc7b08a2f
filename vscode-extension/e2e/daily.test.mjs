// Daily use: list, attach, type, approve, spawn, tasks, recap, stop and remove.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { VSCodeWindow, step, stepInNewest } from './support/window.mjs';
import { TestEnvironment, until } from './support/environment.mjs';

const env = new TestEnvironment('daily');
const vscode = new VSCodeWindow(env);
after(() => env.end());

step('the first window opens', async () => {
  await env.spawn('api');
  await env.spawn('docs');
  await env.startServer();
  await env.openBrowser();
  await vscode.ready();
});

step('the status bar counts the agents', async () => {
  const item = await vscode.statusSays('2 idle', 60_000);
  assert.equal(item.kind, '');
});

step('the agent picker opens a terminal that shows the screen and receives keys', async () => {
  await vscode.palette('Symposium: Attach to Agent');
  await vscode.row('api').waitFor();
  await vscode.shot('quick-attach');
  await vscode.pick('api');
  await vscode.terminalShows('api · idle');
  await vscode.type('hello from the editor\n');
  await vscode.terminalShows('You said: hello from the editor');
  await vscode.shot('attached');
  assert.equal(env.clients().length, 1);
});

step('attaching again by its keys shows the same terminal', async () => {
  await vscode.page.keyboard.press('Control+k');
  await vscode.page.keyboard.press('a');
  await vscode.pick('api');
  // A second client would be attached before the agent answers.
  await vscode.type('once more\n');
  await vscode.terminalShows('You said: once more');
  assert.equal(env.clients().length, 1);
});

step('the actions of a row need no further choice', async () => {
  await vscode.openView();
  await vscode.treeRow('docs').waitFor();
  await vscode.act('docs', 'Attach to Agent');
  await until('docs has a client', () => env.clients().some((client) => client.endsWith(' docs')));
  assert.equal(env.clients().length, 2);
});

step('a waiting agent is shown in status bar and notification, and approved from the view', async () => {
  await vscode.attach('api');
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', '/ask rm -rf build');
  const item = await vscode.statusSays('1 waiting');
  assert.equal(item.kind, 'warning');
  await vscode.toast('docs waits for you: Bash: rm -rf build').waitFor();
  await vscode.treeRow('Bash: rm -rf build').waitFor();
  await vscode.shot('waiting');
  // A row may be cut and may move, so even a short question is shown in a dialog.
  await vscode.act('docs', 'Approve');
  const dialog = vscode.dialog().filter({ hasText: 'docs asks' });
  await dialog.filter({ hasText: 'Bash: rm -rf build' }).waitFor();
  assert.equal(env.agent('docs').status, 'waiting');
  await vscode.shot('short-question');
  await dialog.locator('.monaco-button', { hasText: 'Approve' }).click();
  await env.is('docs', 'idle');
  await vscode.statusSays('2 idle');
});

stepInNewest('a double click gives one answer', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', '/ask make one');
  await vscode.deny('docs', 2);
  await env.is('docs', 'idle');
  env.symposium('agent', 'send', 'docs', '/ask make two');
  await vscode.treeRow('Bash: make two').waitFor();
  await vscode.act('docs', 'Approve', 2);
  await vscode.dialog().filter({ hasText: 'make two' }).locator('.monaco-button', { hasText: 'Approve' }).click();
  await env.is('docs', 'idle');
  // Notifications appear in order, so an error would be there by now.
  env.symposium('agent', 'send', 'docs', '/ask make three');
  await vscode.toast('Bash: make three').waitFor();
  assert.equal(await vscode.page.locator('.notifications-toasts .codicon-error').count(), 0);
  assert.equal(await vscode.dialog().count(), 0);
  await vscode.deny('docs');
  await env.is('docs', 'idle');
});

step('a notification approves a question', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', '/ask make clean');
  const toast = vscode.toast('docs waits for you: Bash: make clean');
  await toast.waitFor();
  await vscode.press(toast, 'Approve');
  await env.is('docs', 'idle');
});

/** Returns a command that is too long for a list and a notification. */
const long = (end) => `rm -rf build/${'deep/'.repeat(60)}${end}`;

stepInNewest('a question that does not fit into a notification is shown completely before it is approved', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', `/ask ${long('\u202etxt.a [x](command:workbench.action.quit) <b>b</b>')}`);
  const toast = vscode.toast('docs waits for you: Bash: rm -rf build/');
  await toast.waitFor();
  await vscode.press(toast, 'Approve…');
  const dialog = vscode.dialog().filter({ hasText: 'docs asks' });
  await dialog.waitFor();
  assert.ok((await dialog.innerText()).includes('<U+202E>txt.a [x](command:workbench.action.quit) <b>b</b>'), await dialog.innerText());
  assert.equal(await dialog.locator('.dialog-message-container a, b').count(), 0);
  await vscode.shot('question');
  await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
  assert.equal(env.agent('docs').status, 'waiting');
  await vscode.act('docs', 'Approve');
  await dialog.waitFor();
  await dialog.locator('.monaco-button', { hasText: 'Approve' }).click();
  await env.is('docs', 'idle');
});

stepInNewest('a newer question with the same beginning is not approved by an older dialog', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', `/ask ${long('old')}`);
  const toast = vscode.toast('docs waits for you: Bash: rm -rf build/');
  await toast.waitFor();
  await vscode.press(toast, 'Approve…');
  await vscode.dialog().filter({ hasText: 'deep/old' }).waitFor();
  env.symposium('agent', 'deny', 'docs');
  env.symposium('agent', 'send', 'docs', `/ask ${long('everything')}`);
  await env.is('docs', 'waiting');
  await vscode.dialog().locator('.monaco-button', { hasText: 'Approve' }).click();
  const other = vscode.dialog().filter({ hasText: 'docs now asks for something else' });
  await other.waitFor();
  assert.ok((await other.innerText()).includes('deep/everything'));
  await vscode.shot('another-question');
  // A second Enter attaches and does not answer.
  assert.ok(await vscode.pressIn('.monaco-dialog-box', 'Enter'));
  await vscode.has('docs');
  assert.equal(env.agent('docs').status, 'waiting');
  await vscode.deny('docs');
  await env.is('docs', 'idle');
  await vscode.attach('api');
});

stepInNewest('a question that is too long for a dialog is shown in an editor', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', `/ask echo ${'many words '.repeat(200)}to the end`);
  const first = vscode.toast('docs waits for you');
  await first.waitFor();
  await vscode.press(first, 'Approve…');
  await vscode.page.locator('.tab', { hasText: 'docs question' }).waitFor();
  await vscode.page.locator('.view-lines', { hasText: 'Bash: echo' }).click();
  await vscode.page.keyboard.press('Control+End');
  await vscode.page.locator('.view-lines', { hasText: 'to the end' }).waitFor();
  const toast = vscode.toast('the question is in the editor');
  await toast.waitFor();
  // Only an error notification stays until it is answered.
  await toast.locator('.codicon-error').waitFor();
  await vscode.shot('long-question');
  // A newer question, of which the binary keeps the beginning.
  env.symposium('agent', 'deny', 'docs');
  env.symposium('agent', 'send', 'docs', `/ask echo another ${'many words '.repeat(600)}`);
  await env.is('docs', 'waiting');
  await vscode.press(toast, 'Approve');
  const other = vscode.toast('docs now asks for something else: only the beginning of the question is in the editor');
  await other.waitFor();
  await vscode.page.locator('.view-lines', { hasText: 'Bash: echo another' }).waitFor();
  await vscode.shot('cut-question');
  assert.equal(env.agent('docs').status, 'waiting');
  await vscode.press(other, 'Approve');
  await env.is('docs', 'idle');
});

stepInNewest('right-to-left words are shown in the order in which they are executed', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', '/ask mv \u05d0\u05d1\u05d2 \u05d3\u05d4\u05d5');
  const toast = vscode.toast('docs waits for you: Bash: mv');
  await toast.waitFor();
  await vscode.press(toast, 'Approve…');
  const detail = vscode.dialog().locator('.dialog-message-detail', { hasText: 'Bash: mv' });
  await detail.waitFor();
  const [from, to] = await detail.evaluate((element) => {
    const node = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
    return ['\u05d0', '\u05d3'].map((letter) => {
      const range = document.createRange();
      range.setStart(node, node.data.indexOf(letter));
      range.setEnd(node, node.data.indexOf(letter) + 1);
      return range.getBoundingClientRect().left;
    });
  });
  assert.ok(from < to, `${from} is right of ${to}`);
  await vscode.shot('leftward-question');
  await vscode.dialog().locator('.monaco-button', { hasText: 'Approve' }).click();
  await env.is('docs', 'idle');
});

stepInNewest('a question that was read from the screen is shown with the screen', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', '/ask make dist');
  await vscode.statusSays('1 waiting');
  // An older symposium stores no question.
  const registry = join(env.home, '.symposium/agent-sessions.json');
  const known = JSON.parse(readFileSync(registry, 'utf8'));
  known.sessions.docs.status.question = null;
  env.writeRegistry(JSON.stringify(known));
  await until('only a line of the question is known', () => env.agent('docs').question.extent === 'brief');
  await vscode.act('docs', 'Approve');
  const dialog = vscode.dialog().filter({ hasText: 'Its screen' });
  await dialog.waitFor();
  assert.ok((await dialog.innerText()).includes('Do you want to proceed?'), await dialog.innerText());
  await vscode.shot('brief-question');
  await dialog.locator('.monaco-button', { hasText: 'Approve' }).click();
  await env.is('docs', 'idle');
});

stepInNewest('markup of an agent is text in a notification, in the view and in the quick pick', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', '/ask echo [x](command:quit) $(zap) <b>b</b> **c** _d_ `e` ![f](https://g.h/i.png) j@k.org');
  const toast = vscode.toast('Bash: echo [x] (command:quit) $(zap) <b>b</b> **c** _d_ `e` ![f] (https://g.h/i.png) j@k.org');
  await toast.waitFor();
  assert.equal(await toast.locator('.notification-list-item-message a').count(), 0);
  await vscode.treeRow('Bash: echo [x](command:').waitFor();
  await vscode.palette('Symposium: Attach to Agent');
  await vscode.row('docs').waitFor();
  assert.ok((await vscode.row('docs').innerText()).includes('(zap)'));
  assert.equal(await vscode.row('docs').locator('.codicon-zap').count(), 0);
  const hover = vscode.page.locator('.monaco-hover:visible, .workbench-hover:visible').filter({ hasText: 'Bash: echo' }).first();
  await vscode.hoverOver(vscode.row('docs').locator('.quick-input-list-label-meta .label-name'), hover);
  assert.equal(await hover.locator('img, a, b, strong, em, code, .codicon').count(), 0, await hover.innerHTML());
  const words = (await hover.innerText()).replaceAll('\ufeff', '').replaceAll('ˋ', '`');
  assert.ok(words.includes('echo [x](command:quit) $(zap) <b>b</b> **c** _d_ `e` ![f](https://g.h/i.png) j@k.org'), words);
  await vscode.page.keyboard.press('Escape');
  await vscode.deny('docs');
  await env.is('docs', 'idle');
});

step('the spawn flow checks the name, starts the agent and attaches', async () => {
  await vscode.palette('Symposium: Spawn Agent');
  await vscode.answer('A spec', 'demo');
  await vscode.asked('Its name');
  await vscode.input().fill('not a name');
  await vscode.page.locator('.quick-input-message', { hasText: 'letters, digits' }).waitFor();
  await vscode.shot('spawn-flow');
  await vscode.answer('Its name', 'tests');
  await vscode.answer('Its task', 'remember the $(date) `id`');
  await vscode.pick('This folder');
  await vscode.terminalShows('remember the $(date) `id`');
  await env.is('tests', 'idle');
  assert.equal(env.agent('tests').project, env.project);
});

step('a crash is reported as an error with its reason', async () => {
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'docs', '/crash 3');
  await env.is('docs', 'crashed');
  await vscode.toast('docs crashed: it ended with code 3').waitFor();
  const item = await vscode.statusSays('1 crashed');
  assert.equal(item.kind, 'error');
  await vscode.shot('crashed');
  await vscode.clearToasts();
  // A double click resumes once and causes no error.
  await vscode.act('docs', 'Resume', 2);
  await env.is('docs', 'idle');
  await vscode.statusSays('3 idle');
  await vscode.has('docs');
  // Notifications appear in order, so an error would be there by now.
  env.symposium('agent', 'send', 'api', '/ask ls');
  await vscode.toast('api waits for you').waitFor();
  assert.equal(await vscode.page.locator('.notifications-toasts .codicon-error').count(), 0);
  await vscode.deny('api');
  await vscode.statusSays('3 idle');
});

step('a task is added from the view and executed', async () => {
  // The tasks of an agent with a terminal wait until its user has not typed for ten seconds.
  env.symposium('agent', 'detach', 'tests');
  await until('tests has no terminal', () => env.agent('tests').clients.length === 0);
  await vscode.menu('tests', 'Add Task');
  await vscode.answer('What should the agent do?', 'count to three');
  await until('the task is done', () => env.agent('tests').tasks.done === 1);
  const [task] = env.symposium('task', 'list', '--all');
  assert.equal(task.text, 'count to three');
});

step('a recap opens as a document, and markup of agents in it is text', async () => {
  const inner = vscode.preview();
  await vscode.menu('tests', 'Show Recap');
  await vscode.previewShows('li', 'count to three');
  await vscode.shot('recap');
  env.symposium('agent', 'send', 'api', 'see <b>bold</b> [x](command:workbench.action.closeWindow) $(zap)');
  await env.is('api', 'idle');
  await vscode.statusSays('3 idle');
  await vscode.menu('api', 'Show Recap');
  await vscode.previewShows('h1', 'api');
  const body = inner.locator('body');
  await until('the words are shown', async () => (await body.innerText()).includes('<b>bold</b> [x](command:'));
  assert.equal(await body.locator('a[href^="command:"]').count(), 0);
  assert.equal(await body.locator('b').count(), 0);
});

step('stopping from the view ends the agent and keeps its row', async () => {
  await vscode.attach('tests');
  await vscode.ended('tests', () => vscode.menu('tests', 'Stop Agent'));
  await env.is('tests', 'stopped');
  await vscode.treeRow('stopped').waitFor();
  // A stop without a question can be undone.
  await vscode.toast('tests was stopped').waitFor();
  await vscode.clearToasts();
});

stepInNewest('stopping a working agent asks first', async () => {
  env.symposium('agent', 'send', 'api', '/work 60s');
  await env.is('api', 'working');
  await vscode.menu('api', 'Stop Agent');
  await vscode.dialog().filter({ hasText: 'api is working. Stop it?' }).waitFor();
  await vscode.shot('stop-working');
  await vscode.dialog().locator('.monaco-button', { hasText: 'Cancel' }).click();
  assert.equal(env.agent('api').status, 'working');
  env.symposium('agent', 'interrupt', 'api');
  await env.is('api', 'idle');
});

stepInNewest('a taskspace is created and removed with its worktree', async () => {
  await vscode.palette('Symposium: New Taskspace');
  await vscode.answer('Its name', 'space');
  await vscode.answer('Its task', 'hello there');
  await vscode.answer('A spec', 'demo');
  await vscode.terminalShows('space · ');
  await vscode.toast('space works in its own worktree').waitFor();
  const agent = await env.is('space', 'idle');
  assert.deepEqual([agent.workspace, agent.branch, agent.project], ['worktree', 'symposium/space', env.project]);
  await vscode.statusSays('3 idle');
  // Enter does not destroy unsaved work.
  const work = join(agent.working_directory, 'work.txt');
  writeFileSync(work, 'an hour of it');
  await vscode.menu('space', 'Remove Agent');
  const question = vscode.dialog().filter({ hasText: 'Work that exists nowhere else: 1 uncommitted file' });
  await question.filter({ hasText: 'Remove space?' }).waitFor();
  await vscode.shot('unsaved-work');
  assert.equal(env.agent('space').status, 'idle', 'the agent runs until the answer');
  assert.ok(await vscode.pressIn('.monaco-dialog-box', 'Enter'));
  await vscode.dialog().waitFor({ state: 'detached' });
  await vscode.previewShows('h1', 'space');
  assert.equal(env.agent('space').status, 'idle');
  rmSync(work);
  await vscode.attach('space');
  await vscode.menu('space', 'Remove Agent');
  await vscode.dialog().filter({ hasText: 'Remove space?' }).waitFor();
  await vscode.ended('space', () => vscode.dialog().locator('.monaco-button', { hasText: 'Remove' }).click());
  await until('the taskspace was removed', () => env.symposium('taskspace', 'list').length === 0);
  // The row below moves up, so the next click must wait.
  await vscode.treeRow('symposium/space').waitFor({ state: 'detached' });
});

step('removing an agent asks first', async () => {
  await vscode.menu('tests', 'Remove Agent');
  await vscode.dialog().filter({ hasText: 'Remove tests?' }).waitFor();
  await vscode.dialog().locator('.monaco-button', { hasText: 'Remove' }).click();
  await until('tests was removed', () => env.agent('tests') === undefined);
});
