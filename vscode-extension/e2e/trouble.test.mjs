// What is missing, broken or too much.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('trouble');
const hands = new Hands(world);
const registry = join(world.home, '.symposium/agent-sessions.json');
after(() => world.end());

const welcome = (text) => hands.page.locator('.welcome-view-content', { hasText: text }).first();
const tryAgain = async (text) => {
  await hands.page.locator('.welcome-view', { hasText: text }).locator('.monaco-button', { hasText: 'Try Again' }).first().click();
};

step('the first window opens', async () => {
  renameSync(world.binary, `${world.binary}.away`);
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.openView();
});

step('without the binary the view says so, and finds it when it is there', async () => {
  await welcome('was not found').waitFor({ timeout: 60_000 });
  await hands.statusSays('was not found');
  await hands.shot('missing-binary');
  // No command asks questions that would be in vain.
  for (const command of ['Attach to Agent', 'Send Prompt', 'Add Task', 'Spawn Agent', 'New Taskspace']) {
    const began = Date.now();
    await hands.palette(`Symposium: ${command}`);
    const toast = hands.toast('the program symposium was not found');
    await toast.waitFor();
    assert.equal(await hands.input().count(), 0, command);
    for (const button of ['Choose Binary', 'Diagnose', 'Try Again']) await toast.locator('.monaco-button', { hasText: button }).first().waitFor();
    if (command !== 'New Taskspace') await hands.clearToasts();
    else await hands.press(toast, 'Diagnose');
    // Of more than three notifications within 800 ms VS Code shows none but the first three.
    await until('one more would be shown', () => Date.now() - began > 300);
  }
  await hands.page.locator('.view-lines', { hasText: world.binary }).waitFor();
  await hands.shot('missing-binary-doctor');
  renameSync(`${world.binary}.away`, world.binary);
  await tryAgain('was not found');
  await welcome('No agents yet').waitFor();
  await hands.shot('welcome');
});

step('without agents a command offers to spawn one, in the place of an empty list', async () => {
  await hands.page.locator('[id="symposium.symposium.agents"] a').click();
  await hands.toast('There are no agents yet.').waitFor();
  await hands.shot('nobody-to-attach-to');
  assert.equal(await hands.input().count(), 0);
  await hands.press(hands.toast('There are no agents yet.'), 'Spawn Agent');
  await until('asked for a spec', async () => (await hands.input().getAttribute('placeholder'))?.includes('A spec'));
  await hands.page.keyboard.press('Escape');
  await hands.clearToasts();
});

step('without tmux the view says so', async () => {
  // A PATH without tmux, for this binary alone.
  renameSync(world.binary, `${world.binary}.real`);
  writeFileSync(world.binary, `#!/bin/sh\nPATH=${world.bin} exec ${world.binary}.real "$@"\n`, { mode: 0o755 });
  await hands.palette('Symposium: Refresh');
  await welcome('tmux is not installed').waitFor();
  await hands.shot('missing-tmux');
  await hands.page.locator('.welcome-view .monaco-button', { hasText: 'Copy Command' }).first().click();
  await hands.toast('Copied: ').waitFor();
  renameSync(`${world.binary}.real`, world.binary);
  await tryAgain('tmux is not installed');
  await welcome('No agents yet').waitFor();
});

/** Puts a script in the place of the binary, which it may call as "$real". */
const inItsPlace = (script) => {
  renameSync(world.binary, `${world.binary}.real`);
  writeFileSync(world.binary, `#!/bin/sh\nreal=${world.binary}.real\n${script}\n`, { mode: 0o755 });
};
const putBack = () => renameSync(`${world.binary}.real`, world.binary);

step('a list that cannot be read is told in the view and the status bar, by no toast, and is tried again', async () => {
  inItsPlace('case "$*" in *--watch*) echo "thread main panicked"; echo "at line 3"; exec sleep 1000;; *) exec "$real" "$@";; esac');
  await hands.palette('Symposium: Refresh');
  await welcome('could not be read').waitFor();
  const { label } = await hands.statusSays('agent list --watch');
  await hands.palette('Symposium: Attach to Agent');
  const told = hands.toast('Symposium: agent list --watch').filter({ hasText: 'Try Again' });
  await told.waitFor();
  assert.equal(await hands.input().count(), 0);
  await hands.clearToasts();
  assert.ok(!label.includes('\n'), label);
  assert.equal(await hands.page.locator('.notifications-toasts .notification-list-item', { hasText: 'agent list' }).count(), 0);
  await hands.shot('unreadable');
  putBack();
  await tryAgain('could not be read');
  await welcome('No agents yet').waitFor();
});

