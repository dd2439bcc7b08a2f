// Problems: a missing or broken binary, tmux, registry or spec, wrong input, and lost agents.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { VSCodeWindow, step } from './support/window.mjs';
import { TestEnvironment, until } from './support/environment.mjs';

const env = new TestEnvironment('trouble');
const vscode = new VSCodeWindow(env);
const registry = join(env.home, '.symposium/agent-sessions.json');
after(() => env.end());

const welcome = (text) => vscode.page.locator('.welcome-view-content', { hasText: text }).first();
const tryAgain = async (text) => {
  await vscode.page.locator('.welcome-view', { hasText: text }).locator('.monaco-button', { hasText: 'Try Again' }).first().click();
};

step('the first window opens', async () => {
  renameSync(env.binary, `${env.binary}.away`);
  await env.startServer();
  await env.openBrowser();
  await vscode.ready();
  await vscode.openView();
});

step('the view reports a missing binary and finds it later', async () => {
  await welcome('was not found').waitFor({ timeout: 60_000 });
  await vscode.statusSays('was not found');
  await vscode.shot('missing-binary');
  // No command asks questions before it reports the problem.
  for (const command of ['Attach to Agent', 'Send Prompt', 'Add Task', 'Spawn Agent', 'New Taskspace']) {
    const began = Date.now();
    await vscode.palette(`Symposium: ${command}`);
    const toast = vscode.toast('the program symposium was not found');
    await toast.waitFor();
    assert.equal(await vscode.input().count(), 0, command);
    for (const button of ['Choose Binary', 'Diagnose', 'Try Again']) await toast.locator('.monaco-button', { hasText: button }).first().waitFor();
    if (command !== 'New Taskspace') await vscode.clearToasts();
    else await vscode.press(toast, 'Diagnose');
    // VS Code shows at most three notifications within 800 ms.
    await until('one more would be shown', () => Date.now() - began > 300);
  }
  await vscode.page.locator('.view-lines', { hasText: env.binary }).waitFor();
  await vscode.shot('missing-binary-doctor');
  renameSync(`${env.binary}.away`, env.binary);
  await tryAgain('was not found');
  await welcome('No agents yet').waitFor();
  await vscode.shot('welcome');
});

step('without agents, a command offers to spawn one', async () => {
  await vscode.page.locator('[id="symposium.symposium.agents"] a').click();
  await vscode.toast('There are no agents yet.').waitFor();
  await vscode.shot('no-agent-to-attach-to');
  assert.equal(await vscode.input().count(), 0);
  await vscode.press(vscode.toast('There are no agents yet.'), 'Spawn Agent');
  await vscode.asked('A spec');
  await vscode.page.keyboard.press('Escape');
  await vscode.clearToasts();
});

step('the view reports a missing tmux', async () => {
  // A PATH without tmux, for this binary alone.
  renameSync(env.binary, `${env.binary}.real`);
  writeFileSync(env.binary, `#!/bin/sh\nPATH=${env.bin} exec ${env.binary}.real "$@"\n`, { mode: 0o755 });
  await vscode.palette('Symposium: Refresh');
  await welcome('tmux is not installed').waitFor();
  await vscode.shot('missing-tmux');
  await vscode.page.locator('.welcome-view .monaco-button', { hasText: 'Copy Command' }).first().click();
  await vscode.toast('Copied: ').waitFor();
  renameSync(`${env.binary}.real`, env.binary);
  await tryAgain('tmux is not installed');
  await welcome('No agents yet').waitFor();
});

/** Replaces the binary by a script, which may call the binary as "$real". */
const inItsPlace = (script) => {
  renameSync(env.binary, `${env.binary}.real`);
  writeFileSync(env.binary, `#!/bin/sh\nreal=${env.binary}.real\n${script}\n`, { mode: 0o755 });
};
const putBack = () => renameSync(`${env.binary}.real`, env.binary);

step('an unreadable list is reported in the view and the status bar without a notification', async () => {
  inItsPlace('case "$*" in *--watch*) echo "thread main panicked"; echo "at line 3"; exec sleep 1000;; *) exec "$real" "$@";; esac');
  await vscode.palette('Symposium: Refresh');
  await welcome('could not be read').waitFor();
  const { label } = await vscode.statusSays('agent list --watch');
  await vscode.palette('Symposium: Attach to Agent');
  const told = vscode.toast('Symposium: agent list --watch').filter({ hasText: 'Try Again' });
  await told.waitFor();
  assert.equal(await vscode.input().count(), 0);
  await vscode.clearToasts();
  assert.ok(!label.includes('\n'), label);
  assert.equal(await vscode.page.locator('.notifications-toasts .notification-list-item', { hasText: 'agent list' }).count(), 0);
  await vscode.shot('unreadable');
  putBack();
  await tryAgain('could not be read');
  await welcome('No agents yet').waitFor();
});

