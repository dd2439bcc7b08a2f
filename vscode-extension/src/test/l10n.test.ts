// Every text for people is in the bundle that translators start from, and nothing else is. `UPDATE=1 npm test` writes it.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NEEDED } from '../rules/binary/version';

const bundle = 'l10n/bundle.l10n.json';

const sources = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'test' ? [] : sources(path);
    return path.endsWith('.ts') ? [path] : [];
  });

test('every text for people can be translated', () => {
  const used = sources('src').flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\bt\('((?:[^'\\]|\\.)+)'/g)].map((found) => found[1] ?? ''));
  const wanted = Object.fromEntries([...new Set(used)].sort().map((text) => [text, text]));
  if (process.env['UPDATE'] !== undefined) writeFileSync(bundle, `${JSON.stringify(wanted, null, 2)}\n`);
  assert.ok(existsSync(bundle));
  assert.deepEqual(JSON.parse(readFileSync(bundle, 'utf8')), wanted);
});

test('welcome views say which version is needed, and have no code spans, which they do not know', () => {
  const texts = Object.entries(JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>).filter(([key]) => key.startsWith('welcome.'));
  for (const [key, text] of texts) assert.ok(!text.includes('`'), key);
  assert.ok(texts.some(([key, text]) => key === 'welcome.tooOld' && text.includes(`${NEEDED} or newer`)));
});

test('every text of the manifest is there, and none is left over', () => {
  const named = [...readFileSync('package.json', 'utf8').matchAll(/"%([^%"]+)%"/g)].map((found) => found[1] ?? '');
  const given = Object.keys(JSON.parse(readFileSync('package.nls.json', 'utf8')) as object);
  assert.deepEqual([...new Set(named)].sort(), given.sort());
});
