// A day with agents: see them, attach, type, approve, spawn, be told of a crash.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('daily');
const hands = new Hands(world);
after(() => world.end());

step('the first window opens', async () => {
  await world.spawn('api');
  await world.spawn('docs');
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
});

step('the status bar counts the agents', async () => {
  const item = await hands.statusSays('2 idle', 60_000);
  assert.equal(item.kind, '');
});

step('quick attach opens a terminal that shows the screen and takes typing', async () => {
  await hands.palette('Symposium: Attach to Agent');
  await hands.row('api').waitFor();
  await hands.shot('quick-attach');
  await hands.pick('api');
  await hands.terminalShows('api · idle');
  await hands.type('hello from the editor\n');
  await hands.terminalShows('You said: hello from the editor');
  await hands.shot('attached');
  assert.equal(world.clients().length, 1);
});

step('attaching again, by the keys, shows the same terminal', async () => {
  await hands.page.keyboard.press('Control+k');
  await hands.page.keyboard.press('a');
  await hands.pick('api');
  // A second client would be attached by the time the agent has answered.
  await hands.type('once more\n');
  await hands.terminalShows('You said: once more');
  assert.equal(world.clients().length, 1);
});

step('the view shows agents, and its actions work without asking which', async () => {
  await hands.openView();
  await hands.treeRow('docs').waitFor();
  await hands.act('docs', 'Attach to Agent');
  await until('docs has a client', () => world.clients().some((client) => client.endsWith(' docs')));
  assert.equal(world.clients().length, 2);
});

step('one that waits is told of in the status bar, the badge and a toast, and is approved from the view', async () => {
  await hands.attach('api');
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', '/ask rm -rf build');
  const item = await hands.statusSays('1 waiting');
  assert.equal(item.kind, 'warning');
  await hands.toast('docs waits for you: Bash: rm -rf build').waitFor();
  await hands.treeRow('Bash: rm -rf build').waitFor();
  await hands.shot('waiting');
  // A row is cut anywhere and moves: what is asked is read in a dialog, be it short.
  await hands.act('docs', 'Approve');
  const dialog = hands.dialog().filter({ hasText: 'docs asks' });
  await dialog.filter({ hasText: 'Bash: rm -rf build' }).waitFor();
  assert.equal(world.agent('docs').status, 'waiting');
  await hands.shot('short-question');
  await dialog.locator('.monaco-button', { hasText: 'Approve' }).click();
  await world.is('docs', 'idle');
  await hands.statusSays('2 idle');
});

step('a double click is one answer', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', '/ask make one');
  await hands.deny('docs', 2);
  await world.is('docs', 'idle');
  world.symposium('agent', 'send', 'docs', '/ask make two');
  await hands.treeRow('Bash: make two').waitFor();
  await hands.act('docs', 'Approve', 2);
  await hands.dialog().filter({ hasText: 'make two' }).locator('.monaco-button', { hasText: 'Approve' }).click();
  await world.is('docs', 'idle');
  // What is told comes in its order: an error would be there by now.
  world.symposium('agent', 'send', 'docs', '/ask make three');
  await hands.toast('Bash: make three').waitFor();
  assert.equal(await hands.page.locator('.notifications-toasts .codicon-error').count(), 0);
  assert.equal(await hands.dialog().count(), 0);
  await hands.deny('docs');
  await world.is('docs', 'idle');
});

step('an approval in a toast is given', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', '/ask make clean');
  const toast = hands.toast('docs waits for you: Bash: make clean');
  await toast.waitFor();
  await hands.press(toast, 'Approve');
  await world.is('docs', 'idle');
});

/** A command that no list and no notice shows to its end. */
const long = (end) => `rm -rf build/${'deep/'.repeat(60)}${end}`;

step('a question that does not fit into a toast is read whole before it is approved', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', `/ask ${long('\u202etxt.a [x](command:workbench.action.quit) <b>b</b>')}`);
  const toast = hands.toast('docs waits for you: Bash: rm -rf build/');
  await toast.waitFor();
  await hands.press(toast, 'Approve…');
  const dialog = hands.dialog().filter({ hasText: 'docs asks' });
  await dialog.waitFor();
  assert.ok((await dialog.innerText()).includes('<U+202E>txt.a [x](command:workbench.action.quit) <b>b</b>'), await dialog.innerText());
  assert.equal(await dialog.locator('.dialog-message-container a, b').count(), 0);
  await hands.shot('question');
  await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
  assert.equal(world.agent('docs').status, 'waiting');
  await hands.act('docs', 'Approve');
  await dialog.waitFor();
  await dialog.locator('.monaco-button', { hasText: 'Approve' }).click();
  await world.is('docs', 'idle');
});

