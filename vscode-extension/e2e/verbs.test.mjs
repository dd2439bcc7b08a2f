// What else can be done with an agent: watching, looking, renaming, sleeping, queues, and the ways in beside the palette.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Guest, noGuest } from './support/guest.mjs';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('verbs');
const hands = new Hands(world);
let guest;
after(async () => {
  guest?.end();
  await world.end();
});

step('the first window opens', async () => {
  await world.spawn('api', '--title', 'a [title](command:workbench.action.quit) <b>b</b>');
  await world.spawn('docs');
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.statusSays('2 idle', 60_000);
  await hands.openView();
});

const lines = () => hands.page.evaluate(() => document.querySelector('.editor-instance .view-lines')?.textContent.replace(/\u00a0/g, ' ') ?? '');
const documentSays = (text) => until(`a document says ${text}`, async () => (await lines()).includes(text));

step('watching types nothing, and the terminal of who attaches then takes its place', async () => {
  await hands.menu('docs', 'Observe');
  await hands.terminalShows('watching only');
  await hands.focused();
  await until('an observer is there', () => world.agent('docs').clients[0]?.observer === true);
  await hands.page.keyboard.type('not for docs\n');
  // What comes behind by another way is there, so what was typed would be too.
  world.symposium('agent', 'send', 'docs', 'for docs');
  await hands.terminalShows('You said: for docs');
  assert.ok(!world.symposium('agent', 'peek', 'docs').screen.join('\n').includes('not for docs'));
  await world.is('docs', 'idle');
  await hands.act('docs', 'Attach to Agent');
  await until('the one client types', () => {
    const { clients } = world.agent('docs');
    return clients.length === 1 && clients[0].observer === false;
  });
  await hands.has('docs');
});

step('the screen and the transcript are documents', async () => {
  await hands.menu('docs', 'Peek at Screen');
  await documentSays('You said: for docs');
  await hands.menu('docs', 'Show Transcript');
  await hands.page.locator('.tab', { hasText: 'docs transcript' }).waitFor();
  await documentSays('for docs');
});

step('a rename keeps the agent, and a name that is taken is refused while it is typed', async () => {
  const { id } = world.agent('docs');
  await hands.menu('docs', 'Rename Agent');
  await hands.input().fill('api');
  await hands.page.locator('.quick-input-message', { hasText: 'an agent of this name already exists' }).waitFor();
  await hands.input().fill('manual');
  await hands.page.keyboard.press('Enter');
  await until('it is called so', () => world.agent('manual')?.id === id);
  await hands.treeRow('manual').waitFor();
});

step('what was typed for one that is renamed meanwhile goes to it, and for one that is gone to nobody', async () => {
  await hands.menu('manual', 'Send Prompt');
  await until('asked for a prompt', async () => (await hands.input().getAttribute('placeholder'))?.includes('The prompt'));
  world.symposium('agent', 'rename', 'manual', 'guide');
  await world.spawn('manual');
  await hands.statusSays('3 idle');
  await hands.answer('The prompt', 'for the guide');
  await until('the guide has heard it', () => world.symposium('agent', 'peek', 'guide').screen.join('\n').includes('You said: for the guide'));
  await world.is('guide', 'idle');
  await hands.statusSays('3 idle');
  await hands.menu('manual', 'Send Prompt');
  await until('asked for a prompt', async () => (await hands.input().getAttribute('placeholder'))?.includes('The prompt'));
  world.symposium('agent', 'rm', '--force', 'manual');
  world.symposium('agent', 'rename', 'guide', 'manual');
  await hands.statusSays('2 idle');
  await hands.answer('The prompt', 'for nobody');
  await hands.toast('manual no longer exists').waitFor();
  await hands.clearToasts();
});

step('one that sleeps wakes when it is attached to', async () => {
  await hands.palette('Terminal: Kill the Active Terminal Instance');
  await until('nobody is attached', () => world.clients().length === 0);
  await hands.menu('manual', 'Hibernate Agent');
  await world.is('manual', 'hibernated');
  await hands.act('manual', 'Attach to Agent');
  await hands.has('manual');
  await world.is('manual', 'idle');
});