step('an unreadable agent is named once, and the others are shown', async () => {
  await env.spawn('whole');
  await env.spawn('half', '--title', 'taken away');
  inItsPlace(`case "$*" in *list*) "$real" "$@" | sed -u 's/"title": *"taken away"/"title":7/';; *) exec "$real" "$@";; esac`);
  await vscode.palette('Symposium: Refresh');
  await vscode.statusSays('1 idle; cannot be shown: half');
  await vscode.treeRow('whole').waitFor();
  await vscode.treeRow('half').waitFor({ state: 'detached' });
  await vscode.page.locator('.pane-body', { hasText: 'cannot be shown: half' }).first().waitFor();
  // A notification disappears after some seconds, unless the mouse is over it.
  await vscode.toast('cannot be shown: half').hover();
  await vscode.shot('half-an-agent');
  env.symposium('agent', 'send', 'whole', '/ask ls');
  await vscode.toast('whole waits for you').waitFor();
  env.symposium('agent', 'deny', 'whole');
  await vscode.statusSays('1 idle; cannot be shown: half');
  assert.equal(await vscode.page.locator('.notifications-toasts .notification-list-item', { hasText: 'cannot be shown' }).count(), 1);
  putBack();
  await vscode.palette('Symposium: Refresh');
  await vscode.statusSays('2 idle');
  for (const name of ['whole', 'half']) env.symposium('agent', 'rm', '--force', name);
  await welcome('No agents yet').waitFor();
});

step('an old binary is reported with its version', async () => {
  renameSync(env.binary, `${env.binary}.real`);
  writeFileSync(env.binary, '#!/bin/sh\necho symposium 0.0.1\n', { mode: 0o755 });
  await vscode.palette('Symposium: Refresh');
  await welcome('older than this extension needs: 0.1.0 or newer').waitFor();
  await vscode.statusSays('symposium 0.0.1 is too old: this extension needs symposium 0.1.0 or newer');
  await vscode.shot('too-old');
  writeFileSync(env.binary, '#!/bin/sh\necho symposium 0.0.2\n', { mode: 0o755 });
  await vscode.palette('Symposium: Refresh');
  await vscode.statusSays('symposium 0.0.2 is too old');
  renameSync(`${env.binary}.real`, env.binary);
  await tryAgain('older than');
  await welcome('No agents yet').waitFor();
});

step('a registry of a newer symposium is reported and not changed', async () => {
  await env.spawn('api');
  await vscode.statusSays('1 idle');
  const good = readFileSync(registry, 'utf8');
  env.symposium('supervisor', 'stop');
  const newer = good.replace(/"format":\s*\d+/, '"format": 99');
  env.writeRegistry(newer);
  await welcome('cannot use its state directory').waitFor();
  await vscode.page.locator('.welcome-view .monaco-button', { hasText: 'Diagnose' }).first().click();
  await vscode.page.locator('.view-lines', { hasText: 'newer version of symposium' }).waitFor();
  await vscode.shot('unusable');
  assert.equal(readFileSync(registry, 'utf8'), newer);
  env.writeRegistry(good);
  await tryAgain('cannot use its state directory');
  await vscode.statusSays('1 idle');
});

step('a damaged registry is rebuilt and kept as a copy', async () => {
  env.writeRegistry('garbage');
  await until('the damaged file was kept', () => readdirSync(join(env.home, '.symposium')).some((name) => name.includes('.bad-')));
  // Its status comes from the backup until the next event.
  await until('api is back', () => env.agent('api')?.pid);
  await vscode.statusSays('1 ');
  await vscode.treeRow('api').waitFor();
});

step('an empty environment for the following steps', async () => {
  env.symposium('agent', 'rm', '--force', 'api');
  await welcome('No agents yet').waitFor();
  await vscode.clearToasts();
});

step('a path that is not a program is rejected while it is typed', async () => {
  await vscode.palette('Symposium: Choose the symposium Binary');
  const message = (text) => vscode.page.locator('.quick-input-message', { hasText: text });
  await vscode.input().fill('/nope/symposium');
  await message('no such file').waitFor();
  await vscode.enter();
  await vscode.input().fill(env.project);
  await message('a directory').waitFor();
  await vscode.shot('no-binary');
  await vscode.page.keyboard.press('Escape');
});

step('a spec with a mistake is reported, and its file opens at the mistake', async () => {
  const folder = join(env.project, '.symposium');
  mkdirSync(folder);
  writeFileSync(join(folder, 'agents.toml'), '[agents.worse]\nkind = "demo"\nnonsense = 3\n');
  await vscode.palette('Symposium: Spawn Agent');
  await vscode.row('has a mistake').waitFor();
  await vscode.answer('A spec', 'worse');
  const toast = vscode.toast('unknown key');
  await toast.waitFor();
  await vscode.shot('spec-mistake');
  await vscode.press(toast, 'Open File');
  await vscode.page.locator('.tab.active', { hasText: 'agents.toml' }).waitFor();
  // The text appears after the tab and takes the focus.
  await vscode.page.locator('.view-line', { hasText: 'nonsense' }).waitFor();
  await until('the editor has the focus', () => vscode.page.evaluate(() => document.activeElement?.closest('.monaco-editor') != null));
  await vscode.asked('A spec');
  await vscode.input().press('Escape');
  rmSync(folder, { recursive: true });
  await vscode.clearToasts();
});

