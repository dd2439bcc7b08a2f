// The bundle for translators contains exactly the texts of the sources, and every translation is complete. `UPDATE=1
// npm test` writes the bundle.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { REQUIRED_VERSION } from '../rules/binary/version';

const bundle = 'l10n/bundle.l10n.json';

const sources = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'test' ? [] : sources(path);
    return path.endsWith('.ts') ? [path] : [];
  });

test('the bundle contains every text of the sources and no other', () => {
  const used = sources('src').flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\bt\('((?:[^'\\]|\\.)+)'/g)].map((found) => found[1] ?? ''));
  const wanted = Object.fromEntries([...new Set(used)].sort().map((text) => [text, text]));
  if (process.env['UPDATE'] !== undefined) writeFileSync(bundle, `${JSON.stringify(wanted, null, 2)}\n`);
  assert.ok(existsSync(bundle));
  assert.deepEqual(JSON.parse(readFileSync(bundle, 'utf8')), wanted);
});

test('welcome views name the required version and contain no code spans, which VS Code does not render there', () => {
  const texts = Object.entries(JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>).filter(([key]) => key.startsWith('welcome.'));
  for (const [key, text] of texts) assert.ok(!text.includes('`'), key);
  assert.ok(texts.some(([key, text]) => key === 'welcome.tooOld' && text.includes(`${REQUIRED_VERSION} or newer`)));
});

test('package.nls.json contains every text of the manifest and no other', () => {
  const named = [...readFileSync('package.json', 'utf8').matchAll(/"%([^%"]+)%"/g)].map((found) => found[1] ?? '');
  const given = Object.keys(JSON.parse(readFileSync('package.nls.json', 'utf8')) as object);
  assert.deepEqual([...new Set(named)].sort(), given.sort());
});