step('one that begins alike and was asked meanwhile is not approved by that', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', `/ask ${long('old')}`);
  const toast = hands.toast('docs waits for you: Bash: rm -rf build/');
  await toast.waitFor();
  await hands.press(toast, 'Approve…');
  await hands.dialog().filter({ hasText: 'deep/old' }).waitFor();
  world.symposium('agent', 'deny', 'docs');
  world.symposium('agent', 'send', 'docs', `/ask ${long('everything')}`);
  await world.is('docs', 'waiting');
  await hands.dialog().locator('.monaco-button', { hasText: 'Approve' }).click();
  const other = hands.dialog().filter({ hasText: 'docs now asks for something else' });
  await other.waitFor();
  assert.ok((await other.innerText()).includes('deep/everything'));
  await hands.shot('another-question');
  // Who presses Enter twice is shown the agent, and has said nothing to it.
  await hands.page.keyboard.press('Enter');
  await hands.has('docs');
  assert.equal(world.agent('docs').status, 'waiting');
  await hands.deny('docs');
  await world.is('docs', 'idle');
  await hands.attach('api');
});

step('one that is too long for a dialog is read in an editor', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', `/ask echo ${'many words '.repeat(200)}to the end`);
  const first = hands.toast('docs waits for you');
  await first.waitFor();
  await hands.press(first, 'Approve…');
  await hands.page.locator('.tab', { hasText: 'docs question' }).waitFor();
  await hands.page.locator('.view-lines', { hasText: 'Bash: echo' }).click();
  await hands.page.keyboard.press('Control+End');
  await hands.page.locator('.view-lines', { hasText: 'to the end' }).waitFor();
  const toast = hands.toast('the question is in the editor');
  await toast.waitFor();
  // Only such a one stays until it is answered.
  await toast.locator('.codicon-error').waitFor();
  await hands.shot('long-question');
  // Another one meanwhile, of which the binary keeps a part.
  world.symposium('agent', 'deny', 'docs');
  world.symposium('agent', 'send', 'docs', `/ask echo another ${'many words '.repeat(600)}`);
  await world.is('docs', 'waiting');
  await hands.press(toast, 'Approve');
  const other = hands.toast('docs now asks for something else: only the beginning of the question is in the editor');
  await other.waitFor();
  await hands.page.locator('.view-lines', { hasText: 'Bash: echo another' }).waitFor();
  await hands.shot('cut-question');
  assert.equal(world.agent('docs').status, 'waiting');
  await hands.press(other, 'Approve');
  await world.is('docs', 'idle');
});

step('words from right to left are read in the order in which they are run', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', '/ask mv \u05d0\u05d1\u05d2 \u05d3\u05d4\u05d5');
  const toast = hands.toast('docs waits for you: Bash: mv');
  await toast.waitFor();
  await hands.press(toast, 'Approve…');
  const detail = hands.dialog().locator('.dialog-message-detail', { hasText: 'Bash: mv' });
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
  await hands.shot('leftward-question');
  await hands.dialog().locator('.monaco-button', { hasText: 'Approve' }).click();
  await world.is('docs', 'idle');
});

step('of a question of which only a line is known the screen is shown', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', '/ask make dist');
  await hands.statusSays('1 waiting');
  // As an older symposium leaves it.
  const registry = join(world.home, '.symposium/agent-sessions.json');
  const known = JSON.parse(readFileSync(registry, 'utf8'));
  known.sessions.docs.status.question = null;
  world.writeRegistry(JSON.stringify(known));
  await until('a line is known', () => world.agent('docs').question.extent === 'brief');
  await hands.act('docs', 'Approve');
  const dialog = hands.dialog().filter({ hasText: 'Its screen' });
  await dialog.waitFor();
  assert.ok((await dialog.innerText()).includes('Do you want to proceed?'), await dialog.innerText());
  await hands.shot('brief-question');
  await dialog.locator('.monaco-button', { hasText: 'Approve' }).click();
  await world.is('docs', 'idle');
});

