import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Manifest {
  contributes: {
    icons: Record<string, { default: { fontPath: string; fontCharacter: string } }>;
    terminal: { profiles: { icon: string }[] };
  };
}

test('the status bar, terminals and the activity bar show the same logo', () => {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const { fontPath, fontCharacter } = contributes.icons['symposium-logo']?.default ?? assert.fail();
  assert.ok(existsSync(fontPath) && readFileSync('.vscodeignore', 'utf8').includes(`!${fontPath}\n`), fontPath);
  assert.equal(fontCharacter, '\\E000');
  assert.deepEqual(contributes.terminal.profiles.map(({ icon }) => icon), ['symposium-logo']);
  for (const path of ['src/views/statusBar.ts', 'src/terminals/terminals.ts']) assert.match(readFileSync(path, 'utf8'), /symposium-logo/, path);
});
