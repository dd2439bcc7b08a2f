import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { SOURCE_TITLES, installStepFor, manifestFor, readmeFor, textsFor } from '../../publishing.mjs';

const nowhere = { repository: '', publisher: '', branch: 'main' };
const somewhere = { repository: 'https://example.com/me/symposium', publisher: 'me', branch: 'main' };

test('the published manifest contains the addresses and no development fields', () => {
  const manifest = { name: 'symposium', publisher: 'symposium', private: true, scripts: {}, devDependencies: {} };
  assert.deepEqual(manifestFor(manifest, nowhere), { name: 'symposium', publisher: 'symposium' });
  const { publisher, bugs, homepage } = manifestFor(manifest, somewhere);
  assert.deepEqual([publisher, bugs, homepage], ['me', { url: 'https://example.com/me/symposium/issues' }, 'https://example.com/me/symposium#readme']);
});

test('the install hints of a published package link to the source', () => {
  const step = readFileSync('walkthrough/install.md', 'utf8');
  assert.equal(installStepFor(step, nowhere), step);
  assert.match(installStepFor(step, somewhere), /from \[its source\]\(https:\/\/example\.com\/me\/symposium\)/);
  const files = readdirSync('.').filter((name) => /^package\.nls\..*json$/.test(name));
  assert.deepEqual(Object.keys(SOURCE_TITLES).sort(), files.sort());
  for (const file of files) {
    const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    assert.deepEqual(textsFor(file, texts, nowhere), texts);
    assert.match(textsFor(file, texts, somewhere)['welcome.missingBinary'] ?? '', /\n\[[A-Z][A-Za-z ]+\]\(https:\/\/example\.com\/me\/symposium\)$/);
  }
});

test('no picture of the published page has a relative address', () => {
  const readme = readFileSync('README.md', 'utf8');
  for (const publishing of [nowhere, somewhere]) {
    const pictures = [...readmeFor(readme, publishing, (path) => readFileSync(path)).matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, address]) => address ?? '');
    assert.ok(pictures.length > 0);
    for (const address of pictures) assert.match(address, /^(https:\/\/example\.com\/me\/symposium\/raw\/main\/vscode-extension\/images\/|data:image\/png;base64,)/);
  }
});

test('the changelog begins with the version of the manifest and has one line an entry, grouped as Keep a Changelog says', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const lines = readFileSync('CHANGELOG.md', 'utf8').split('\n').slice(4).filter((line) => line !== '');
  assert.equal(lines[0], `## [${version}]`);
  for (const line of lines) assert.match(line, /^(## \[(\d+\.\d+\.\d+|Unreleased)\]|### (Added|Changed|Deprecated|Removed|Fixed|Security)|- [A-Z`].*\.)$/);
});
