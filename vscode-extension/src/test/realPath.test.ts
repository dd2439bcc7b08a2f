import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { realPath } from '../realPath';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sy-paths-')));
after(() => { rmSync(root, { recursive: true }); });

test('a deleted folder is still resolved', () => {
  mkdirSync(join(root, 'there/api/src'), { recursive: true });
  symlinkSync(join(root, 'there'), join(root, 'link'));
  symlinkSync(join(root, 'there/api'), join(root, 'open'));
  assert.equal(realPath(join(root, 'open')), join(root, 'there/api'));
  rmSync(join(root, 'there/api'), { recursive: true });
  assert.equal(realPath(join(root, 'open')), join(root, 'there/api'), 'one that was looked at before');
  assert.equal(realPath(join(root, 'link/api')), join(root, 'there/api'), 'one on a way that is still there');
  assert.equal(realPath(join(root, 'link/api/src')), join(root, 'there/api/src'));
  assert.equal(realPath('/nonexistent/x'), '/nonexistent/x');
});
