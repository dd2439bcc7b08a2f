// The other commands on agents: observing, documents, renaming, hibernation, tasks, spawning and sharing.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Guest, noGuest } from './support/guest.mjs';
import { VSCodeWindow, step } from './support/window.mjs';
import { TestEnvironment, until } from './support/environment.mjs';

const env = new TestEnvironment('verbs');
const vscode = new VSCodeWindow(env);
let guest;
after(async () => {
  guest?.end();
  await env.end();
});

step('the first window opens', async () => {
  await env.spawn('api', '--title', 'a [title](command:workbench.action.quit) <b>b</b>');
  await env.spawn('docs');
  await env.startServer();
  await env.openBrowser();
  await vscode.ready();
  await vscode.statusSays('2 idle', 60_000);
  await vscode.openView();
});

const lines = () => vscode.page.evaluate(() => document.querySelector('.editor-instance .view-lines')?.textContent.replace(/\u00a0/g, ' ') ?? '');
const documentSays = (text) => until(`a document says ${text}`, async () => (await lines()).includes(text));

step('an observing terminal types nothing, and attaching replaces it', async () => {
  await vscode.menu('docs', 'Observe');
  await vscode.terminalShows('watching only');
  await vscode.focused();
  await until('an observer is there', () => env.agent('docs').clients[0]?.observer === true);
  await vscode.page.keyboard.type('not for docs\n');
  // A later prompt is shown, so the typed text would be there too.
  env.symposium('agent', 'send', 'docs', 'for docs');
  await vscode.terminalShows('You said: for docs');
  assert.ok(!env.symposium('agent', 'peek', 'docs').screen.join('\n').includes('not for docs'));
  await env.is('docs', 'idle');
  await vscode.act('docs', 'Attach to Agent');
  await until('the one client types', () => {
    const { clients } = env.agent('docs');
    return clients.length === 1 && clients[0].observer === false;
  });
  await vscode.has('docs');
});

step('the screen and the transcript open as documents', async () => {
  // The new terminal may have another size, which moves earlier output from the screen to the history.
  env.symposium('agent', 'send', 'docs', 'for the screen');
  await vscode.terminalShows('You said: for the screen');
  await env.is('docs', 'idle');
  await vscode.menu('docs', 'Peek at Screen');
  await documentSays('You said: for the screen');
  await vscode.menu('docs', 'Show Transcript');
  await vscode.page.locator('.tab', { hasText: 'docs transcript' }).waitFor();
  await documentSays('for the screen');
});

step('a rename keeps the agent, and an existing name is rejected while it is typed', async () => {
  const { id } = env.agent('docs');
  await vscode.menu('docs', 'Rename Agent');
  await vscode.input().fill('api');
  await vscode.page.locator('.quick-input-message', { hasText: 'an agent of this name already exists' }).waitFor();
  await vscode.input().fill('manual');
  await vscode.enter();
  await until('the agent has its new name', () => env.agent('manual')?.id === id);
  await vscode.treeRow('manual').waitFor();
});

step('a prompt goes to the agent it was written for, also after a rename, and to no agent after a removal', async () => {
  await vscode.menu('manual', 'Send Prompt');
  await vscode.asked('The prompt');
  env.symposium('agent', 'rename', 'manual', 'guide');
  await env.spawn('manual');
  await vscode.statusSays('3 idle');
  await vscode.answer('The prompt', 'for the guide');
  await until('the guide has heard it', () => env.symposium('agent', 'peek', 'guide').screen.join('\n').includes('You said: for the guide'));
  await env.is('guide', 'idle');
  await vscode.statusSays('3 idle');
  await vscode.menu('manual', 'Send Prompt');
  await vscode.asked('The prompt');
  env.symposium('agent', 'rm', '--force', 'manual');
  env.symposium('agent', 'rename', 'guide', 'manual');
  await vscode.statusSays('2 idle');
  await vscode.answer('The prompt', 'for no agent');
  await vscode.toast('manual no longer exists').waitFor();
  await vscode.clearToasts();
});

