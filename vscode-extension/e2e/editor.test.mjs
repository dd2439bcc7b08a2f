// A window that is untrusted at first: agents are shown and answered, and trust is needed to start a spec of the folder and
// to open a terminal. Then, in the trusted window, prompts from the editor and the review of changes.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { VSCodeWindow, step } from './support/window.mjs';
import { TestEnvironment, until } from './support/environment.mjs';

const env = new TestEnvironment('editor');
const vscode = new VSCodeWindow(env);
after(() => env.end());

step('an untrusted window counts the agents in the status bar and lists them in the view', async () => {
  writeFileSync(join(env.project, 'a.json'), '{\n  "a": 1,\n  "b": \n}\n');
  await env.spawn('api');
  await env.startServer();
  await env.openBrowser({ trust: 'refused' });
  await vscode.ready();
  await vscode.statusSays('1 idle', 60_000);
  await vscode.openView();
  await vscode.treeRow('api').waitFor();
  await vscode.shot('untrusted');
});

step('an untrusted window approves a question', async () => {
  env.symposium('agent', 'send', 'api', '/ask make');
  await vscode.statusSays('1 waiting');
  await vscode.act('api', 'Approve');
  await vscode.dialog().filter({ hasText: 'Bash: make' }).locator('.monaco-button', { hasText: 'Approve' }).click();
  await env.is('api', 'idle');
});

step('a spec of an untrusted folder is not started, and the window offers to manage trust', async () => {
  mkdirSync(join(env.project, '.symposium'));
  writeFileSync(join(env.project, '.symposium/agents.toml'), '[agents.local]\nkind = "demo"\n');
  await vscode.palette('Symposium: Spawn Agent');
  await vscode.answer('A spec', 'local');
  await vscode.toast('local is a spec of this folder').locator('.monaco-button', { hasText: 'Manage Trust' }).waitFor();
  await vscode.clearToasts();
});

step('attaching opens a terminal after VS Code has asked for trust', async () => {
  await vscode.act('api', 'Attach to Agent');
  await vscode.dialog().filter({ hasText: 'trust the authors' }).locator('.monaco-button', { hasText: 'Trust Folder & Continue' }).click();
  await vscode.has('api');
  await vscode.type('hello\n');
  await vscode.terminalShows('You said: hello');
  await env.is('api', 'idle');
});

const received = (text) => until(`api has received ${text}`, () => env.symposium('agent', 'peek', 'api').screen.join('\n').includes(text));

step('a prompt of several lines is written in an editor and sent', async () => {
  await vscode.menu('api', 'Send Prompt');
  await until('asked for a prompt', async () => (await vscode.input().getAttribute('placeholder'))?.includes('The prompt'));
  await vscode.input().fill('first line');
  await vscode.page.locator('.quick-input-widget .action-label[aria-label*="Several Lines"]').first().click();
  await vscode.page.locator('.editor-instance .view-line', { hasText: 'first line' }).click();
  await vscode.page.keyboard.press('Control+End');
  await vscode.page.keyboard.type('\nsecond line');
  await vscode.page.locator('.view-line', { hasText: 'second line' }).waitFor();
  await vscode.shot('long-prompt');
  await vscode.page.keyboard.press('Control+Enter');
  await received('second line');
  await vscode.page.locator('.tab', { hasText: 'first line' }).waitFor({ state: 'detached' });
  assert.equal(await vscode.dialog().count(), 0, 'VS Code does not ask to save the prompt');
  await env.is('api', 'idle');
});

step('a selection is sent with its location', async () => {
  await vscode.palette('View: Show Explorer');
  await vscode.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'a.json' }).dblclick();
  await vscode.page.locator('.view-line', { hasText: '"a"' }).click();
  await vscode.page.keyboard.press('Home');
  await vscode.page.keyboard.press('Shift+End');
  await vscode.page.locator('.selected-text').first().waitFor();
  await vscode.palette('Symposium: Send Selection to Agent');
  await vscode.answer('What should the agent do with it', 'explain this');
  await received('@a.json#L2');
  await env.is('api', 'idle');
});

step('the problems of a file are sent', async () => {
  await vscode.page.locator('.squiggly-error').first().waitFor();
  await vscode.palette('Symposium: Send Problems of This File');
  await received('Fix these problems in @a.json');
  await env.is('api', 'idle');
});

step('a problem offers an agent as a quick fix', async () => {
  await vscode.page.locator('.view-line', { hasText: '}' }).last().click();
  await until('the quick fix is offered', async () => {
    await vscode.page.keyboard.press('Control+Period');
    await vscode.page.locator('.action-widget', { hasText: 'Fix with Agent' }).waitFor({ timeout: 3_000 });
    return true;
  });
  await vscode.shot('fix-with-agent');
  await vscode.page.keyboard.press('Escape');
});

step('the review shows the commits and new files of a worktree', async () => {
  await env.spawn('wt', '--workspace', 'worktree');
  const folder = env.agent('wt').working_directory;
  writeFileSync(join(folder, 'README.md'), '# shop\n\nchanged by the agent\n');
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qam', 'a change'], { env: env.variables });
  writeFileSync(join(folder, 'new.txt'), 'a new file\n');
  await vscode.openView();
  await vscode.menu('wt', 'Review Changes');
  await vscode.page.locator('.tab', { hasText: 'Changes of wt (2 files)' }).waitFor();
  for (const text of ['changed by the agent', 'a new file']) await vscode.page.locator('.view-line', { hasText: text }).first().waitFor();
  await vscode.shot('review');
});