step('one that sleeps wakes too when a terminal still shows what was', async () => {
  await hands.menu('manual', 'Hibernate Agent');
  await world.is('manual', 'hibernated');
  assert.equal(world.clients().length, 1);
  await hands.act('manual', 'Attach to Agent');
  await world.is('manual', 'idle');
  await hands.has('manual');
  await until('it has one client, which drives', () => world.agent('manual').clients.map(({ observer }) => observer).join() === 'false');
  await hands.type('awake\n');
  await hands.terminalShows('You said: awake');
  await world.is('manual', 'idle');
  for (const [action, wakes] of [['Resume Agent', () => hands.has('manual')], ['Send Prompt', () => hands.answer('The prompt', 'good morning')]]) {
    await hands.menu('manual', 'Hibernate Agent');
    await world.is('manual', 'hibernated');
    await hands.act('manual', action);
    await wakes();
    await world.is('manual', 'idle');
  }
  await hands.terminalShows('You said: good morning');
});

step('one that has crashed is offered to be brought back beside its last screen', async () => {
  world.symposium('agent', 'send', 'manual', '/crash');
  await hands.toast('manual crashed').waitFor();
  await hands.clearToasts();
  await hands.act('manual', 'Attach to Agent');
  await hands.terminalShows('the agent has ended');
  const toast = hands.toast('manual is not running');
  await toast.waitFor();
  await hands.press(toast, 'Resume and Attach');
  await world.is('manual', 'idle');
  await hands.has('manual');
});

step('a restart is the same agent in another process', async () => {
  const { pid, id } = world.agent('manual');
  await hands.menu('manual', 'Restart Agent');
  await until('it has another process', () => world.agent('manual')?.pid && world.agent('manual').pid !== pid);
  assert.equal(world.agent('manual').id, id);
  await world.is('manual', 'idle');
});

step('one that is muted is told of by nobody', async () => {
  await hands.menu('manual', 'Mute Notifications');
  await hands.treeRow('muted').waitFor();
  await hands.palette('View: Toggle Terminal');
  world.symposium('agent', 'send', 'manual', '/ask ls');
  await hands.statusSays('1 waiting');
  world.symposium('agent', 'send', 'api', '/ask pwd');
  await hands.toast('api waits for you').waitFor();
  assert.equal(await hands.toast('manual waits').count(), 0);
  for (const name of ['manual', 'api']) world.symposium('agent', 'deny', name);
  await hands.statusSays('2 idle');
  await hands.menu('manual', 'Unmute Notifications');
  await hands.treeRow('muted').waitFor({ state: 'detached' });
  await hands.clearToasts();
});

step('a first child is seen below its parent, which stands where the child that waits would', async () => {
  await world.spawn('pa');
  await hands.treeRow('pa').waitFor();
  await world.spawn('ch', '--parent', 'pa');
  await hands.treeRow('ch').waitFor();
  world.symposium('agent', 'send', 'ch', '/ask ls');
  await hands.statusSays('1 waiting');
  await hands.rest();
  const rows = () => hands.page.evaluate(() => [...document.querySelectorAll('.pane-body .monaco-list-row')]
    .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map((row) => row.getAttribute('aria-label').split(',')[0]));
  await until('pa is above, with its child', async () => (await rows()).slice(1, 3).join() === 'pa,ch').catch(async (error) => { throw new Error(`${error.message} ${await rows()}`); });
  await hands.shot('child-waits');
  for (const name of ['ch', 'pa']) world.symposium('agent', 'rm', '--force', name);
  await hands.statusSays('2 idle');
  await hands.clearToasts();
});

