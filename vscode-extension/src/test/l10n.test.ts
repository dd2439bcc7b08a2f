// The bundle for translators contains exactly the texts of the sources, and every translation is complete. `UPDATE=1
// npm test` writes the bundle.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SOURCE_TITLES } from '../../publishing.mjs';
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

/** The translated languages; each has a file beside the manifest and one in l10n/. */
const LANGUAGES = ['de'];

const textsIn = (path: string): Record<string, string> => JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;

/** Returns what a translation must contain unchanged: placeholders, targets of links and code spans. */
const fixedParts = (text: string): string[] => (text.match(/\{\d+\}|\]\([^)]*\)|`[^`]*`/g) ?? []).sort();

for (const language of LANGUAGES) {
  const pairs: [string, string][] = [['package.nls.json', `package.nls.${language}.json`], [bundle, `l10n/bundle.l10n.${language}.json`]];
  for (const [source, translation] of pairs) {
    test(`${translation} translates every text with its placeholders, links and code`, () => {
      const [english, translated] = [textsIn(source), textsIn(translation)];
      assert.deepEqual(Object.keys(translated).sort(), Object.keys(english).sort());
      for (const [key, text] of Object.entries(english)) {
        const found = translated[key] ?? '';
        assert.notEqual(found.trim(), '', key);
        assert.deepEqual(fixedParts(found), fixedParts(text), key);
      }
    });
  }
}

test('every translation is in the package', () => {
  const found = readdirSync('.').filter((name) => /^package\.nls\.[\w-]+\.json$/.test(name));
  assert.deepEqual(found, LANGUAGES.map((language) => `package.nls.${language}.json`));
  // `pack.mjs` writes the files of this table.
  for (const name of found) assert.ok(name in SOURCE_TITLES, name);
});
