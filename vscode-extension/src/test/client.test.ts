import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client, CommandError, findBinary, ttyOf } from '../client';
import { pause } from '../rules/backoff';
import { Hearing } from '../rules/hearing';
import { isNewEnough } from '../rules/version';
import { inWords } from '../rules/broken';
import { type Agent, agentsFrom, failureFrom, listedFrom } from '../types';
import { someAgent } from './agents';

const folder = mkdtempSync(join(tmpdir(), 'sy-client-'));
after(() => { rmSync(folder, { recursive: true }); });

/** A stand-in for the binary that does what a line of shell says. */
function fake(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const client = (path: string, home = '') => new Client(() => ({ path, home }));

test('arguments go through as they are, and texts on standard input', async () => {
  const path = fake('echo', 'printf "[\\"%s\\"]" "$7"; cat >"$0.in"');
  const said = await client(path, '/h').json(['agent', 'send', 'x', '$(id) `id`; rm'], { stdin: 'a\nb' });
  assert.deepEqual(said, ['$(id) `id`; rm']);
});

test('a failure has code, what was seen, and hints', async () => {
  const path = fake('fail', `echo 'warning: x' >&2; echo '{"error":{"code":"no-such-agent","message":"no agent named \`x\`","saw":["known: a"],"hints":["h"]}}' >&2; exit 3`);
  await assert.rejects(client(path).json(['agent', 'show', 'x']), (error: unknown) => {
    assert.ok(error instanceof CommandError);
    assert.deepEqual([error.code, error.message, error.saw, error.hints], ['no-such-agent', 'no agent named `x`', ['known: a'], ['h']]);
    return true;
  });
});

test('a binary that is not there is told apart', async () => {
  for (const path of ['/nonexistent/symposium', 'no-such-program-anywhere', 'relative/path']) {
    await assert.rejects(client(path).agents(), (error: unknown) => error instanceof CommandError && error.code === 'missing-binary');
  }
});

test('the watcher hands on whole lines, and tells its end once', async () => {
  const line = JSON.stringify([someAgent()]);
  const path = fake('watch', `printf '%s' '${line.slice(0, 40)}'; sleep 0.05; printf '%s\\n[]\\n' '${line.slice(40)}'; echo 'warning: careful' >&2; echo '{"error":{"code":"tmux-missing","message":"m","saw":[],"hints":[]}}' >&2; exit 4`);
  const seen: string[] = [];
  const warnings: string[] = [];
  const error = await new Promise<Error>((resolve) => {
    client(path).watch({ agents: ({ agents }) => seen.push(agents.map(({ name }) => name).join()), warning: (text) => warnings.push(text), ended: resolve });
  });
  assert.deepEqual(seen, ['one', '']);
  assert.deepEqual(warnings, ['careful']);
  assert.equal((error as CommandError).code, 'tmux-missing');
});

test('a line that cannot be read ends the watcher once, and says what was seen', async () => {
  for (const line of ['{"agents":1}', 'panic at line 3', 'null']) {
    const path = fake('garbage', `echo '${line}'; echo '${line}'; echo '${line}'; exec sleep 60`);
    let told = 0;
    const error = await new Promise<CommandError>((resolve) => {
      client(path).watch({ agents: () => told++, warning: () => told++, ended: (reason) => { resolve(reason as CommandError); } });
    });
    assert.deepEqual([error.code, error.saw, told], ['unreadable', [line], 0]);
  }
});

test('an agent that lacks a field is named, and takes no other along', () => {
  const half: Partial<Agent> = someAgent({ name: 'half' });
  delete half.title;
  const { agents, broken } = listedFrom([someAgent(), half, 7, { name: 3 }]);
  assert.deepEqual(agents.map(({ name }) => name), ['one']);
  assert.deepEqual(broken.map(({ name }) => name), ['half', '#3', '#4']);
  assert.equal(inWords(broken), 'cannot be shown: half, #3, #4 (agent.title: expected a text, found nothing)');
  assert.equal(inWords([]), '');
  assert.equal(inWords(['a\u001b\n$(zap)', 'b', 'c', 'd'].map((name) => ({ name, why: 'w' }))), 'cannot be shown: a $(zap), b, c and 1 more (w)');
  for (const value of [{}, null, 'x']) assert.throws(() => listedFrom(value));
});

test('a watcher that was disposed of says nothing more', async () => {
  const path = fake('long', 'echo "[]"; exec sleep 60');
  let told = 0;
  await new Promise<void>((resolve) => {
    const watching = client(path).watch({
      agents: () => { watching.dispose(); setTimeout(resolve, 100); },
      warning: () => told++,
      ended: () => told++,
    });
  });
  assert.equal(told, 0);
});

test('the terminal of an agent is a program and its arguments', () => {
  const path = fake('there', '');
  assert.deepEqual(client(path, '@x').attachCommand('one', 'observer'), { shellPath: path, shellArgs: ['--home', '@x', 'agent', 'attach', 'one', '--observe'] });
  assert.deepEqual(client(path, '').attachCommand('one', 'taker').shellArgs, ['agent', 'attach', 'one', '--take']);
  assert.equal(findBinary('there', { PATH: `relative:${folder}` }), path);
  mkdirSync(join(folder, 'first/there'), { recursive: true });
  assert.equal(findBinary('there', { PATH: `${folder}/first:${folder}` }), path, 'a directory is no program');
});

test('the terminal of a process is known where there is no `ps`', { skip: process.platform !== 'linux' }, async () => {
  const child = spawn('script', ['-qec', 'tty; echo $$; exec sleep 60', '/dev/null']);
  try {
    let said = '';
    child.stdout.setEncoding('utf8');
    for await (const text of child.stdout) if ((said += String(text)).split('\n').length > 2) break;
    const [tty, pid] = said.split(/\r?\n/);
    const path = process.env['PATH'];
    process.env['PATH'] = folder;
    assert.equal(await ttyOf(Number(pid)).finally(() => { process.env['PATH'] = path; }), tty);
  } finally {
    child.kill();
  }
});

test('what is no list of agents is refused whole', () => {
  assert.deepEqual(agentsFrom([]), []);
  for (const value of [{}, null, 'x', [{}], [someAgent(), { name: 'half' }]]) assert.throws(() => agentsFrom(value));
  assert.equal(failureFrom('nonsense\n{"a":1}'), undefined);
});

test('versions and pauses', () => {
  assert.deepEqual(['symposium 0.1.0', 'symposium 1.0.0', 'symposium 0.0.9', 'something'].map((text) => isNewEnough(text, '0.1.0')), [true, true, false, false]);
  assert.deepEqual([1, 2, 3, 10].map(pause), [500, 1000, 2000, 30_000]);
});

test('what was asked for is no news when the watcher has told something meanwhile', () => {
  const hearing = new Hearing();
  const early = hearing.asks();
  assert.equal(early(), true);
  hearing.told();
  const late = hearing.asks();
  assert.deepEqual([early(), late()], [false, true]);
});