step('what is done to a row that goes meanwhile is done to nobody else', async () => {
  await world.spawn('brief');
  await hands.menu('brief', 'Stop Agent', async () => {
    world.symposium('agent', 'rm', '--force', 'brief');
    await hands.treeRow('brief').waitFor({ state: 'detached' });
  });
  await hands.toast('That row has just changed').waitFor();
  await hands.shot('row-gone');
  assert.equal(await hands.input().count(), 0);
  await hands.clearToasts();
  world.symposium('agent', 'send', 'api', '/work 60s');
  await world.is('api', 'working');
  const { id } = world.symposium('task', 'add', 'api', 'a brief one');
  await hands.treeRow('a brief one').waitFor();
  await hands.menu('a brief one', 'Show Task', async () => {
    world.symposium('task', 'cancel', String(id));
    await hands.treeRow('a brief one').waitFor({ state: 'detached' });
  });
  await hands.toast('That row has just changed').waitFor();
  await hands.clearToasts();
  world.symposium('agent', 'interrupt', 'api');
  await world.is('api', 'idle');
  await hands.statusSays('2 idle');
});

step('the button above the tasks asks whose queue, whichever row is marked', async () => {
  world.symposium('agent', 'send', 'api', '/work 60s');
  await world.is('api', 'working');
  const { id } = world.symposium('task', 'add', 'api', 'one to be marked');
  await hands.treeRow('one to be marked').waitFor();
  const head = hands.page.locator('.pane-header', { hasText: 'Tasks' });
  for (const mark of [() => undefined, () => hands.treeRow('one to be marked').click()]) {
    await mark();
    await head.hover();
    await head.locator('.action-label[aria-label*="Add Task"]').click();
    await until('asked whose', async () => (await hands.input().getAttribute('placeholder'))?.includes('A task for which agent?'));
    await hands.page.keyboard.press('Escape');
  }
  world.symposium('task', 'cancel', String(id));
  world.symposium('agent', 'interrupt', 'api');
  await world.is('api', 'idle');
  await hands.statusSays('2 idle');
});

step('of those that are stopped together none leaves the keyboard to another agent', async () => {
  await world.spawn('lead');
  // It ignores that it is to leave, and so is the last to do so, some seconds later.
  world.symposium('agent', 'spawn', '--name', 'mate', '--parent', 'lead', '--', 'bash', '-c', 'trap "" HUP INT TERM; while :; do sleep 1; done');
  await world.spawn('junior', '--parent', 'mate');
  // The terminal that follows the one that closes is who gets the keyboard.
  await hands.attach('lead');
  await hands.palette('Symposium: Attach to Agent');
  await hands.pick('mate');
  await until('mate has a client', () => world.agent('mate').clients.length === 1);
  await hands.attach('api');
  await hands.attach('lead');
  await hands.menu('lead', 'Stop Agent');
  await hands.dialog().filter({ hasText: 'lead has running children: mate, junior' }).waitFor();
  assert.equal(await hands.page.evaluate(() => document.activeElement?.textContent), 'Only lead');
  await hands.shot('stop-all');
  await hands.dialog().locator('.monaco-button', { hasText: 'Stop All' }).click();
  for (const name of ['lead', 'mate', 'junior']) await world.is(name, 'stopped');
  for (const name of ['lead', 'mate']) await hands.page.locator('.terminal-tabs-entry', { hasText: name }).waitFor({ state: 'detached' });
  await until('the keyboard is in the view', () => hands.page.evaluate(() => document.activeElement?.classList.contains('monaco-list')));
  for (const name of ['junior', 'mate', 'lead']) world.symposium('agent', 'rm', name);
  await hands.rest();
});

step('a hover tells what is known, and a hostile title is text', async () => {
  await hands.rest();
  const hover = await hands.hover('api', 'Title');
  const text = await hover.innerText();
  assert.ok(text.includes('a [title](command:workbench.action.quit) <b>b</b>'), text);
  assert.equal(await hover.locator('a, b').count(), 0);
  for (const word of ['Status', 'Folder', 'Branch', 'Conversation']) assert.ok(text.includes(word), text);
  await hands.shot('tooltip');
  await hands.page.mouse.move(700, 20);
  await hover.waitFor({ state: 'hidden' });
});