step('what a hostile agent says is text in a toast, in the view and in the quick pick', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', '/ask echo [x](command:quit) $(zap) <b>b</b> **c** _d_ `e` ![f](https://g.h/i.png) j@k.org');
  const toast = hands.toast('Bash: echo [x] (command:quit) $(zap) <b>b</b> **c** _d_ `e` ![f] (https://g.h/i.png) j@k.org');
  await toast.waitFor();
  assert.equal(await toast.locator('.notification-list-item-message a').count(), 0);
  await hands.treeRow('Bash: echo [x](command:').waitFor();
  await hands.palette('Symposium: Attach to Agent');
  await hands.row('docs').waitFor();
  assert.ok((await hands.row('docs').innerText()).includes('(zap)'));
  assert.equal(await hands.row('docs').locator('.codicon-zap').count(), 0);
  await hands.row('docs').locator('.quick-input-list-label-meta .label-name').hover();
  const hover = hands.page.locator('.monaco-hover:visible, .workbench-hover:visible').filter({ hasText: 'Bash: echo' }).first();
  await hover.waitFor();
  assert.equal(await hover.locator('img, a, b, strong, em, code, .codicon').count(), 0, await hover.innerHTML());
  const words = (await hover.innerText()).replaceAll('\ufeff', '').replaceAll('ˋ', '`');
  assert.ok(words.includes('echo [x](command:quit) $(zap) <b>b</b> **c** _d_ `e` ![f](https://g.h/i.png) j@k.org'), words);
  await hands.page.keyboard.press('Escape');
  await hands.deny('docs');
  await world.is('docs', 'idle');
});

step('nothing is told of the terminal that is looked at', async () => {
  await hands.clearToasts();
  await hands.attach('api');
  await until('api has the keyboard', () => world.agent('api').clients.some((client) => client.focused));
  world.symposium('agent', 'send', 'api', '/ask ls');
  await hands.statusSays('1 waiting');
  // A toast of another agent comes behind, so one of api would be there by then.
  world.symposium('agent', 'send', 'docs', '/ask pwd');
  await hands.toast('docs waits for you').waitFor();
  assert.equal(await hands.toast('api').count(), 0);
  await hands.deny('api');
  await hands.statusSays('1 waiting, 1 idle');
  await hands.deny('docs');
  await hands.statusSays('2 idle');
  await hands.clearToasts();
});

step('the spawn flow checks the name, starts the agent and attaches', async () => {
  await hands.palette('Symposium: Spawn Agent');
  await hands.answer('A spec', 'demo');
  await until('asked for a name', async () => (await hands.input().getAttribute('placeholder'))?.includes('Its name'));
  await hands.input().fill('not a name');
  await hands.page.locator('.quick-input-message', { hasText: 'letters, digits' }).waitFor();
  await hands.shot('spawn-flow');
  await hands.answer('Its name', 'tests');
  await hands.answer('Its task', 'remember the $(date) `id`');
  await hands.pick('This folder');
  await hands.terminalShows('remember the $(date) `id`');
  await world.is('tests', 'idle');
  assert.equal(world.agent('tests').project, world.project);
});

step('a crash is told in red, with what is known of it', async () => {
  await hands.clearToasts();
  world.symposium('agent', 'send', 'docs', '/crash 3');
  await world.is('docs', 'crashed');
  await hands.toast('docs crashed: it ended with code 3').waitFor();
  const item = await hands.statusSays('1 crashed');
  assert.equal(item.kind, 'error');
  await hands.shot('crashed');
  await hands.clearToasts();
  // A double click brings it back once, and is no mistake.
  await hands.act('docs', 'Resume', 2);
  await world.is('docs', 'idle');
  await hands.statusSays('3 idle');
  await hands.has('docs');
  // What is told comes in its order: an error would be there by now.
  world.symposium('agent', 'send', 'api', '/ask ls');
  await hands.toast('api waits for you').waitFor();
  assert.equal(await hands.page.locator('.notifications-toasts .codicon-error').count(), 0);
  await hands.deny('api');
  await hands.statusSays('3 idle');
});

