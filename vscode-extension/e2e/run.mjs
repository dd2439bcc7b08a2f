// Runs the end-to-end tests, two files at once: each has a home, servers and a VS Code of its own. What is measured runs
// alone, at the end. `npm run e2e -- NAME` runs the files whose name has NAME in it.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const needs = {
  'the rig': [join(process.env.SYMPOSIUM_VSCODE_RIG ?? join(root, 'target/vscode-rig'), 'ready'), './scripts/vscode-rig'],
  'the binary': [process.env.SYMPOSIUM_BINARY ?? join(root, 'target/release/symposium'), './scripts/symposium --version'],
  'the package': [join(root, 'vscode-extension/dist/symposium.vsix'), 'npm run package'],
};
for (const [what, [path, command]] of Object.entries(needs)) {
  if (existsSync(path)) continue;
  console.error(`error: ${what} is missing: ${path}\nhint: ${command}`);
  process.exit(1);
}

const alone = ['numbers.test.mjs'];
const wanted = process.argv.slice(2);
const files = readdirSync(here).filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((part) => name.includes(part))));

/** Runs one file; what it says is told when it is over, so that two do not talk at once. */
function run(file) {
  const began = Date.now();
  return new Promise((done) => {
    let said = '';
    const child = spawn(process.execPath, ['--test', '--test-reporter=spec', join(here, file)], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { said += text; });
    child.on('close', (code) => {
      console.log(`── ${file}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round((Date.now() - began) / 1000)}s)\n${said.trim()}`);
      done(code === 0);
    });
  });
}

/** Takes files off a list until it is empty; says whether all were well. */
async function lane(list) {
  let well = true;
  for (let file = list.shift(); file !== undefined; file = list.shift()) well = (await run(file)) && well;
  return well;
}

if (wanted.length === 0) rmSync(join(root, 'vscode-extension/dist/screenshots'), { recursive: true, force: true });
// The longest first, so that the two lanes end together.
const together = files.filter((file) => !alone.includes(file)).sort((a, b) => Number(b.startsWith('return')) - Number(a.startsWith('return')));
const results = await Promise.all([lane(together), lane(together)]);
results.push(await lane(files.filter((file) => alone.includes(file))));
process.exit(results.every(Boolean) ? 0 : 1);
