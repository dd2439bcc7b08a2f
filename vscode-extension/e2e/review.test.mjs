// The review of an agent in a worktree: its changes in the diff editor, and comments that are sent to the agent. The window
// is untrusted; editor.test.mjs opens a review in a trusted one.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { VSCodeWindow, step } from './support/window.mjs';
import { TestEnvironment, until } from './support/environment.mjs';

const env = new TestEnvironment('review');
const vscode = new VSCodeWindow(env);
after(() => env.end());

const widget = () => vscode.page.locator('.review-widget');
const comments = () => env.symposium('agent', 'review', 'wt', '--list').comments;
const hasState = (state) => until(`the comment is ${state}`, () => comments()[0]?.state === state);

step('the window shows an agent with a worktree', async () => {
  const git = (...args) => execFileSync('git', ['-C', env.project, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { env: env.variables });
  writeFileSync(join(env.project, 'gone.txt'), 'text of the deleted file\n');
  git('add', '.');
  git('commit', '-qm', 'another file');
  await env.spawn('wt', '--workspace', 'worktree');
  const folder = env.agent('wt').working_directory;
  writeFileSync(join(folder, 'README.md'), '# shop\n\nchanged by the agent\n');
  writeFileSync(join(folder, 'new.txt'), 'a new file\n');
  rmSync(join(folder, 'gone.txt'));
  await env.startServer();
  await env.openBrowser({ trust: 'refused' });
  await vscode.ready();
  await vscode.statusSays('1 idle', 60_000);
  await vscode.openView();
});

step('the review shows the changed, the new and the deleted file', async () => {
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
  await vscode.page.locator('.editor-actions .action-label[aria-label*="Send Review Comments"]').first().click();
  await hasState('sent');
  await until('the agent has received the comment', () => env.symposium('agent', 'peek', 'wt').screen.join('\n').includes('1. README.md, line 3'));
  await widget().filter({ hasText: 'Sent comment 1' }).waitFor();
});

step('a comment is resolved', async () => {
  await widget().locator('.action-label[aria-label*="Resolve Review Comment"]').first().click();
  await hasState('resolved');
  await vscode.shot('review-resolved');
});