step('attaching and sending wake a hibernated agent, also with an open terminal', async () => {
  await vscode.menu('manual', 'Hibernate Agent');
  await env.is('manual', 'hibernated');
  assert.equal(env.clients().length, 1);
  await vscode.act('manual', 'Attach to Agent');
  await env.is('manual', 'idle');
  await vscode.has('manual');
  await until('it has one client, which drives', () => env.agent('manual').clients.map(({ observer }) => observer).join() === 'false');
  await vscode.type('awake\n');
  await vscode.terminalShows('You said: awake');
  await env.is('manual', 'idle');
  await vscode.menu('manual', 'Hibernate Agent');
  await env.is('manual', 'hibernated');
  await vscode.act('manual', 'Send Prompt');
  await vscode.answer('The prompt', 'good morning');
  await env.is('manual', 'idle');
  await vscode.terminalShows('You said: good morning');
});

step('attaching to a crashed agent shows its last screen and offers to resume it', async () => {
  env.symposium('agent', 'send', 'manual', '/crash');
  await vscode.toast('manual crashed').waitFor();
  await vscode.clearToasts();
  await vscode.act('manual', 'Attach to Agent');
  await vscode.terminalShows('the agent has ended');
  const toast = vscode.toast('manual is not running');
  await toast.waitFor();
  await vscode.press(toast, 'Resume and Attach');
  await env.is('manual', 'idle');
  await vscode.has('manual');
});

step('a restart keeps the agent and changes its process', async () => {
  const { pid, id } = env.agent('manual');
  await vscode.menu('manual', 'Restart Agent');
  await until('it has another process', () => env.agent('manual')?.pid && env.agent('manual').pid !== pid);
  assert.equal(env.agent('manual').id, id);
  await env.is('manual', 'idle');
});

step('the row of a muted agent is marked', async () => {
  await vscode.menu('manual', 'Mute Notifications');
  await vscode.treeRow('muted').waitFor();
  await vscode.menu('manual', 'Unmute Notifications');
  await vscode.treeRow('muted').waitFor({ state: 'detached' });
});

step('a waiting child is visible below its parent, which moves up with it', async () => {
  await env.spawn('pa');
  await vscode.treeRow('pa').waitFor();
  await env.spawn('ch', '--parent', 'pa');
  await vscode.treeRow('ch').waitFor();
  env.symposium('agent', 'send', 'ch', '/ask ls');
  await vscode.statusSays('1 waiting');
  await vscode.rest();
  const rows = () => vscode.page.evaluate(() => [...document.querySelectorAll('.pane-body .monaco-list-row')]
    .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map((row) => row.getAttribute('aria-label').split(',')[0]));
  await until('pa is above, with its child', async () => (await rows()).slice(1, 3).join() === 'pa,ch').catch(async (error) => { throw new Error(`${error.message} ${await rows()}`); });
  await vscode.shot('child-waits');
  for (const name of ['ch', 'pa']) env.symposium('agent', 'rm', '--force', name);
  await vscode.statusSays('2 idle');
  await vscode.clearToasts();
});

/** Returns the row of a task. The row of an agent may contain the same text. */
const taskRow = (text) =>
  vscode.page.locator('.pane', { has: vscode.page.locator('.pane-header', { hasText: 'Tasks' }) }).locator('.monaco-list-row').filter({ hasText: text }).first();

