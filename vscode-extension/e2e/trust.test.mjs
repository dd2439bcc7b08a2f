// A window on a folder that is not trusted: agents are shown and answered. Trust is asked for by the extension before a spec
// of that folder is started, because it names commands to run, and by VS Code before any terminal is opened.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Hands, step } from './support/hands.mjs';
import { World } from './support/world.mjs';

const world = new World('trust');
const hands = new Hands(world);
after(() => world.end());

step('an untrusted window counts the agents in the status bar and lists them in the view', async () => {
  await world.spawn('api');
  await world.startServer();
  await world.openBrowser({ trust: 'refused' });
  await hands.ready();
  await hands.statusSays('1 idle', 60_000);
  await hands.openView();
  await hands.treeRow('api').waitFor();
  await hands.shot('untrusted');
});

step('an untrusted window approves what an agent asks', async () => {
  world.symposium('agent', 'send', 'api', '/ask make');
  await hands.statusSays('1 waiting');
  await hands.act('api', 'Approve');
  await hands.dialog().filter({ hasText: 'Bash: make' }).locator('.monaco-button', { hasText: 'Approve' }).click();
  await world.is('api', 'idle');
});

step('a spec of an untrusted folder is not started, and trusting the folder is offered', async () => {
  mkdirSync(join(world.project, '.symposium'));
  writeFileSync(join(world.project, '.symposium/agents.toml'), '[agents.local]\nkind = "demo"\n');
  await hands.palette('Symposium: Spawn Agent');
  await hands.answer('A spec', 'local');
  await hands.toast('local is a spec of this folder').locator('.monaco-button', { hasText: 'Manage Trust' }).waitFor();
  await hands.clearToasts();
});

step('attaching opens the terminal after the question that VS Code asks before any terminal', async () => {
  await hands.act('api', 'Attach to Agent');
  await hands.dialog().filter({ hasText: 'trust the authors' }).locator('.monaco-button', { hasText: 'Trust Folder & Continue' }).click();
  await hands.has('api');
  await hands.type('hello\n');
  await hands.terminalShows('You said: hello');
});
