// What a person or a file has wrong, and agents that are lost: said where it is met, with the way on.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('mistakes');
const hands = new Hands(world);
after(() => world.end());

step('the first window opens', async () => {
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.openView();
});

step('a path that is no program is refused while it is typed', async () => {
  await hands.palette('Symposium: Choose the symposium Binary');
  const message = (text) => hands.page.locator('.quick-input-message', { hasText: text });
  await hands.input().fill('/nope/symposium');
  await message('no such file').waitFor();
  await hands.page.keyboard.press('Enter');
  await hands.input().fill(world.project);
  await message('a directory').waitFor();
  await hands.shot('no-binary');
  await hands.page.keyboard.press('Escape');
});

step('a spec with a mistake says so, and the file is opened where it is', async () => {
  const folder = join(world.project, '.symposium');
  mkdirSync(folder);
  writeFileSync(join(folder, 'agents.toml'), '[agents.worse]\nkind = "demo"\nnonsense = 3\n');
  await hands.palette('Symposium: Spawn Agent');
  await hands.row('has a mistake').waitFor();
  await hands.answer('A spec', 'worse');
  const toast = hands.toast('unknown key');
  await toast.waitFor();
  await hands.shot('spec-mistake');
  await hands.press(toast, 'Open File');
  await hands.page.locator('.tab.active', { hasText: 'agents.toml' }).waitFor();
  // The tab is there before the text, which takes the focus when it comes.
  await hands.page.locator('.view-line', { hasText: 'nonsense' }).waitFor();
  await until('the mistake is where one types', () => hands.page.evaluate(() => document.activeElement?.closest('.monaco-editor') != null));
  await until('it is still asked which spec', async () => (await hands.input().getAttribute('placeholder'))?.includes('A spec'));
  await hands.input().press('Escape');
  rmSync(folder, { recursive: true });
  await hands.clearToasts();
});

step('what looks like an option is no spec, and can be changed', async () => {
  await hands.palette('Symposium: Spawn Agent');
  await hands.answer('A spec', '-x');
  await hands.answer('Its name', '');
  await hands.answer('Its task', '');
  await hands.pick('This folder');
  await hands.toast('-x cannot be a spec').locator('.monaco-button', { hasText: 'Try Again' }).waitFor();
  await hands.clearToasts();
});

step('after a spawn that failed the answers are there again', async () => {
  await hands.palette('Symposium: Spawn Agent');
  // At once, before the list holds what was typed.
  await hands.answer('A spec', 'no-such-spec');
  await hands.answer('Its name', 'api');
  await hands.answer('Its task', 'say hello');
  await hands.pick('An empty folder');
  const toast = hands.toast('no-such-spec');
  await toast.locator('.monaco-button', { hasText: 'Try Again' }).waitFor();
  await hands.shot('spawn-failed');
  // Who copies the hint first has not had enough.
  await hands.press(toast, 'Copy Hint');
  await until('the hint is copied', async () => (await hands.page.evaluate(() => navigator.clipboard.readText())).startsWith('symposium agent spawn'));
  await hands.press(toast, 'Try Again');
  await hands.row('as typed').waitFor();
  await hands.answer('A spec', 'demo');
  for (const [words, text] of [['Its name', 'api'], ['Its task', 'say hello']]) {
    await until(`asked: ${words}`, async () => (await hands.input().getAttribute('placeholder'))?.includes(words));
    assert.equal(await hands.input().inputValue(), text);
    await hands.page.keyboard.press('Enter');
  }
  await hands.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'An empty folder' }).waitFor();
  await hands.page.keyboard.press('Enter');
  await hands.has('api');
  assert.equal(world.agent('api').workspace, 'scratch');
});

step('an entry that the binary cannot read is named above the others, until it can', async () => {
  await world.spawn('half');
  world.symposium('agent', 'kill', 'half');
  await hands.statusSays('1 idle');
  world.symposium('supervisor', 'stop');
  const registry = join(world.home, '.symposium/agent-sessions.json');
  const good = readFileSync(registry, 'utf8');
  const known = JSON.parse(good);
  known.sessions.half.created_at = 7;
  world.writeRegistry(JSON.stringify(known));
  await hands.statusSays('1 idle; cannot be shown: half');
  await hands.page.locator('.pane-body', { hasText: 'cannot be shown: half' }).first().waitFor();
  await hands.treeRow('api').waitFor();
  await hands.shot('unreadable-entry');
  world.writeRegistry(good);
  await hands.treeRow('half').waitFor();
  await hands.page.locator('.pane-body', { hasText: 'cannot be shown' }).waitFor({ state: 'detached' });
  world.symposium('agent', 'rm', 'half');
});