step('a command on a row that disappears affects no other row', async () => {
  await env.spawn('brief');
  await vscode.menu('brief', 'Stop Agent', async () => {
    env.symposium('agent', 'rm', '--force', 'brief');
    await vscode.treeRow('brief').waitFor({ state: 'detached' });
  });
  await vscode.toast('That row has just changed').waitFor();
  await vscode.shot('row-gone');
  assert.equal(await vscode.input().count(), 0);
  await vscode.clearToasts();
  env.symposium('agent', 'send', 'api', '/work 60s');
  await env.is('api', 'working');
  const { id } = env.symposium('task', 'add', 'api', 'a brief one');
  await taskRow('a brief one').waitFor();
  await vscode.menuOf(taskRow('a brief one'), 'Show Task', async () => {
    env.symposium('task', 'cancel', String(id));
    await taskRow('a brief one').waitFor({ state: 'detached' });
  });
  await vscode.toast('That row has just changed').waitFor();
  await vscode.clearToasts();
  env.symposium('agent', 'interrupt', 'api');
  await env.is('api', 'idle');
  await vscode.statusSays('2 idle');
});

step('the Add Task button asks for the agent, whichever row is selected', async () => {
  env.symposium('agent', 'send', 'api', '/work 60s');
  await env.is('api', 'working');
  const { id } = env.symposium('task', 'add', 'api', 'one to be marked');
  await taskRow('one to be marked').waitFor();
  const head = vscode.page.locator('.pane-header', { hasText: 'Tasks' });
  for (const mark of [() => undefined, () => taskRow('one to be marked').click()]) {
    await mark();
    await vscode.clickAction(head, 'Add Task');
    await vscode.asked('A task for which agent?');
    await vscode.page.keyboard.press('Escape');
  }
  env.symposium('task', 'cancel', String(id));
  env.symposium('agent', 'interrupt', 'api');
  await env.is('api', 'idle');
  await vscode.statusSays('2 idle');
});

step('stopping several agents keeps the keyboard focus in the view', async () => {
  await env.spawn('lead');
  // It ignores the signals and ends last.
  const gone = join(env.dir, 'lead-is-gone');
  env.symposium('agent', 'spawn', '--name', 'mate', '--parent', 'lead', '--', 'bash', '-c', `trap "" HUP INT TERM; until [ -e ${gone} ]; do sleep 0.1; done`);
  await env.spawn('junior', '--parent', 'mate');
  // VS Code would focus the terminal that follows the closed one.
  await vscode.attach('lead');
  await vscode.chooseAgent('mate');
  await until('mate has a client', () => env.agent('mate').clients.length === 1);
  await vscode.attach('api');
  await vscode.attach('lead');
  await vscode.menu('lead', 'Stop Agent');
  await vscode.dialog().filter({ hasText: 'lead has running children: mate, junior' }).waitFor();
  assert.equal(await vscode.page.evaluate(() => document.activeElement?.textContent), 'Only lead');
  await vscode.shot('stop-all');
  await vscode.dialog().locator('.monaco-button', { hasText: 'Stop All' }).click();
  const closed = (name) => vscode.page.locator('.terminal-tabs-entry', { hasText: name }).waitFor({ state: 'detached' });
  await closed('lead');
  writeFileSync(gone, '');
  await closed('mate');
  for (const name of ['lead', 'mate', 'junior']) await env.is(name, 'stopped');
  await until('the keyboard is in the view', () => vscode.page.evaluate(() => document.activeElement?.classList.contains('monaco-list')));
  for (const name of ['junior', 'mate', 'lead']) env.symposium('agent', 'rm', name);
  await vscode.rest();
});

step('a hover shows the details, and markup in a title is text', async () => {
  await vscode.rest();
  const hover = await vscode.hover('api', 'Title');
  const text = await hover.innerText();
  assert.ok(text.includes('a [title](command:workbench.action.quit) <b>b</b>'), text);
  assert.equal(await hover.locator('a, b').count(), 0);
  for (const word of ['Status', 'Folder', 'Branch', 'Conversation']) assert.ok(text.includes(word), text);
  await vscode.shot('tooltip');
  await vscode.page.mouse.move(700, 20);
  await hover.waitFor({ state: 'hidden' });
});