step('a task is added, cancelled and tried again', async () => {
  world.symposium('agent', 'send', 'api', '/work 60s');
  await world.is('api', 'working');
  await hands.menu('api', 'Add Task');
  await hands.answer('What should the agent do?', 'count <b>sheep</b>');
  const row = hands.page.locator('.pane-body .monaco-list-row').filter({ hasText: 'count <b>sheep</b>' }).first();
  await row.waitFor();
  await row.hover();
  await row.locator('.action-label[aria-label*="Cancel"]').click();
  const state = () => world.symposium('task', 'list', '--all').at(-1).state;
  await until('it is cancelled', () => state() === 'cancelled');
  await hands.palette('Symposium: Retry Task');
  await hands.row('count <b>sheep</b>').waitFor();
  await hands.pick('count <b>sheep</b>');
  await until('it is queued again', () => state() === 'queued');
  world.symposium('agent', 'interrupt', 'api');
  await until('it is done', () => state() === 'done');
});

step('who goes on with a task that is cancelled may be interrupted', async () => {
  const { id } = world.symposium('task', 'add', 'api', '/work 60s');
  await until('it is worked at', () => world.agent('api').task?.id === id && world.agent('api').status === 'working');
  const row = hands.page.locator('.pane-body .monaco-list-row').filter({ hasText: '/work 60s' }).first();
  await row.hover();
  await row.locator('.action-label[aria-label*="Cancel"]').click();
  const toast = hands.toast('api continues its turn');
  await toast.waitFor();
  assert.equal(world.agent('api').status, 'working');
  await hands.press(toast, 'Interrupt');
  await world.is('api', 'idle');
});

step('an offer to interrupt that is out of date interrupts nothing else', async () => {
  const [first, next] = ['/work 62s', '/work 63s'].map((text) => world.symposium('task', 'add', 'api', text).id);
  const isAt = (id) => until(`it is at #${id}`, () => world.agent('api').task?.id === id && world.agent('api').status === 'working');
  await isAt(first);
  const row = hands.treeRow('/work 62s');
  await hands.treeRow('/work 63s').waitFor();
  // One that comes moves none that is there.
  const [old, fresh] = await Promise.all(['/work 62s', '/work 63s'].map((text) => hands.treeRow(text).boundingBox()));
  assert.ok(old.y < fresh.y, `${old.y} is below ${fresh.y}`);
  await row.hover();
  await row.locator('.action-label[aria-label*="Cancel"]').click();
  const toast = hands.toast('api continues its turn');
  // A notification hides by itself after some seconds, but not under the mouse.
  await toast.hover();
  world.symposium('agent', 'interrupt', 'api');
  await isAt(next);
  await hands.press(toast, 'Interrupt');
  await hands.toast('api is in another turn now').waitFor();
  assert.equal(world.agent('api').status, 'working');
  world.symposium('agent', 'interrupt', 'api');
  await world.is('api', 'idle');
  await hands.clearToasts();
});

step('a task that waits for whoever is free is in the view after a refresh, and when one begins to look', async () => {
  for (const name of ['api', 'manual']) world.symposium('agent', 'send', name, '/work 60s');
  await hands.statusSays('2 working');
  await hands.rest();
  const { id } = world.symposium('task', 'add', 'any:demo', 'for whoever is free');
  await hands.palette('Symposium: Refresh');
  await hands.treeRow('for whoever is free').waitFor();
  await hands.palette('View: Show Explorer');
  await hands.page.locator('.explorer-folders-view').waitFor();
  world.symposium('task', 'cancel', String(id));
  await hands.openView();
  await hands.treeRow('for whoever is free').waitFor({ state: 'detached' });
  for (const name of ['api', 'manual']) world.symposium('agent', 'interrupt', name);
  await hands.statusSays('2 idle');
});

step('a folder of the explorer is where an agent is spawned', async () => {
  mkdirSync(join(world.project, 'web'));
  await hands.palette('View: Show Explorer');
  const folder = hands.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'web' }).first();
  await folder.click({ button: 'right' });
  const item = hands.page.locator('.context-view .action-item').filter({ hasText: 'Spawn Agent' }).first();
  await item.hover();
  await hands.page.locator('.context-view .action-item.focused').filter({ hasText: 'Spawn Agent' }).waitFor();
  await hands.page.keyboard.press('Enter');
  await hands.answer('A spec', 'demo');
  await hands.answer('Its name', 'web');
  await hands.answer('Its task', '');
  await hands.pick('This folder');
  await hands.has('web');
  assert.equal(world.agent('web').working_directory, join(world.project, 'web'));
  await world.is('web', 'idle');
});