step('a task is added from the view, and its end is told', async () => {
  await hands.menu('tests', 'Add Task');
  await hands.answer('What should the agent do?', 'count to three');
  await until('the task is done', () => world.agent('tests').tasks.done === 1);
  const [task] = world.symposium('task', 'list', '--all');
  assert.equal(task.text, 'count to three');
});

step('a recap is a document, and what agents said in it is text', async () => {
  const inner = hands.preview();
  await hands.menu('tests', 'Show Recap');
  await hands.previewShows('li', 'count to three');
  await hands.shot('recap');
  world.symposium('agent', 'send', 'api', 'see <b>bold</b> [x](command:workbench.action.closeWindow) $(zap)');
  await world.is('api', 'idle');
  await hands.statusSays('3 idle');
  await hands.menu('api', 'Show Recap');
  await hands.previewShows('h1', 'api');
  const body = inner.locator('body');
  await until('the words are shown', async () => (await body.innerText()).includes('<b>bold</b> [x](command:'));
  assert.equal(await body.locator('a[href^="command:"]').count(), 0);
  assert.equal(await body.locator('b').count(), 0);
});

step('stopping from the view ends the agent and keeps it', async () => {
  await hands.attach('tests');
  await hands.ended('tests', () => hands.menu('tests', 'Stop Agent'));
  await world.is('tests', 'stopped');
  await hands.treeRow('stopped').waitFor();
  // What is ended without a question can be undone.
  await hands.toast('tests was stopped').waitFor();
  await hands.clearToasts();
});

step('an agent that works is not stopped without a question', async () => {
  world.symposium('agent', 'send', 'api', '/work 60s');
  await world.is('api', 'working');
  await hands.menu('api', 'Stop Agent');
  await hands.dialog().filter({ hasText: 'api is working. Stop it?' }).waitFor();
  await hands.shot('stop-working');
  await hands.dialog().locator('.monaco-button', { hasText: 'Cancel' }).click();
  assert.equal(world.agent('api').status, 'working');
  world.symposium('agent', 'interrupt', 'api');
  await world.is('api', 'idle');
});

step('a taskspace is made in one flow, and goes as a whole', async () => {
  await hands.palette('Symposium: New Taskspace');
  await hands.answer('Its name', 'space');
  await hands.answer('Its task', 'hello there');
  await hands.answer('A spec', 'demo');
  await hands.terminalShows('space · ');
  await hands.toast('space works in its own worktree').waitFor();
  const agent = await world.is('space', 'idle');
  assert.deepEqual([agent.workspace, agent.branch, agent.project], ['worktree', 'symposium/space', world.project]);
  await hands.statusSays('3 idle');
  // Work that is nowhere else outlives an Enter too many.
  const work = join(agent.working_directory, 'work.txt');
  writeFileSync(work, 'an hour of it');
  await hands.menu('space', 'Remove Agent');
  const question = hands.dialog().filter({ hasText: 'Work that exists nowhere else: 1 uncommitted file' });
  await question.filter({ hasText: 'Remove space?' }).waitFor();
  await hands.shot('unsaved-work');
  assert.equal(world.agent('space').status, 'idle', 'nothing is ended before the answer');
  await hands.page.keyboard.press('Enter');
  await hands.dialog().waitFor({ state: 'detached' });
  await hands.previewShows('h1', 'space');
  assert.equal(world.agent('space').status, 'idle');
  rmSync(work);
  await hands.attach('space');
  await hands.menu('space', 'Remove Agent');
  await hands.dialog().filter({ hasText: 'Remove space?' }).waitFor();
  await hands.ended('space', () => hands.dialog().locator('.monaco-button', { hasText: 'Remove' }).click());
  await until('the taskspace is gone', () => world.symposium('taskspace', 'list').length === 0);
  // The row below moves up: where one clicks next must have come to rest.
  await hands.treeRow('symposium/space').waitFor({ state: 'detached' });
});

step('removing asks first', async () => {
  await hands.menu('tests', 'Remove Agent');
  await hands.dialog().filter({ hasText: 'Remove tests?' }).waitFor();
  await hands.dialog().locator('.monaco-button', { hasText: 'Remove' }).click();
  await until('tests is gone', () => world.agent('tests') === undefined);
});
