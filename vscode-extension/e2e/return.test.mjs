// Coming back after a reload, a lost page and a killed server: agents keep running, terminals are restored or reattached,
// and no tmux client is left over or doubled.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { TestEnvironment, until } from './support/environment.mjs';
import { VSCodeWindow, step } from './support/window.mjs';

const env = new TestEnvironment('return');
const vscode = new VSCodeWindow(env);
after(() => env.end());

const clients = (name) => env.clients().filter((client) => client.endsWith(` ${name}`));

step('the first window opens with a terminal in the panel and one in the editor area, and a recap', async () => {
  await env.spawn('api');
  await env.spawn('docs');
  await env.startServer();
  await env.openBrowser();
  await vscode.ready();
  await vscode.statusSays('2 idle', 60_000);
  await vscode.openView();
  await vscode.attach('api');
  await vscode.menu('docs', 'Attach in Editor Area');
  await vscode.has('docs');
  await until('both agents have a client', () => env.clients().length === 2);
  await vscode.menu('api', 'Show Recap');
  await vscode.previewShows('h1', 'api');
});

step('a reload restores terminals and the recap, and attaching before it is over adds no client', async () => {
  const docs = env.clients().find((client) => client.endsWith(' docs'));
  await vscode.reload('drawn');
  await vscode.statusSays('2 idle', 60_000);
  await vscode.act('api', 'Attach to Agent');
  // The restored preview may take the focus at any time.
  await vscode.terminalShows('api · ', 60_000);
  await vscode.ready();
  await vscode.preview().locator('h1', { hasText: 'api' }).first().waitFor({ timeout: 150_000 });
  await vscode.shot('recap-restored');
  await vscode.page.locator('.editor-group-container .tab', { hasText: 'docs' }).click();
  await vscode.terminalShows('docs · ', 60_000);
  await vscode.act('docs', 'Attach to Agent');
  await vscode.has('docs');
  await vscode.shot('editor-area');
  // The client of api is a new one if VS Code needed more than fifteen seconds to restore its terminal.
  assert.deepEqual(env.clients().map((client) => client.split(' ')[1]).sort(), ['api', 'docs']);
  assert.ok(env.clients().includes(docs));
  assert.equal(await vscode.page.locator('.terminal-tabs-entry').count(), 0, 'a single panel terminal has no list of tabs');
});

step('a restored terminal receives keys', async () => {
  await vscode.attach('api');
  await vscode.type('still here\n');
  await vscode.terminalShows('You said: still here');
  await env.is('api', 'idle');
});

step('a restored terminal that is looked at causes no notification', async () => {
  env.symposium('agent', 'send', 'api', '/ask ls');
  await env.is('api', 'waiting');
  env.symposium('agent', 'rm', '--force', 'docs');
  await env.spawn('tests');
  // The notification of a later event appears, so one about api would be there too.
  env.symposium('agent', 'send', 'tests', '/ask pwd');
  await vscode.toast('tests waits for you').waitFor();
  assert.equal(await vscode.toast('api').count(), 0);
  env.symposium('agent', 'rm', '--force', 'tests');
  env.symposium('agent', 'deny', 'api');
  await env.is('api', 'idle');
  await vscode.statusSays('1 idle');
  // The preview would take the focus from the picker when the last terminal closes.
  await vscode.palette('View: Close All Editors');
});

step('after a page was thrown away, a restored terminal keeps its client and another one is replaced', async () => {
  await env.spawn('docs');
  await vscode.statusSays('2 idle');
  const api = clients('api');
  await vscode.chooseAgent('docs');
  await until('docs has a client', () => clients('docs').length === 1);
  // VS Code stores a new terminal after half a second, and stores nothing when the page is reloaded. This reload is sooner.
  await vscode.throwAway();
  await vscode.statusSays('2 idle', 60_000);
  await vscode.attach('api');
  assert.deepEqual(clients('api'), api);
  // The extension waits fifteen seconds for VS Code to restore the terminal of docs.
  await vscode.setClock('ahead');
  await vscode.attach('docs');
  await until('docs has one client', () => clients('docs').length === 1);
  assert.deepEqual(clients('api'), api);
});

step('closing a terminal does not end its agent', async () => {
  await vscode.palette('Terminal: Kill the Active Terminal Instance');
  await until('docs has no client', () => clients('docs').length === 0);
  assert.equal(env.agent('docs').status, 'idle');
  env.symposium('agent', 'rm', '--force', 'docs');
  await vscode.statusSays('1 idle');
});

step('a killed server ends no agent, and the terminal can be reattached', async () => {
  await env.stopServer();
  await env.closeBrowser();
  await until('no client is attached', () => env.clients().length === 0);
  assert.equal(env.agent('api').status, 'idle');
  await env.startServer();
  await env.openBrowser();
  await vscode.ready();
  await vscode.statusSays('1 idle', 60_000);
  // The offer comes fifteen seconds after the start, when VS Code has restored all terminals that it can.
  await vscode.setClock('ahead');
  const toast = vscode.toast('The terminal of api was open here. Reattach it?');
  await toast.waitFor();
  await vscode.press(toast, 'Reattach');
  await vscode.has('api');
  assert.equal(env.clients().length, 1);
});
