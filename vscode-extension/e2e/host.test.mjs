// Runs the tests of src/test/extensionHost in the extension host of a real VS Code, with the installed package.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OLDEST, TestEnvironment, until, version } from './support/environment.mjs';

const extension = resolve(dirname(fileURLToPath(import.meta.url)), '..');
execFileSync(process.execPath, ['build.mjs', '--extension-host'], { cwd: extension });

const env = new TestEnvironment('host');
const file = join(env.dir, 'inside.jsonl');
env.variables.SYMPOSIUM_TEST_RESULTS = file;
let code;
try {
  await env.spawn('api');
  await env.spawn('docs');
  await env.startServer();
  const uri = (path) => `vscode-remote://127.0.0.1:${env.port}${path}`;
  const payload = [['extensionDevelopmentPath', uri(env.extension())], ['extensionTestsPath', uri(join(extension, 'dist/extensionHost/index.js'))]];
  await env.openBrowser({
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
  await env.end(() => { env.results = existsSync(file) ? readFileSync(file, 'utf8') : ''; });
}

for (const line of env.results.trim().split('\n').filter(Boolean)) {
  const { name, error, notes } = JSON.parse(line);
  for (const note of notes) console.log(note);
  test(name, () => { assert.equal(error, null); });
}
test('VS Code exits with the result of the tests', () => { assert.equal(code, 0); });