step('a task is added, cancelled and retried', async () => {
  // The tasks of an agent with a terminal wait until its user has not typed for ten seconds.
  env.symposium('agent', 'detach', 'api');
  await until('api has no terminal', () => env.agent('api').clients.length === 0);
  env.symposium('agent', 'send', 'api', '/work 60s');
  await env.is('api', 'working');
  await vscode.menu('api', 'Add Task');
  await vscode.answer('What should the agent do?', 'count <b>sheep</b>');
  await vscode.clickAction(taskRow('count <b>sheep</b>'), 'Cancel');
  const state = () => env.symposium('task', 'list', '--all').at(-1).state;
  await until('it is cancelled', () => state() === 'cancelled');
  await vscode.palette('Symposium: Retry Task');
  await vscode.row('count <b>sheep</b>').waitFor();
  await vscode.pick('count <b>sheep</b>');
  await until('it is queued again', () => state() === 'queued');
  env.symposium('agent', 'interrupt', 'api');
  await until('it is done', () => state() === 'done');
});

step('cancelling a running task offers to interrupt its agent', async () => {
  const { id } = env.symposium('task', 'add', 'api', '/work 60s');
  await until('it is worked at', () => env.agent('api').task?.id === id && env.agent('api').status === 'working');
  await vscode.clickAction(taskRow('/work 60s'), 'Cancel');
  const toast = vscode.toast('api continues its turn');
  await toast.waitFor();
  assert.equal(env.agent('api').status, 'working');
  await vscode.press(toast, 'Interrupt');
  await env.is('api', 'idle');
});

step('an outdated offer to interrupt interrupts no other turn', async () => {
  const [first, next] = ['/work 62s', '/work 63s'].map((text) => env.symposium('task', 'add', 'api', text).id);
  const isAt = (id) => until(`it is at #${id}`, () => env.agent('api').task?.id === id && env.agent('api').status === 'working');
  await isAt(first);
  await taskRow('/work 63s').waitFor();
  // A new task does not move the others.
  const [old, fresh] = await Promise.all(['/work 62s', '/work 63s'].map((text) => taskRow(text).boundingBox()));
  assert.ok(old.y < fresh.y, `${old.y} is below ${fresh.y}`);
  await vscode.clickAction(taskRow('/work 62s'), 'Cancel');
  const toast = vscode.toast('api continues its turn');
  // A notification disappears after some seconds, unless the mouse is over it.
  await toast.hover();
  env.symposium('agent', 'interrupt', 'api');
  await isAt(next);
  await vscode.press(toast, 'Interrupt');
  await vscode.toast('api is in another turn now').waitFor();
  assert.equal(env.agent('api').status, 'working');
  env.symposium('agent', 'interrupt', 'api');
  await env.is('api', 'idle');
  await vscode.clearToasts();
});

step('a task without an agent appears after a refresh and when the view becomes visible', async () => {
  for (const name of ['api', 'manual']) env.symposium('agent', 'send', name, '/work 60s');
  await vscode.statusSays('2 working');
  await vscode.rest();
  const { id } = env.symposium('task', 'add', 'any:demo', 'for any agent');
  await vscode.palette('Symposium: Refresh');
  await vscode.treeRow('for any agent').waitFor();
  await vscode.palette('View: Show Explorer');
  await vscode.page.locator('.explorer-folders-view').waitFor();
  env.symposium('task', 'cancel', String(id));
  await vscode.openView();
  await vscode.treeRow('for any agent').waitFor({ state: 'detached' });
  for (const name of ['api', 'manual']) env.symposium('agent', 'interrupt', name);
  await vscode.statusSays('2 idle');
});

step('an agent is spawned in a folder of the explorer', async () => {
  mkdirSync(join(env.project, 'web'));
  await vscode.palette('View: Show Explorer');
  const folder = vscode.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'web' }).first();
  await vscode.menuOf(folder, 'Spawn Agent');
  await vscode.answer('A spec', 'demo');
  await vscode.answer('Its name', 'web');
  await vscode.answer('Its task', '');
  await vscode.pick('This folder');
  await vscode.has('web');
  assert.equal(env.agent('web').working_directory, join(env.project, 'web'));
  await env.is('web', 'idle');
});

