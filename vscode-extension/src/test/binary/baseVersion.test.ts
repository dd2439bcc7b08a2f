import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readBaseVersion } from '../../binary/baseVersion';

/** Creates a repository with one commit, in a new directory. */
function repository(files: Record<string, string>): { root: string; commit: string; git: (...args: string[]) => string } {
  const root = mkdtempSync(join(tmpdir(), 'symposium-base-'));
  const git = (...args: string[]) => execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { encoding: 'utf8', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } }).trim();
  git('init', '-q');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  git('add', '.');
  git('commit', '-qm', 'base');
  return { root, commit: git('rev-parse', 'HEAD'), git };
}

test('the version of the commit is read, and the repository runs no program', async () => {
  const { root, commit, git } = repository({ 'a b:c': 'base\n' });
  try {
    writeFileSync(join(root, 'a b:c'), 'changed\n');
    const ran = join(root, 'ran');
    for (const key of ['core.fsmonitor', 'filter.f.smudge', 'diff.d.textconv', 'core.pager', 'core.sshCommand']) git('config', key, `touch ${ran}`);
    writeFileSync(join(root, '.gitattributes'), '* filter=f diff=d\n');
    assert.equal(await readBaseVersion({ root, commit, path: 'a b:c' }), 'base\n');
    assert.ok(!existsSync(ran));
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a missing file and a text that is no commit are errors', async () => {
  const { root, commit } = repository({ a: 'base\n' });
  try {
    await assert.rejects(readBaseVersion({ root, commit, path: 'b' }), /does not exist/);
    await assert.rejects(readBaseVersion({ root, commit: '--batch', path: 'a' }), /not a commit/);
  } finally {
    rmSync(root, { recursive: true });
  }
});