step('where the spec says is where Enter has it work, and a path of the project is a spec', async () => {
  mkdirSync(join(world.project, 'Solo'));
  writeFileSync(join(world.project, 'Solo/agent.md'), '---\nkind: demo\nworkspace: scratch\n---\nYou are alone.\n');
  await hands.palette('Symposium: Spawn Agent');
  await hands.answer('A spec', './Solo');
  await hands.answer('Its name', 'solo');
  await hands.answer('Its task', '');
  await hands.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'An empty folder' }).waitFor();
  await hands.page.keyboard.press('Enter');
  await hands.has('solo');
  assert.equal(world.agent('solo').workspace, 'scratch');
  world.symposium('agent', 'rm', '--force', 'solo');
  rmSync(join(world.project, 'Solo'), { recursive: true });
});

step('one that took long to start takes no keyboard from what is typed by then', async () => {
  mkdirSync(join(world.project, '.symposium'));
  writeFileSync(join(world.project, '.symposium/agents.toml'), '[agents.slow]\nkind = "demo"\nworkspace = { mode = "worktree", setup = ["sleep 11"] }\n');
  await hands.palette('Symposium: Spawn Agent');
  await hands.answer('A spec', 'slow');
  await hands.answer('Its name', 'late');
  await hands.answer('Its task', '');
  await hands.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'A git worktree' }).waitFor();
  await hands.page.keyboard.press('Enter');
  // What a project's spec runs is read before it runs.
  await hands.dialog().filter({ hasText: 'sleep 11' }).locator('.monaco-button', { hasText: 'Trust and Start' }).click();
  await hands.attach('api');
  const toast = hands.toast('late has started');
  // A notification hides by itself after some seconds, but not under the mouse.
  await toast.hover();
  await hands.type('still for api\n');
  await hands.terminalShows('You said: still for api');
  assert.deepEqual(world.agent('late').clients, []);
  await hands.press(toast, 'Attach');
  await hands.has('late');
  world.symposium('agent', 'rm', '--force', 'late');
  rmSync(join(world.project, '.symposium'), { recursive: true });
});

step('a folder that is deleted elsewhere is noticed, and its agents may go after one question', async () => {
  await world.spawn('web-two', '--dir', join(world.project, 'web'));
  rmSync(join(world.project, 'web'), { recursive: true });
  // The supervisor looks once a minute by itself.
  process.kill(world.symposium('supervisor', 'status').pid, 'SIGUSR1');
  const toast = hands.toast('The folder of these agents was deleted: web, web-two');
  await toast.waitFor({ timeout: 90_000 });
  await hands.shot('folder-gone');
  await hands.press(toast, 'Remove');
  await hands.dialog().filter({ hasText: 'Remove 2 agents?' }).filter({ hasText: 'All of them are running and will be stopped.' }).waitFor();
  await hands.dialog().locator('.monaco-button', { hasText: 'Remove' }).click();
  await until('both are gone', () => world.agent('web') === undefined && world.agent('web-two') === undefined);
  assert.equal(await hands.dialog().count(), 0);
});

step('the terminal profile asks which agent, and shows it', async () => {
  await hands.palette('Create New Terminal (With Profile)');
  await hands.pick('Symposium agent');
  await hands.pick('api');
  await hands.has('api');
  await until('api has one client', () => world.agent('api').clients.length === 1);
});