step('Enter takes the workspace of the spec, and a path of the project is a spec', async () => {
  mkdirSync(join(env.project, 'Solo'));
  writeFileSync(join(env.project, 'Solo/agent.md'), '---\nkind: demo\nworkspace: scratch\n---\nYou are alone.\n');
  await vscode.palette('Symposium: Spawn Agent');
  await vscode.answer('A spec', './Solo');
  await vscode.answer('Its name', 'solo');
  await vscode.answer('Its task', '');
  await vscode.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'An empty folder' }).waitFor();
  await vscode.enter();
  await vscode.has('solo');
  assert.equal(env.agent('solo').workspace, 'scratch');
  env.symposium('agent', 'rm', '--force', 'solo');
  rmSync(join(env.project, 'Solo'), { recursive: true });
});

step('an agent that starts late does not take the keyboard focus', async () => {
  mkdirSync(join(env.project, '.symposium'));
  const go = join(env.dir, 'go');
  const setup = `until [ -e ${go} ]; do sleep 0.1; done`;
  writeFileSync(join(env.project, '.symposium/agents.toml'), `[agents.slow]\nkind = "demo"\nworkspace = { mode = "worktree", setup = [${JSON.stringify(setup)}] }\n`);
  await vscode.palette('Symposium: Spawn Agent');
  await vscode.answer('A spec', 'slow');
  await vscode.answer('Its name', 'late');
  await vscode.answer('Its task', '');
  await vscode.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'A git worktree' }).waitFor();
  await vscode.enter();
  // The commands of a project's spec are shown before they run.
  await vscode.dialog().filter({ hasText: setup }).locator('.monaco-button', { hasText: 'Trust and Start' }).click();
  await vscode.attach('api');
  await vscode.setClock('ahead');
  await vscode.has('api');
  writeFileSync(go, '');
  const toast = vscode.toast('late has started');
  // A notification disappears after some seconds, unless the mouse is over it.
  await toast.hover();
  await vscode.type('still for api\n');
  await vscode.terminalShows('You said: still for api');
  assert.deepEqual(env.agent('late').clients, []);
  await vscode.press(toast, 'Attach');
  await vscode.has('late');
  env.symposium('agent', 'rm', '--force', 'late');
  rmSync(join(env.project, '.symposium'), { recursive: true });
  await vscode.setClock('right');
});

step('deleting a folder offers to remove its agents after one question', async () => {
  await env.spawn('web-two', '--dir', join(env.project, 'web'));
  rmSync(join(env.project, 'web'), { recursive: true });
  // Without the signal, the supervisor checks once a minute.
  process.kill(env.symposium('supervisor', 'status').pid, 'SIGUSR1');
  const toast = vscode.toast('The folder of these agents was deleted: web, web-two');
  await toast.waitFor({ timeout: 90_000 });
  await vscode.shot('folder-gone');
  await vscode.press(toast, 'Remove');
  await vscode.dialog().filter({ hasText: 'Remove 2 agents?' }).filter({ hasText: 'All of them are running and will be stopped.' }).waitFor();
  await vscode.dialog().locator('.monaco-button', { hasText: 'Remove' }).click();
  await until('both are gone', () => env.agent('web') === undefined && env.agent('web-two') === undefined);
  assert.equal(await vscode.dialog().count(), 0);
});

step('a file that an agent opens with `code` opens in this window', async () => {
  await vscode.openShell();
  // The variables of that terminal end with it.
  await vscode.type(`${env.binary} agent spawn --name shell -- bash --norc; exit\n`);
  await until('shell runs', () => env.agent('shell')?.pid);
  await vscode.page.locator('.terminal-tabs-entry', { hasText: 'bash' }).waitFor({ state: 'detached' });
  await vscode.chooseAgent('shell');
  await until('shell has a client', () => env.clients().some((client) => client.endsWith(' shell')));
  await until('its prompt has the focus', async () => (await vscode.focusedTerminal())?.includes('bash-'));
  await vscode.settle();
  // code-server's name for `code`.
  await vscode.type('code-server README.md\n');
  await vscode.page.locator('.tab.active', { hasText: 'README.md' }).waitFor();
  await vscode.shot('opened-by-agent');
  env.symposium('agent', 'rm', '--force', 'shell');
  await vscode.treeRow('shell').waitFor({ state: 'detached' });
});