step('a spec that looks like an option is rejected', async () => {
  await vscode.palette('Symposium: Spawn Agent');
  await vscode.answer('A spec', '-x');
  await vscode.answer('Its name', '');
  await vscode.answer('Its task', '');
  await vscode.pick('This folder');
  await vscode.toast('-x cannot be a spec').locator('.monaco-button', { hasText: 'Try Again' }).waitFor();
  await vscode.clearToasts();
});

step('the answers are kept after a failed spawn', async () => {
  await vscode.palette('Symposium: Spawn Agent');
  // Enter comes before the list contains the typed text.
  await vscode.answer('A spec', 'no-such-spec');
  await vscode.answer('Its name', 'api');
  await vscode.answer('Its task', 'say hello');
  await vscode.pick('An empty folder');
  const toast = vscode.toast('no-such-spec');
  await toast.locator('.monaco-button', { hasText: 'Try Again' }).waitFor();
  await vscode.shot('spawn-failed');
  // Copying the hint keeps Try Again.
  await vscode.press(toast, 'Copy Hint');
  await until('the hint is copied', async () => (await vscode.page.evaluate(() => navigator.clipboard.readText())).startsWith('symposium agent spawn'));
  await vscode.press(toast, 'Try Again');
  await vscode.row('as typed').waitFor();
  await vscode.answer('A spec', 'demo');
  for (const [words, text] of [['Its name', 'api'], ['Its task', 'say hello']]) {
    await vscode.asked(words);
    assert.equal(await vscode.input().inputValue(), text);
    await vscode.enter();
  }
  await vscode.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'An empty folder' }).waitFor();
  await vscode.enter();
  await vscode.has('api');
  assert.equal(env.agent('api').workspace, 'scratch');
});

step('a registry entry that the binary cannot read is named until it is readable', async () => {
  await env.spawn('half');
  env.symposium('agent', 'kill', 'half');
  await vscode.statusSays('1 idle');
  env.symposium('supervisor', 'stop');
  const good = readFileSync(registry, 'utf8');
  const known = JSON.parse(good);
  known.sessions.half.created_at = 7;
  env.writeRegistry(JSON.stringify(known));
  await vscode.statusSays('1 idle; cannot be shown: half');
  await vscode.page.locator('.pane-body', { hasText: 'cannot be shown: half' }).first().waitFor();
  await vscode.treeRow('api').waitFor();
  await vscode.shot('unreadable-entry');
  env.writeRegistry(good);
  await vscode.treeRow('half').waitFor();
  await vscode.page.locator('.pane-body', { hasText: 'cannot be shown' }).waitFor({ state: 'detached' });
  env.symposium('agent', 'rm', 'half');
});

step('lost agents are reported and restored', async () => {
  await vscode.clearToasts();
  execFileSync('tmux', ['-S', env.socket, 'kill-server'], { env: env.variables });
  const item = await vscode.statusSays('1 lost');
  assert.ok(!item.label.includes('crashed'), item.label);
  const toast = vscode.toast('api is lost');
  await toast.waitFor();
  await vscode.shot('lost');
  await vscode.press(toast, 'Restore Lost Agents');
  await env.is('api', 'idle');
});

step('an agent that cannot be restored is reported, and the others are restored', async () => {
  await vscode.clearToasts();
  const dir = join(env.project, 'web');
  mkdirSync(dir);
  await env.spawn('web', '--dir', dir);
  await vscode.statusSays('2 idle');
  execFileSync('tmux', ['-S', env.socket, 'kill-server'], { env: env.variables });
  rmSync(dir, { recursive: true });
  await vscode.statusSays('2 lost');
  await vscode.palette('Symposium: Restore Lost Agents');
  await vscode.toast('web was not restored').waitFor();
  await vscode.shot('not-restored');
  await env.is('api', 'idle');
  env.symposium('agent', 'rm', '--force', 'web');
  await vscode.statusSays('1 idle');
  await vscode.palette('Symposium: Restore Lost Agents');
  await vscode.toast('No agent is lost.').waitFor();
});

step('exceeding the restart limit is reported as an error', async () => {
  await vscode.clearToasts();
  writeFileSync(join(env.home, '.symposium/config.toml'), '[restart]\nfirst = "1s"\nmost = 1\n');
  // A previous step has stopped the supervisor.
  env.symposium('supervisor', 'start');
  await env.spawn('frail', '--restart', 'on-failure');
  const crash = () => env.symposium('agent', 'send', 'frail', '/crash 3');
  crash();
  await until('it was started again', () => env.agent('frail').restart.count === 1);
  await env.is('frail', 'idle');
  crash();
  const toast = vscode.toast('frail is given up after 1 restart');
  await toast.waitFor();
  assert.equal(await toast.locator('.codicon-error').count(), 1);
  await vscode.shot('given-up');
});