step('what an agent opens with `code` opens in this window', async () => {
  await hands.palette('Terminal: Create New Terminal');
  await until('a shell is ready', async () => (await hands.terminals()).some((screen) => /[#$]$/m.test(screen)));
  // With that terminal goes what it said of its window.
  await hands.type(`${world.binary} agent spawn --name shell -- bash --norc; exit\n`);
  await until('shell runs', () => world.agent('shell')?.pid);
  await hands.page.locator('.terminal-tabs-entry', { hasText: 'bash' }).waitFor({ state: 'detached' });
  await hands.palette('Symposium: Attach to Agent');
  await hands.pick('shell');
  await until('shell has a client', () => world.clients().some((client) => client.endsWith(' shell')));
  await hands.terminalShows('bash-');
  // The name that code-server gives to what is `code` elsewhere.
  await hands.type('code-server README.md\n');
  await hands.page.locator('.tab.active', { hasText: 'README.md' }).waitFor();
  await hands.shot('opened-by-agent');
  world.symposium('agent', 'rm', '--force', 'shell');
  await hands.treeRow('shell').waitFor({ state: 'detached' });
});

step('the walkthrough says how to begin', async () => {
  await hands.palette('Welcome: Open Walkthrough');
  await hands.pick('Agents that outlive your editor');
  await hands.page.locator('.getting-started-step', { hasText: 'agent' }).first().waitFor();
  // What was done before it was opened is ticked.
  for (const title of ['Install symposium and tmux', 'Spawn an agent']) {
    await hands.page.locator('.getting-started-step', { hasText: title }).locator('.codicon-getting-started-step-checked').first().waitFor();
  }
  await hands.shot('walkthrough');
});

/** Goes through the questions of sharing, up to the last one. */
async function share(user) {
  await hands.menu('api', 'Share Agent');
  await hands.answer('Share with which user', user);
  await hands.pick('Watch and type');
  await hands.pick('1 hour');
  await hands.dialog().filter({ hasText: 'in your name' }).waitFor();
}

step('an agent is shared with a user after what it means was said', async () => {
  await hands.openView();
  await hands.menu('api', 'Share Agent');
  await until('asked with whom', async () => (await hands.input().getAttribute('placeholder'))?.includes('Share with which user'));
  await hands.input().fill('--yes');
  await hands.page.locator('.quick-input-message', { hasText: 'login name' }).waitFor();
  await hands.answer('Share with which user', 'guest');
  await hands.row('can do everything that the agent can').waitFor();
  await hands.shot('share');
  await hands.page.keyboard.press('Escape');
  await share('guest');
  await hands.dialog().locator('.monaco-button', { hasText: 'Cancel' }).click();
  await hands.dialog().waitFor({ state: 'detached' });
  assert.deepEqual(world.symposium('agent', 'show', 'api').shares, []);
});

step('a guest types into what was shared, until that is ended', async () => {
  const reason = noGuest();
  if (reason !== undefined) {
    console.log(`skipped: ${reason}`);
    return;
  }
  guest = new Guest(world);
  await hands.attach('api');
  await share(guest.name);
  await hands.dialog().locator('.monaco-button', { hasText: 'Share' }).click();
  await hands.toast(`api is shared with ${guest.name}. Send them: symposium agent attach root/api`).waitFor();
  await hands.shot('shared');
  const [{ owner, name, read_only }] = guest.symposium('agent', 'list', '--shared');
  assert.deepEqual([name, read_only], ['api', false]);
  // The one at this window drives; what they have granted goes so far that the guest may take over.
  const terminal = guest.terminal('agent', 'attach', `${owner}/api`, '--take');
  const attached = () => world.symposium('agent', 'show', 'api').clients.some((client) => client.guest && client.user === guest.name);
  await until('the guest is attached', attached).catch((error) => { throw new Error(`${error.message}\n${terminal.seen}`); });
  terminal.stdin.write('hello from the guest\r');
  await hands.terminalShows('hello from the guest');
  await until('the guest sees the answer', () => terminal.seen.includes('hello from the guest'));
  await hands.clearToasts();
  await hands.rest();
  const hover = await hands.hover('api', `Shared with: ${guest.name} (may type`);
  await hands.shot('shared-hover');
  await hands.page.mouse.move(700, 20);
  await hover.waitFor({ state: 'hidden' });
  await hands.menu('api', 'Stop Sharing');
  await until('the guest is out', () => terminal.exitCode !== null && !attached());
  assert.deepEqual(guest.symposium('agent', 'list', '--shared'), []);
});