step('the walkthrough marks completed steps', async () => {
  await vscode.palette('Welcome: Open Walkthrough');
  await vscode.pick('Agents that outlive your editor');
  await vscode.page.locator('.getting-started-step', { hasText: 'agent' }).first().waitFor();
  // Steps that were completed before are marked too.
  for (const title of ['Install symposium and tmux', 'Spawn an agent']) {
    await vscode.page.locator('.getting-started-step', { hasText: title }).locator('.codicon-getting-started-step-checked').first().waitFor();
  }
  await vscode.shot('walkthrough');
});

/** Answers the questions of sharing up to the last one. */
async function share(user) {
  await vscode.menu('api', 'Share Agent');
  await vscode.answer('Share with which user', user);
  await vscode.pick('Watch and type');
  await vscode.pick('1 hour');
  await vscode.dialog().filter({ hasText: 'in your name' }).waitFor();
}

step('sharing explains the permissions before it grants them', async () => {
  await vscode.openView();
  await vscode.menu('api', 'Share Agent');
  await vscode.asked('Share with which user');
  await vscode.input().fill('--yes');
  await vscode.page.locator('.quick-input-message', { hasText: 'login name' }).waitFor();
  await vscode.answer('Share with which user', 'guest');
  await vscode.row('can do everything that the agent can').waitFor();
  await vscode.shot('share');
  await vscode.page.keyboard.press('Escape');
  await share('guest');
  await vscode.dialog().locator('.monaco-button', { hasText: 'Cancel' }).click();
  await vscode.dialog().waitFor({ state: 'detached' });
  assert.deepEqual(env.symposium('agent', 'show', 'api').shares, []);
});

step('a guest types into a shared agent until the share ends', async () => {
  const reason = noGuest();
  if (reason !== undefined) {
    console.log(`skipped: ${reason}`);
    return;
  }
  guest = new Guest(env);
  await vscode.attach('api');
  await share(guest.name);
  await vscode.dialog().locator('.monaco-button', { hasText: 'Share' }).click();
  await vscode.toast(`api is shared with ${guest.name}. Send them: symposium agent attach root/api`).waitFor();
  await vscode.shot('shared');
  const [{ owner, name, read_only }] = guest.symposium('agent', 'list', '--shared');
  assert.deepEqual([name, read_only], ['api', false]);
  // This window drives; the granted permission includes taking over.
  const terminal = guest.terminal('agent', 'attach', `${owner}/api`, '--take');
  const attached = () => env.symposium('agent', 'show', 'api').clients.some((client) => client.guest && client.user === guest.name);
  await until('the guest is attached', attached).catch((error) => { throw new Error(`${error.message}\n${terminal.seen}`); });
  terminal.stdin.write('hello from the guest\r');
  await vscode.terminalShows('hello from the guest');
  await until('the guest sees the answer', () => terminal.seen.includes('hello from the guest'));
  await vscode.clearToasts();
  await vscode.rest();
  await vscode.treeRow(`shared with ${guest.name}`).waitFor();
  const hover = await vscode.hover('api', `Shared with: ${guest.name} (may type`);
  await vscode.shot('shared-hover');
  await vscode.page.mouse.move(700, 20);
  await hover.waitFor({ state: 'hidden' });
  await vscode.menu('api', 'Stop Sharing');
  await until('the guest is out', () => terminal.exitCode !== null && !attached());
  assert.deepEqual(guest.symposium('agent', 'list', '--shared'), []);
  await vscode.treeRow('shared with').waitFor({ state: 'detached' });
});
