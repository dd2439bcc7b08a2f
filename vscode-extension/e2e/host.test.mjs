// The tests of src/test/extensionHost, run by the extension host of a real VS Code on the package that is installed there.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OLDEST, World, until, version } from './support/world.mjs';

const extension = resolve(dirname(fileURLToPath(import.meta.url)), '..');
execFileSync(process.execPath, ['build.mjs', '--extension-host'], { cwd: extension });

const world = new World('host');
const file = join(world.dir, 'inside.jsonl');
world.env.SYMPOSIUM_TEST_RESULTS = file;
let code;
try {
  await world.spawn('api');
  await world.spawn('docs');
  await world.startServer();
  const uri = (path) => `vscode-remote://127.0.0.1:${world.port}${path}`;
  const payload = [['extensionDevelopmentPath', uri(world.extension())], ['extensionTestsPath', uri(join(extension, 'dist/extensionHost/index.js'))]];
  await world.openBrowser({
    payload,
    // 1.100 does not ask for trust when it runs the tests of an extension.
    trust: version === OLDEST ? 'not asked' : 'granted',
    before: async (page) => {
      await page.exposeFunction('codeAutomationLog', () => undefined);
      await page.exposeFunction('codeAutomationExit', (exit) => { code = exit; });
    },
  });
  await until('the tests have ended', () => code !== undefined, 180_000);
} finally {
  await world.end(() => { world.results = existsSync(file) ? readFileSync(file, 'utf8') : ''; });
}

for (const line of world.results.trim().split('\n').filter(Boolean)) {
  const { name, error, notes } = JSON.parse(line);
  for (const note of notes) console.log(note);
  test(name, () => { assert.equal(error, null); });
}
test('VS Code ended with what the tests said', () => { assert.equal(code, 0); });
