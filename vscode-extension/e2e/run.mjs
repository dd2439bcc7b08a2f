// Runs the end-to-end tests: all files in the newest VS Code, and those of `ON_OLDEST` in the oldest one too. Two files
// run at once, each in its own environment.
//
//   npm run e2e                          everything
//   npm run e2e -- daily host            files whose name contains one of these, in the newest VS Code
//   npm run e2e -- --vscode 1.100 daily  the same in another version
//   npm run e2e -- --alone numbers host  one file after the other, for measurements

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NEWEST, OLDEST, rigs } from './support/environment.mjs';

/** Versions of VS Code differ in the API that the extension uses, and these files use all of it. */
const ON_OLDEST = ['daily.test.mjs', 'host.test.mjs', 'editor.test.mjs'];
/** The longest files start first, so that both lanes end at about the same time. */
const LONGEST = ['verbs', 'return', 'daily', 'windows', 'terminals', 'trouble', 'editor'];

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const { values: { vscode, alone }, positionals: wanted } = parseArgs({ options: { vscode: { type: 'string' }, alone: { type: 'boolean' } }, allowPositionals: true });
const files = readdirSync(here).filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((part) => name.includes(part))));
const runs = files.map((file) => ({ file, version: vscode ?? NEWEST }));
if (wanted.length === 0 && vscode === undefined) runs.push(...ON_OLDEST.map((file) => ({ file, version: OLDEST })));
if (runs.length === 0) {
  console.error(`error: no file matches ${wanted.join(' ')}`);
  process.exit(1);
}

const needs = {
  'the binary': [process.env.SYMPOSIUM_BINARY ?? join(root, 'target/release/symposium'), './scripts/symposium --version'],
  'the package': [join(root, 'vscode-extension/dist/symposium.vsix'), 'npm run package'],
};
for (const { version } of runs) needs[`VS Code ${version}`] = [join(rigs, version, 'ready'), `./scripts/vscode-rig ${version}`];
for (const [what, [path, command]] of Object.entries(needs)) {
  if (existsSync(path)) continue;
  console.error(`error: ${what} is missing: ${path}\nhint: ${command}`);
  process.exit(1);
}

/** Runs one file and prints its output at the end, so that the output of two files is not mixed. */
function run({ file, version }) {
  const began = Date.now();
  return new Promise((done) => {
    let said = '';
    const node = join(rigs, version, 'bin/node');
    const env = { ...process.env, SYMPOSIUM_VSCODE_VERSION: version };
    const child = spawn(node, ['--test', '--test-reporter=spec', join(here, file)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { said += text; });
    child.on('close', (code) => {
      console.log(`── ${file}, VS Code ${version}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round((Date.now() - began) / 1000)}s)\n${said.trim()}`);
      done(code === 0);
    });
  });
}

/** Runs the files of a list one after the other. Returns whether all have passed. */
async function lane(list) {
  let passed = true;
  for (let next = list.shift(); next !== undefined; next = list.shift()) passed = (await run(next)) && passed;
  return passed;
}

if (wanted.length === 0) rmSync(join(root, 'vscode-extension/dist/screenshots'), { recursive: true, force: true });
const rank = ({ file }) => (LONGEST.findIndex((name) => file.startsWith(name)) + LONGEST.length + 1) % (LONGEST.length + 1);
runs.sort((a, b) => rank(a) - rank(b));
const results = await Promise.all((alone ? [1] : [1, 2]).map(() => lane(runs)));
process.exit(results.every(Boolean) ? 0 : 1);
