// The rows of the agents view: clicks, keys, selection, the group of waiting agents, and the filter.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { VSCodeWindow, step } from './support/window.mjs';
import { TestEnvironment, until } from './support/environment.mjs';

const env = new TestEnvironment('rows');
const vscode = new VSCodeWindow(env);
after(() => env.end());

/** Selects a row by a click, and waits until VS Code shows it as selected and the view has the keyboard focus. */
async function select(name, ...modifiers) {
  await vscode.rest();
  await vscode.treeRow(name).click({ modifiers });
  await until(`${name} is selected`, async () => (await vscode.treeRow(name).getAttribute('aria-selected')) === 'true');
  await until('the view has the focus', () => vscode.page.evaluate(() => Boolean(document.activeElement?.closest('.monaco-list'))));
}

/** Presses a key in the view. */
const press = async (key) => assert.ok(await vscode.pressIn('.sidebar .monaco-list', key), `the view received ${key}`);

step('a window with agents of two projects opens', async () => {
  for (const name of ['api', 'docs', 'tests']) await env.spawn(name);
  const other = join(env.dir, 'other');
  mkdirSync(other);
  await env.spawn('far', '--dir', other);
  await env.startServer();
  await env.openBrowser();
  await vscode.ready();
  await vscode.statusSays('4 idle', 60_000);
  await vscode.openView();
  await vscode.rest();
});

step('a double click attaches, and a single click does not', async () => {
  await select('api');
  await vscode.treeRow('docs').dblclick();
  await vscode.has('docs');
  assert.deepEqual(env.agent('api').clients, []);
});

step('Enter attaches to the row that the arrow keys have reached', async () => {
  await select('docs');
  await press('ArrowDown');
  await press('Enter');
  await vscode.has('tests');
});

step('a waiting agent of another project is repeated at the top and visited next', async () => {
  env.symposium('agent', 'send', 'far', '/ask ls -la');
  await vscode.statusSays('1 waiting');
  await vscode.treeRow('Needs you').waitFor();
  await until('its row is there twice', async () => (await vscode.page.locator('.pane-body .monaco-list-row').filter({ hasText: 'Bash: ls -la' }).count()) === 2);
  await vscode.shot('needs-you');
  await vscode.palette('Symposium: Next Agent That Needs You');
  await vscode.has('far');
});

step('Ctrl+Enter shows the question of the selected row, and F2 asks for a name', async () => {
  const dialog = vscode.dialog().filter({ hasText: 'far asks' });
  await select('far');
  await press('Control+Enter');
  await dialog.filter({ hasText: 'Bash: ls -la' }).locator('.monaco-button', { hasText: 'Deny' }).click();
  await env.is('far', 'idle');
  await vscode.treeRow('Needs you').waitFor({ state: 'detached' });
  await select('docs');
  await press('F2');
  await until('asked for a name', async () => (await vscode.input().inputValue()) === 'docs');
  await vscode.page.keyboard.press('Escape');
});

step('Delete asks once for all selected rows and stops nothing without an answer', async () => {
  await select('docs');
  await select('tests', 'Shift');
  await press('Delete');
  await vscode.dialog().filter({ hasText: 'Remove 2 agents?' }).filter({ hasText: 'docs, tests' }).waitFor();
  await vscode.page.keyboard.press('Escape');
  await vscode.dialog().waitFor({ state: 'detached' });
  for (const name of ['docs', 'tests']) assert.equal(env.agent(name).status, 'idle');
});

step('several agents are stopped after one question and keep their place', async () => {
  const place = async () => (await vscode.treeRow('docs').boundingBox()).y;
  const before = await place();
  // The menu of a selected row applies to all selected rows.
  await vscode.menu('tests', 'Stop Agent');
  await vscode.dialog().filter({ hasText: 'Stop 2 agents?' }).locator('.monaco-button', { hasText: 'Stop' }).click();
  for (const name of ['docs', 'tests']) await env.is(name, 'stopped');
  await vscode.rest();
  assert.equal(await place(), before);
});

step('a filter hides other agents and is named in the title of the view', async () => {
  await vscode.palette('Symposium: Filter Agents');
  await vscode.pick('Running');
  await vscode.treeRow('docs').waitFor({ state: 'detached' });
  await vscode.treeRow('api').waitFor();
  await vscode.page.locator('.pane-header', { hasText: 'Running' }).waitFor();
  await vscode.palette('Symposium: Filter Agents');
  await vscode.pick('All agents');
  await vscode.treeRow('docs').waitFor();
});

step('ended agents are removed together', async () => {
  await vscode.palette('Symposium: Remove Ended Agents');
  await vscode.row('docs').waitFor();
  await vscode.shot('prune');
  await vscode.enter();
  await vscode.dialog().filter({ hasText: 'Remove 2 agents?' }).locator('.monaco-button', { hasText: 'Remove' }).click();
  await until('both are gone', () => env.agent('docs') === undefined && env.agent('tests') === undefined);
  assert.equal(env.agent('api').status, 'idle');
});
