// From the editor to an agent: long prompts, selections, problems; and the window of a worktree.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('editor');
const hands = new Hands(world);
after(() => world.end());

const heard = (text) => until(`api has heard ${text}`, () => world.symposium('agent', 'peek', 'api').screen.join('\n').includes(text));

step('a window with a file that has a mistake opens', async () => {
  writeFileSync(join(world.project, 'a.json'), '{\n  "a": 1,\n  "b": \n}\n');
  await world.spawn('api');
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.statusSays('1 idle', 60_000);
  await hands.openView();
});

step('a prompt of several lines is written in an editor and sent', async () => {
  await hands.menu('api', 'Send Prompt');
  await until('asked for a prompt', async () => (await hands.input().getAttribute('placeholder'))?.includes('The prompt'));
  await hands.input().fill('first line');
  await hands.page.locator('.quick-input-widget .action-label[aria-label*="Several Lines"]').first().click();
  await hands.page.locator('.editor-instance .view-line', { hasText: 'first line' }).click();
  await hands.page.keyboard.press('Control+End');
  await hands.page.keyboard.type('\nsecond line');
  await hands.page.locator('.view-line', { hasText: 'second line' }).waitFor();
  await hands.shot('long-prompt');
  await hands.page.keyboard.press('Control+Enter');
  await heard('second line');
  await hands.page.locator('.tab', { hasText: 'first line' }).waitFor({ state: 'detached' });
  assert.equal(await hands.dialog().count(), 0, 'nobody is asked to save it');
  await world.is('api', 'idle');
});

step('a selection is sent with its place', async () => {
  await hands.palette('View: Show Explorer');
  await hands.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'a.json' }).dblclick();
  await hands.page.locator('.view-line', { hasText: '"a"' }).click();
  await hands.page.keyboard.press('Home');
  await hands.page.keyboard.press('Shift+End');
  await hands.page.locator('.selected-text').first().waitFor();
  await hands.palette('Symposium: Send Selection to Agent');
  await hands.answer('What should the agent do with it', 'explain this');
  await heard('@a.json#L2');
  await world.is('api', 'idle');
});

step('the problems of a file are sent', async () => {
  await hands.page.locator('.squiggly-error').first().waitFor();
  await hands.palette('Symposium: Send Problems of This File');
  await heard('Fix these problems in @a.json');
  await world.is('api', 'idle');
});

step('the quick fix of a problem is an agent', async () => {
  await hands.page.locator('.view-line', { hasText: '}' }).last().click();
  await until('the quick fix is offered', async () => {
    await hands.page.keyboard.press('Control+Period');
    await hands.page.locator('.action-widget', { hasText: 'Fix with Agent' }).waitFor({ timeout: 3_000 });
    return true;
  });
  await hands.shot('fix-with-agent');
  await hands.page.keyboard.press('Escape');
});

step('the changes of a worktree are shown since it left its project, new files too', async () => {
  await world.spawn('wt', '--workspace', 'worktree');
  const folder = world.agent('wt').working_directory;
  writeFileSync(join(folder, 'README.md'), '# shop\n\nchanged by the agent\n');
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qam', 'a change'], { env: world.env });
  writeFileSync(join(folder, 'new.txt'), 'a new file\n');
  await hands.openView();
  await hands.menu('wt', 'Review Changes');
  await hands.page.locator('.tab', { hasText: 'Changes of wt (2 files)' }).waitFor();
  for (const text of ['changed by the agent', 'a new file']) await hands.page.locator('.view-line', { hasText: text }).first().waitFor();
  await hands.shot('review');
});
