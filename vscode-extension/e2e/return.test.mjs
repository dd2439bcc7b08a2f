// Coming back: reload, another browser, another server. Agents are unharmed, terminals come back or are one click away,
// and no tmux client is left over or doubled.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World, until } from './support/world.mjs';

const world = new World('return');
const hands = new Hands(world);
after(() => world.end());

const only = (name) => until(`one client, of ${name}`, () => world.clients().length === 1 && world.clients()[0].endsWith(` ${name}`));

step('the first window opens', async () => {
  await world.spawn('api');
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.statusSays('1 idle', 60_000);
});

step('a window that is reloaded has its terminal again, with the same client', async () => {
  await hands.attach('api');
  await hands.type('remember the milk\n');
  await hands.terminalShows('Done in');
  const [client] = world.clients();
  await hands.reload();
  await hands.statusSays('1 idle', 60_000);
  await hands.terminalShows('api · ', 60_000);
  assert.deepEqual(world.clients(), [client]);
});

step('attaching while a reload is not over makes no second client', async () => {
  const [client] = world.clients();
  await hands.openView();
  await hands.reload('drawn');
  await hands.act('api', 'Attach to Agent');
  await hands.has('api');
  await hands.ready();
  assert.deepEqual(world.clients(), [client]);
  assert.equal(await hands.page.locator('.terminal-tabs-entry').count(), 0, 'one terminal has no list of tabs');
});

step('the terminal that came back takes typing', async () => {
  await hands.type('still here\n');
  await hands.terminalShows('You said: still here');
  await world.is('api', 'idle');
});

step('nothing is told of the terminal that came back and is looked at', async () => {
  await world.spawn('tests');
  world.symposium('agent', 'send', 'api', '/ask ls');
  await world.is('api', 'waiting');
  // A toast of another agent comes behind, so one of api would be there by then.
  world.symposium('agent', 'send', 'tests', '/ask pwd');
  await hands.toast('tests waits for you').waitFor();
  assert.equal(await hands.toast('api').count(), 0);
  world.symposium('agent', 'rm', '--force', 'tests');
  world.symposium('agent', 'deny', 'api');
  await world.is('api', 'idle');
  await hands.statusSays('1 idle');
});

step('a browser that is closed and opened again finds the same client', async () => {
  const [client] = world.clients();
  await world.closeBrowser();
  assert.equal(world.agent('api').status, 'idle');
  await world.openBrowser();
  await hands.ready();
  await hands.statusSays('1 idle', 60_000);
  await hands.terminalShows('api · ', 60_000);
  await hands.attach('api');
  assert.deepEqual(world.clients(), [client]);
});

step('a page that was thrown away makes no second client', async () => {
  const [client] = world.clients();
  await hands.throwAway();
  await hands.statusSays('1 idle', 60_000);
  await hands.attach('api');
  assert.deepEqual(world.clients(), [client]);
});

step('a terminal that VS Code had no time to write down is not left behind', async () => {
  await hands.palette('Terminal: Kill the Active Terminal Instance');
  await until('nobody is attached', () => world.clients().length === 0);
  await hands.attach('api');
  await hands.reload();
  await hands.statusSays('1 idle', 60_000);
  await hands.openView();
  await hands.act('api', 'Attach to Agent');
  await hands.terminalShows('api · ', 60_000);
  await hands.focused();
  await only('api');
});

step('closing the terminal detaches, and the agent goes on', async () => {
  await hands.palette('Terminal: Kill the Active Terminal Instance');
  await until('nobody is attached', () => world.clients().length === 0);
  assert.equal(world.agent('api').status, 'idle');
});

step('a server that is killed takes no agent along, and one click attaches again', async () => {
  await hands.attach('api');
  await world.stopServer();
  await world.closeBrowser();
  await until('nobody is attached', () => world.clients().length === 0);
  assert.equal(world.agent('api').status, 'idle');
  await world.startServer();
  await world.openBrowser();
  await hands.ready();
  await hands.statusSays('1 idle', 60_000);
  await hands.attach('api');
  await only('api');
});

step('a recap that was open is there again after a reload', async () => {
  await hands.openView();
  await hands.menu('api', 'Show Recap');
  await hands.previewShows('h1', 'api');
  await hands.reload();
  await hands.statusSays('1 idle', 60_000);
  await hands.preview().locator('h1', { hasText: 'api' }).first().waitFor({ timeout: 150_000 });
  await hands.shot('recap-restored');
  await hands.palette('View: Close All Editors');
});

step('a terminal in the editor area comes back too', async () => {
  await world.spawn('docs');
  await hands.openView();
  await hands.statusSays('2 idle');
  await hands.menu('docs', 'Attach in Editor Area');
  await hands.terminalShows('docs · ');
  await until('docs has a client', () => world.clients().length === 2);
  const before = world.clients().sort();
  await hands.reload();
  await hands.statusSays('2 idle', 60_000);
  await hands.terminalShows('docs · ', 60_000);
  await hands.act('docs', 'Attach to Agent');
  await hands.terminalShows('docs · ');
  assert.deepEqual(world.clients().sort(), before);
  await hands.shot('editor-area');
});
