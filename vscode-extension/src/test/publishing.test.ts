import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changelogOf, manifestFor, readmeFor } from '../../publishing.mjs';

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

test('the changelog of the page has the entries of the extension, by release', () => {
  const project = '# Changelog\n\n## Unreleased\n\n### Added\n- `agent`: x\n- VS Code: a view.\n\n### Fixed\n- VS Code: a fault.\n\n## 0.1.0\n\n### Fixed\n- VS Code: another.\n';
  assert.equal(changelogOf(project), '# Changelog\n\n## Unreleased\n\n### Added\n\n- A view.\n\n### Fixed\n\n- A fault.\n\n## 0.1.0\n\n### Fixed\n\n- Another.\n');
});
