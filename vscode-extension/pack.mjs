// Packs dist/symposium.vsix from a staging folder, which adds the fields and addresses of the published page. Fill in
// `publishing` once, or set the environment variables for a trial.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SOURCE_TITLES, installStepFor, manifestFor, readmeFor, textsFor } from './publishing.mjs';

/** The addresses of the published page. Without a repository, the pictures of the page are embedded in it. */
const publishing = {
  repository: process.env.SYMPOSIUM_REPOSITORY ?? '',
  publisher: process.env.SYMPOSIUM_PUBLISHER ?? '',
  branch: process.env.SYMPOSIUM_BRANCH ?? 'main',
};

const stage = 'dist/package';
rmSync(stage, { recursive: true, force: true });
mkdirSync(join(stage, 'dist'), { recursive: true });
for (const name of ['CHANGELOG.md', 'l10n', 'images', 'walkthrough', '.vscodeignore']) cpSync(name, join(stage, name), { recursive: true });
cpSync('dist/extension.js', join(stage, 'dist/extension.js'));
// A package needs a licence text; the project has it in its root folder.
cpSync('../LICENSE-MIT', join(stage, 'LICENSE.txt'));
const write = (name, text) => { writeFileSync(join(stage, name), text); };
write('package.json', `${JSON.stringify(manifestFor(JSON.parse(readFileSync('package.json', 'utf8')), publishing), null, 2)}\n`);
for (const file of Object.keys(SOURCE_TITLES)) write(file, `${JSON.stringify(textsFor(file, JSON.parse(readFileSync(file, 'utf8')), publishing), null, 2)}\n`);
write('walkthrough/install.md', installStepFor(readFileSync('walkthrough/install.md', 'utf8'), publishing));
write('README.md', readmeFor(readFileSync('README.md', 'utf8'), publishing, (path) => readFileSync(path)));
execFileSync(process.execPath, [resolve('node_modules/@vscode/vsce/vsce'), 'package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '-o', resolve('dist/symposium.vsix')], { cwd: stage, stdio: 'inherit' });
