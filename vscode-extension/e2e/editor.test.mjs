// A window that is untrusted at first: agents are shown and answered, their changes are reviewed in the diff editor with
// comments that are sent to the agent, and trust is needed to start a spec of the folder and to open a terminal. Then, in
// the trusted window, prompts from the editor. Last, a window for the worktree of an agent, which gets a second folder.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { VSCodeWindow, step, stepInNewest } from './support/window.mjs';
import { TestEnvironment, until } from './support/environment.mjs';

const env = new TestEnvironment('editor');
const vscode = new VSCodeWindow(env);
after(() => env.end());

const git = (folder, ...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { env: env.variables });

step('an untrusted window counts the agents in the status bar and lists them in the view', async () => {
  writeFileSync(join(env.project, 'a.json'), '{\n  "a": 1,\n  "b": \n}\n');
  writeFileSync(join(env.project, 'gone.txt'), 'text of the deleted file\n');
  git(env.project, 'add', 'gone.txt');
  git(env.project, 'commit', '-qm', 'another file');
  await env.spawn('api');
  await env.spawn('wt', '--workspace', 'worktree');
  const folder = env.agent('wt').working_directory;
  writeFileSync(join(folder, 'README.md'), '# shop\n\nchanged by the agent\n');
  git(folder, 'commit', '-qam', 'a change');
  writeFileSync(join(folder, 'new.txt'), 'a new file\n');
  rmSync(join(folder, 'gone.txt'));
  await env.startServer();
  await env.openBrowser({ trust: 'refused' });
  await vscode.ready();
  await vscode.statusSays('2 idle', 60_000);
  await vscode.openView();
  await vscode.treeRow('api').waitFor();
  await vscode.shot('untrusted');
});

stepInNewest('an untrusted window approves a question', async () => {
  env.symposium('agent', 'send', 'api', '/ask make');
  await vscode.statusSays('1 waiting');
  await vscode.act('api', 'Approve');
  await vscode.dialog().filter({ hasText: 'Bash: make' }).locator('.monaco-button', { hasText: 'Approve' }).click();
  await env.is('api', 'idle');
});

stepInNewest('a spec of an untrusted folder is not started, and the window offers to manage trust', async () => {
  mkdirSync(join(env.project, '.symposium'));
  writeFileSync(join(env.project, '.symposium/agents.toml'), '[agents.local]\nkind = "demo"\n');
  await vscode.palette('Symposium: Spawn Agent');
  await vscode.answer('A spec', 'local');
  await vscode.toast('local is a spec of this folder').locator('.monaco-button', { hasText: 'Manage Trust' }).waitFor();
  await vscode.clearToasts();
});

const widget = () => vscode.page.locator('.review-widget');
const comments = () => env.symposium('agent', 'review', 'wt', '--list').comments;
const hasState = (state) => until(`the comment is ${state}`, () => comments()[0]?.state === state);

step('the review shows the committed change, the new and the deleted file', async () => {
  await vscode.menu('wt', 'Review Changes');
  await vscode.page.locator('.tab', { hasText: 'Changes of wt (3 files)' }).waitFor();
  for (const text of ['changed by the agent', 'a new file', 'text of the deleted file']) await vscode.page.locator('.view-line', { hasText: text }).first().waitFor();
});

step('a comment on a line becomes a draft', async () => {
  // The button in the margin appears when the mouse moves over the line, if VS Code has asked for the lines with comments.
  const line = vscode.page.locator('.view-line', { hasText: 'changed by the agent' }).first();
  const button = vscode.page.locator('.comment-range-glyph.line-hover').first();
  let moves = 0;
  await until('the button for a comment is there', async () => {
    moves += 1;
    await line.hover({ position: { x: 10 + (moves % 2) * 10, y: 5 } });
    return button.isVisible();
  });
  await button.click();
  await widget().locator('.comment-form').waitFor();
  await until('the input has the focus', () => vscode.page.evaluate(() => document.activeElement?.closest('.review-widget') != null));
  await vscode.page.keyboard.type('say it in *two* words');
  await widget().locator('.monaco-button', { hasText: 'Add Draft' }).click();
  await hasState('draft');
  const [{ file, side, lines, text }] = comments();
  assert.deepEqual({ file, side, lines, text }, { file: 'README.md', side: 'new', lines: { first: 3, last: 3 }, text: 'say it in *two* words' });
  await widget().filter({ hasText: 'Draft 1' }).filter({ hasText: 'say it in *two* words' }).waitFor();
  await vscode.shot('review-draft');
});