step('one that is taken out of the registry is named no more after a refresh', async () => {
  const registry = join(world.home, '.symposium/agent-sessions.json');
  const good = readFileSync(registry, 'utf8');
  const known = JSON.parse(good);
  known.sessions['no name [x](command:workbench.action.quit)'] = known.sessions.api;
  world.writeRegistry(JSON.stringify(known));
  await hands.statusSays('1 idle; cannot be shown: no name [x](command:');
  await hands.page.locator('.pane-body', { hasText: 'cannot be shown: no name [x] (command:' }).first().waitFor();
  assert.equal(await hands.page.locator('.pane-body .message a').count(), 0);
  world.writeRegistry(good);
  await hands.palette('Symposium: Refresh');
  await hands.page.locator('.pane-body', { hasText: 'cannot be shown' }).waitFor({ state: 'detached' });
  assert.ok(!(await hands.statusSays('1 idle')).label.includes('cannot'));
});

step('agents that are lost with their tmux are told of as lost, and brought back', async () => {
  await hands.clearToasts();
  execFileSync('tmux', ['-S', world.socket, 'kill-server'], { env: world.env });
  const item = await hands.statusSays('1 lost');
  assert.ok(!item.label.includes('crashed'), item.label);
  const toast = hands.toast('api is lost');
  await toast.waitFor();
  await hands.shot('lost');
  await hands.press(toast, 'Restore Lost Agents');
  await world.is('api', 'idle');
});

step('one that cannot be brought back is told by why, and holds up no other', async () => {
  await hands.clearToasts();
  const dir = join(world.project, 'web');
  mkdirSync(dir);
  await world.spawn('web', '--dir', dir);
  await hands.statusSays('2 idle');
  execFileSync('tmux', ['-S', world.socket, 'kill-server'], { env: world.env });
  rmSync(dir, { recursive: true });
  await hands.statusSays('2 lost');
  await hands.palette('Symposium: Restore Lost Agents');
  await hands.toast('web was not restored').waitFor();
  await hands.shot('not-restored');
  await world.is('api', 'idle');
  world.symposium('agent', 'rm', '--force', 'web');
  await hands.statusSays('1 idle');
  await hands.palette('Symposium: Restore Lost Agents');
  await hands.toast('No agent is lost.').waitFor();
});

step('one that its policy gives up is told of in red', async () => {
  await hands.clearToasts();
  writeFileSync(join(world.home, '.symposium/config.toml'), '[restart]\nfirst = "1s"\nmost = 1\n');
  // A step before has stopped it, and it stays so until somebody starts it.
  world.symposium('supervisor', 'start');
  await world.spawn('frail', '--restart', 'on-failure');
  const crash = () => world.symposium('agent', 'send', 'frail', '/crash 3');
  crash();
  await until('it was started again', () => world.agent('frail').restart.count === 1);
  await world.is('frail', 'idle');
  crash();
  const toast = hands.toast('frail is given up after 1 restart');
  await toast.waitFor();
  assert.equal(await toast.locator('.codicon-error').count(), 1);
  await hands.shot('given-up');
});

step('who took the wrong one of several folders goes back and takes another', async () => {
  const other = join(world.dir, 'other');
  mkdirSync(other);
  const both = join(world.dir, 'both.code-workspace');
  writeFileSync(both, JSON.stringify({ folders: [{ path: world.project }, { path: other }] }));
  const page = await world.openWindow(both);
  const window = new Hands({ ...world, name: 'mistakes-both', page, symposium: (...args) => world.symposium(...args) });
  await window.ready();
  // VS Code loses the folders of a workspace file when it reads the file before the window listens, which happens on a busy
  // machine. It has them in its cache by then, and shows them after a reload.
  const explorer = page.locator('.explorer-viewlet');
  await until('the explorer shows what is open', async () => /other|no folder opened/i.test(await explorer.innerText()));
  if (/no folder opened/i.test(await explorer.innerText())) await window.throwAway();
  await explorer.filter({ hasText: 'other' }).waitFor();
  await window.statusSays('1 idle', 60_000);
  const asked = (words) => page.locator('.quick-input-title', { hasText: words }).waitFor();
  await window.palette('Symposium: Spawn Agent');
  await asked('Spawn Agent (1/5)');
  await window.pick('shop');
  await asked('Spawn Agent (2/5)');
  await window.shot('several-folders');
  await page.locator('.quick-input-titlebar .action-label[aria-label*="Back"]').click();
  await asked('Spawn Agent (1/5)');
  await window.pick('other');
  await window.answer('A spec', 'demo');
  await window.answer('Its name', 'there');
  await window.answer('Its task', '');
  await window.pick('This folder');
  await until('it works there', () => world.agent('there')?.working_directory === other);
  await page.close();
});
