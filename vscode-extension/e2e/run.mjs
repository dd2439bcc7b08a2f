// Runs the end-to-end tests one file after the other: each has a VS Code of its own, and two at once would only be slower.
// `npm run e2e -- NAME` runs the files whose name has NAME in it.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
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
const wanted = process.argv.slice(2);
const files = readdirSync(here).filter((name) => name.endsWith('.test.mjs') && (wanted.length === 0 || wanted.some((part) => name.includes(part))));
for (const file of files) {
  const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', join(here, file)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
