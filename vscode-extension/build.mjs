// Bundles the extension into dist/; `--production` for a package, `--test` for the unit tests, `--inside` for those that
// run in VS Code.
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const production = process.argv.includes('--production');
const shared = { bundle: true, platform: 'node', format: 'cjs', target: 'node18', logLevel: 'warning' };

if (process.argv.includes('--test')) {
  rmSync('dist/test', { recursive: true, force: true });
  const tests = readdirSync('src/test').filter((name) => name.endsWith('.test.ts')).map((name) => `src/test/${name}`);
  await build({ ...shared, entryPoints: tests, outdir: 'dist/test', sourcemap: 'inline' });
} else if (process.argv.includes('--inside')) {
  await build({ ...shared, entryPoints: ['src/inside/index.ts'], outfile: 'dist/inside/index.js', external: ['vscode'], sourcemap: 'inline' });
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