step('an agent that lacks something is named once, and the others are shown', async () => {
  await world.spawn('whole');
  await world.spawn('half', '--title', 'taken away');
  inItsPlace(`case "$*" in *list*) "$real" "$@" | sed -u 's/"title": *"taken away"/"title":7/';; *) exec "$real" "$@";; esac`);
  await hands.palette('Symposium: Refresh');
  await hands.statusSays('1 idle; cannot be shown: half');
  await hands.treeRow('whole').waitFor();
  await hands.treeRow('half').waitFor({ state: 'detached' });
  await hands.page.locator('.pane-body', { hasText: 'cannot be shown: half' }).first().waitFor();
  await hands.toast('cannot be shown: half').waitFor();
  await hands.shot('half-an-agent');
  world.symposium('agent', 'send', 'whole', '/ask ls');
  await hands.toast('whole waits for you').waitFor();
  world.symposium('agent', 'deny', 'whole');
  await hands.statusSays('1 idle; cannot be shown: half');
  assert.equal(await hands.page.locator('.notifications-toasts .notification-list-item', { hasText: 'cannot be shown' }).count(), 1);
  putBack();
  await hands.palette('Symposium: Refresh');
  await hands.statusSays('2 idle');
  for (const name of ['whole', 'half']) world.symposium('agent', 'rm', '--force', name);
  await welcome('No agents yet').waitFor();
});

step('an older binary is told apart', async () => {
  renameSync(world.binary, `${world.binary}.real`);
  writeFileSync(world.binary, '#!/bin/sh\necho symposium 0.0.1\n', { mode: 0o755 });
  await hands.palette('Symposium: Refresh');
  await welcome('older than this extension needs: 0.1.0 or newer').waitFor();
  await hands.statusSays('symposium 0.0.1 is too old: this extension needs symposium 0.1.0 or newer');
  await hands.shot('too-old');
  writeFileSync(world.binary, '#!/bin/sh\necho symposium 0.0.2\n', { mode: 0o755 });
  await hands.palette('Symposium: Refresh');
  await hands.statusSays('symposium 0.0.2 is too old');
  renameSync(`${world.binary}.real`, world.binary);
  await tryAgain('older than');
  await welcome('No agents yet').waitFor();
});

step('a registry of a newer symposium is told, with the way out, and not touched', async () => {
  await world.spawn('api');
  await hands.statusSays('1 idle');
  const good = readFileSync(registry, 'utf8');
  world.symposium('supervisor', 'stop');
  const newer = good.replace(/"format":\s*\d+/, '"format": 99');
  world.writeRegistry(newer);
  await welcome('cannot use its state directory').waitFor();
  await hands.page.locator('.welcome-view .monaco-button', { hasText: 'Diagnose' }).first().click();
  await hands.page.locator('.view-lines', { hasText: 'newer symposium' }).waitFor();
  await hands.shot('unusable');
  assert.equal(readFileSync(registry, 'utf8'), newer);
  world.writeRegistry(good);
  await tryAgain('cannot use its state directory');
  await hands.statusSays('1 idle');
});

step('a registry that is garbage is rebuilt, the garbage is kept, and the view goes on', async () => {
  world.writeRegistry('garbage');
  await until('the garbage was put aside', () => readdirSync(join(world.home, '.symposium')).some((name) => name.includes('.bad-')));
  // Its status is the one of the backup until something happens to it; that it lives is known at once.
  await until('api is back', () => world.agent('api')?.pid);
  await hands.statusSays('1 ');
  await hands.treeRow('api').waitFor();
});

step('two hundred agents are in the view within seconds, and answer to a click', async () => {
  const began = Date.now();
  world.many(200);
  await until('two hundred are counted', async () => /20\d|lost|crashed/.test((await hands.statusBar())?.label ?? ''), 60_000);
  await hands.treeRow('many-000').waitFor();
  console.log(`200 agents drawn ${Date.now() - began} ms after they were written`);
  await hands.shot('many');
  await hands.palette('Symposium: Attach to Agent');
  await hands.input().fill('many-199');
  await hands.row('many-199').waitFor();
  await hands.page.keyboard.press('Escape');
});