step('the drafts are sent to the agent as one prompt', async () => {
  await vscode.clickAction(vscode.page.locator('.editor-actions').first(), 'Send Review Comments');
  await hasState('sent');
  await until('the agent has received the comment', () => env.symposium('agent', 'peek', 'wt').screen.join('\n').includes('1. README.md, line 3'));
  await widget().filter({ hasText: 'Sent comment 1' }).waitFor();
});

step('a comment is resolved', async () => {
  await vscode.clickAction(widget().first(), 'Resolve Review Comment');
  await hasState('resolved');
  await vscode.shot('review-resolved');
});

stepInNewest('attaching opens a terminal after VS Code has asked for trust', async () => {
  await vscode.act('api', 'Attach to Agent');
  await vscode.dialog().filter({ hasText: 'trust the authors' }).locator('.monaco-button', { hasText: 'Trust Folder & Continue' }).click();
  await vscode.has('api');
  await vscode.type('hello\n');
  await vscode.terminalShows('You said: hello');
  await env.is('api', 'idle');
});

const received = (text) => until(`api has received ${text}`, () => env.symposium('agent', 'peek', 'api').screen.join('\n').includes(text));

stepInNewest('a prompt of several lines is written in an editor and sent', async () => {
  await vscode.menu('api', 'Send Prompt');
  await vscode.asked('The prompt');
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

stepInNewest('a selection is sent with its location', async () => {
  await vscode.palette('View: Show Explorer');
  await vscode.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'a.json' }).dblclick();
  await vscode.page.locator('.view-line', { hasText: '"a"' }).click();
  await vscode.page.keyboard.press('Home');
  await vscode.page.keyboard.press('Shift+End');
  await vscode.page.locator('.selected-text').first().waitFor();
  await vscode.palette('Symposium: Send Selection to Agent');
  await vscode.pick('api');
  await vscode.answer('What should the agent do with it', 'explain this');
  await received('@a.json#L2');
  await env.is('api', 'idle');
});

stepInNewest('the problems of a file are sent', async () => {
  await vscode.page.locator('.squiggly-error').first().waitFor();
  await vscode.palette('Symposium: Send Problems of This File');
  await vscode.pick('api');
  await received('Fix these problems in @a.json');
  await env.is('api', 'idle');
});

stepInNewest('a problem offers an agent as a quick fix', async () => {
  await vscode.page.locator('.view-line', { hasText: '}' }).last().click();
  await until('the quick fix is offered', async () => {
    await vscode.page.keyboard.press('Control+Period');
    await vscode.page.locator('.action-widget', { hasText: 'Fix with Agent' }).waitFor({ timeout: 3_000 });
    return true;
  });
  await vscode.shot('fix-with-agent');
  await vscode.page.keyboard.press('Escape');
});

/** The window of a worktree. */
let other;
const workspace = () => join(dirname(env.agent('wt').working_directory), 'wt.code-workspace');

stepInNewest('the worktree of an agent opens in a new window with the name of the agent', async () => {
  await vscode.openView();
  const page = await vscode.windowFrom('wt', 'Open Worktree in New Window');
  await until('the window has the workspace of the agent', () => new URL(page.url()).searchParams.get('workspace') === workspace());
  other = new VSCodeWindow({ ...env, name: 'editor-worktree', page, symposium: (...args) => env.symposium(...args) });
  await env.foldersShown(page, workspace());
  await other.ready();
  await until('the title names the agent', async () => (await page.title()).includes('wt (Workspace)'));
  await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'new.txt' }).waitFor();
  await other.statusSays('2 idle', 60_000);
  await other.shot('worktree-window');
});

stepInNewest('the spawn flow asks for the folder if a window has several, and can go back to that question', async () => {
  const { page } = other;
  const { folders } = JSON.parse(readFileSync(workspace(), 'utf8'));
  writeFileSync(`${workspace()}.new`, JSON.stringify({ folders: [...folders, { path: env.project }] }));
  renameSync(`${workspace()}.new`, workspace());
  await env.foldersShown(page, workspace());
  const asked = (words) => page.locator('.quick-input-title', { hasText: words }).waitFor();
  await other.palette('Symposium: Spawn Agent');
  await asked('Spawn Agent (1/5)');
  await other.pick('shop');
  await asked('Spawn Agent (2/5)');
  await other.shot('several-folders');
  await page.locator('.quick-input-titlebar .action-label[aria-label*="Back"]').click();
  await asked('Spawn Agent (1/5)');
  await other.pick('workspace');
  await other.answer('A spec', 'demo');
  await other.answer('Its name', 'there');
  await other.answer('Its task', '');
  await other.pick('This folder');
  await until('the agent works in the worktree', () => env.agent('there')?.working_directory === env.agent('wt').working_directory);
});
