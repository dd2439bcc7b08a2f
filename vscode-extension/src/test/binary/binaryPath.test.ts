import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { binaryMistake } from '../../binary/binaryPath';

const folder = mkdtempSync(join(tmpdir(), 'sy-binary-'));
after(() => { rmSync(folder, { recursive: true }); });

test('a path that is not a program is rejected with a reason', () => {
  const home = process.env['HOME'];
  process.env['HOME'] = folder;
  try {
    mkdirSync(join(folder, 'bin'));
    for (const name of ['symposium', 'plain']) writeFileSync(join(folder, 'bin', name), '#!/bin/sh\n');
    chmodSync(join(folder, 'bin/symposium'), 0o755);
    const env = { PATH: join(folder, 'bin') };
    for (const good of ['', ' ', 'symposium', '~/bin/symposium', ` ${folder}/bin/symposium `]) assert.equal(binaryMistake(good, env), undefined, good);
    const wrong: [string, RegExp][] = [
      ['/nope/symposium', /no such file/],
      ['~/nope', /no such file/],
      [`${folder}/bin/symposium/x`, /no such file/],
      [folder, /a directory/],
      ['~/bin/', /a directory/],
      [`${folder}/bin/plain`, /not executable/],
      ['/dev/null', /not a file/],
      ['bin/symposium', /begins with/],
      ['no-such-program-anywhere', /in PATH/],
    ];
    for (const [path, says] of wrong) assert.match(binaryMistake(path, env) ?? '', says, path);
  } finally {
    process.env['HOME'] = home;
  }
});
