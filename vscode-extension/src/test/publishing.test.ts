import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { manifestFor, readmeFor } from '../../publishing.mjs';

const nowhere = { repository: '', publisher: '', branch: 'main' };
const somewhere = { repository: 'https://example.com/me/symposium', publisher: 'me', branch: 'main' };

test('the published manifest contains the addresses and no development fields', () => {
  const manifest = { name: 'symposium', publisher: 'symposium', private: true, scripts: {}, devDependencies: {} };
  assert.deepEqual(manifestFor(manifest, nowhere), { name: 'symposium', publisher: 'symposium' });
  const { publisher, bugs, homepage } = manifestFor(manifest, somewhere);
  assert.deepEqual([publisher, bugs, homepage], ['me', { url: 'https://example.com/me/symposium/issues' }, 'https://example.com/me/symposium#readme']);
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
