// Bundles the extension into dist/: `--production` for a package, `--test` for the unit tests, `--extension-host` for the
// tests that run in the extension host of VS Code.
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const production = process.argv.includes('--production');
const shared = { bundle: true, platform: 'node', format: 'cjs', target: 'node18', logLevel: 'warning' };

if (process.argv.includes('--test')) {
  rmSync('dist/test', { recursive: true, force: true });
  const tests = readdirSync('src/test', { recursive: true }).filter((path) => path.endsWith('.test.ts')).map((path) => `src/test/${path}`);
  // All bundles go into one folder: node 20 takes no patterns of folders.
  await build({ ...shared, entryPoints: tests, entryNames: '[name]', outdir: 'dist/test', sourcemap: 'inline' });
} else if (process.argv.includes('--extension-host')) {
  await build({ ...shared, entryPoints: ['src/test/extensionHost/index.ts'], outfile: 'dist/extensionHost/index.js', external: ['vscode'], sourcemap: 'inline' });
} else {
  if (production) {
    rmSync('dist', { recursive: true, force: true });
  }
  await build({
    ...shared,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    external: ['vscode'],
    minify: production,
    sourcemap: !production,
  });
}
