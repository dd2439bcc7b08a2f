// The rows of the view: clicks, keys, several at once, the group of those that need a person, and the filter.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('rows');
const hands = new Hands(world);
after(() => world.end());

/** Selects a row by a click, and waits until VS Code shows it as selected. */
async function select(name, ...modifiers) {
  await hands.rest();
  await hands.treeRow(name).click({ modifiers });
  await until(`${name} is selected`, async () => (await hands.treeRow(name).getAttribute('aria-selected')) === 'true');
}

step('a window with agents of two projects opens', async () => {
  for (const name of ['api', 'docs', 'tests']) await world.spawn(name);
  const other = join(world.dir, 'other');
  mkdirSync(other);
  await world.spawn('far', '--dir', other);
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.statusSays('4 idle', 60_000);
  await hands.openView();
  await hands.rest();
});

step('a double click attaches, and a single click does not', async () => {
  await select('api');
  await hands.treeRow('docs').dblclick();
  await hands.has('docs');
  assert.deepEqual(world.agent('api').clients, []);
});

step('Enter attaches to the row that the arrow keys have reached', async () => {
  await select('docs');
  await hands.page.keyboard.press('ArrowDown');
  await hands.page.keyboard.press('Enter');
  await hands.has('tests');
});

step('an agent of another project that waits is repeated on top, and is the next that needs a person', async () => {
  world.symposium('agent', 'send', 'far', '/ask ls -la');
  await hands.statusSays('1 waiting');
  await hands.treeRow('Needs you').waitFor();
  await until('its row is there twice', async () => (await hands.page.locator('.pane-body .monaco-list-row').filter({ hasText: 'Bash: ls -la' }).count()) === 2);
  await hands.shot('needs-you');
  await hands.palette('Symposium: Next Agent That Needs You');
  await hands.has('far');
});

step('Ctrl+Enter shows the question of the selected row, and F2 asks for a name', async () => {
  await select('far');
  await hands.page.keyboard.press('Control+Enter');
  const dialog = hands.dialog().filter({ hasText: 'far asks' });
  await dialog.filter({ hasText: 'Bash: ls -la' }).locator('.monaco-button', { hasText: 'Deny' }).click();
  await world.is('far', 'idle');
  await hands.treeRow('Needs you').waitFor({ state: 'detached' });
  await select('docs');
  await hands.page.keyboard.press('F2');
  await until('asked for a name', async () => (await hands.input().inputValue()) === 'docs');
  await hands.page.keyboard.press('Escape');
});

step('Delete asks once for all selected rows, and ends nothing without an answer', async () => {
  await select('docs');
  await select('tests', 'Shift');
  await hands.page.keyboard.press('Delete');
  await hands.dialog().filter({ hasText: 'Remove 2 agents?' }).filter({ hasText: 'docs, tests' }).waitFor();
  await hands.page.keyboard.press('Escape');
  await hands.dialog().waitFor({ state: 'detached' });
  for (const name of ['docs', 'tests']) assert.equal(world.agent(name).status, 'idle');
});

step('several rows are stopped after one question, and keep their place', async () => {
  const place = async () => (await hands.treeRow('docs').boundingBox()).y;
  const before = await place();
  // The menu is of all selected rows when it is opened on one of them.
  await hands.menu('tests', 'Stop Agent');
  await hands.dialog().filter({ hasText: 'Stop 2 agents?' }).locator('.monaco-button', { hasText: 'Stop' }).click();
  for (const name of ['docs', 'tests']) await world.is(name, 'stopped');
  await hands.rest();
  assert.equal(await place(), before);
});

step('a filter hides the other agents and is named above the view', async () => {
  await hands.palette('Symposium: Filter Agents');
  await hands.pick('Running');
  await hands.treeRow('docs').waitFor({ state: 'detached' });
  await hands.treeRow('api').waitFor();
  await hands.page.locator('.pane-header', { hasText: 'Running' }).waitFor();
  await hands.palette('Symposium: Filter Agents');
  await hands.pick('All agents');
  await hands.treeRow('docs').waitFor();
});

step('ended agents are removed together', async () => {
  await hands.palette('Symposium: Remove Ended Agents');
  await hands.row('docs').waitFor();
  await hands.shot('prune');
  await hands.page.keyboard.press('Enter');
  await hands.dialog().filter({ hasText: 'Remove 2 agents?' }).locator('.monaco-button', { hasText: 'Remove' }).click();
  await until('both are gone', () => world.agent('docs') === undefined && world.agent('tests') === undefined);
  assert.equal(world.agent('api').status, 'idle');
});
