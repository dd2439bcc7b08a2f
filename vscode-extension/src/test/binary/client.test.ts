import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client, CommandError, findBinary, ttyOf } from '../../binary/client';
import { pause } from '../../rules/binary/backoff';
import { Hearing } from '../../rules/binary/newerSnapshot';
import { isNewEnough } from '../../rules/binary/version';
import { Unreadable, inWords } from '../../rules/binary/unreadable';
import { notRestored } from '../../rules/commands/restoreSummary';
import { type Agent, agentsFrom, failureFrom, listedFrom } from '../../binary/types';
import { someAgent } from '../agentFixtures';

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

test('what prepares an agent or brings many back takes as long as it takes', async () => {
  const slow = (name: string, answer: unknown) => new Client(() => ({ path: fake(name, `sleep 0.6; echo '${JSON.stringify(answer)}'`), home: '' }), undefined, 100);
  await assert.rejects(slow('slow-list', []).agents());
  assert.equal((await slow('slow-spawn', someAgent({ name: 'late' })).started(['agent', 'spawn'], '')).name, 'late');
  assert.deepEqual((await slow('slow-restore', []).restoreLost()).back, []);
});

test('a failure has code, what was seen, and hints', async () => {
  const path = fake('fail', `echo 'warning: x' >&2; echo '{"error":{"code":"no-such-agent","message":"no agent named \`x\`","saw":["known: a"],"hints":["h"]}}' >&2; exit 3`);
  await assert.rejects(client(path).json(['agent', 'show', 'x']), (error: unknown) => {
    assert.ok(error instanceof CommandError);
    assert.deepEqual([error.code, error.message, error.saw, error.hints], ['no-such-agent', 'no agent named `x`', ['known: a'], ['h']]);
    return true;
  });
});

test('a task that is over is known though its agent is gone', async () => {
  const task = { id: 7, agent: 'x', pool: null, text: 't', priority: 'normal', state: 'done', created_at: '', changed_at: '', after: [], blocked: 0, progress: null, why: '', result: null };
  const path = fake('gone', `[ "$3" = show ] && { echo '${JSON.stringify(task)}'; exit; }; echo '{"error":{"code":"no-such-agent","message":"m","saw":[],"hints":[]}}' >&2; exit 3`);
  assert.deepEqual((await client(path).tasksOver('x', 7)).map(({ id }) => id), [7]);
  await assert.rejects(client(path).tasksOver('x'), CommandError);
});

test('a binary that is not there is told apart', async () => {
  for (const path of ['/nonexistent/symposium', 'no-such-program-anywhere', 'relative/path']) {
    await assert.rejects(client(path).agents(), (error: unknown) => error instanceof CommandError && error.code === 'missing-binary');
  }
  for (const [path, place] of [['nowhere-symposium', '/usr/local/bin/nowhere-symposium'], ['/nowhere/symposium', '/nowhere/symposium'], ['bin/symposium', 'a path with a slash begins with / or ~/']] as const) {
    await assert.rejects(client(path).agents(), (error: unknown) => error instanceof CommandError && error.saw.includes(place), path);
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

test('of two with one id the second is named, and the first is shown', () => {
  const { agents, broken } = listedFrom([someAgent({ name: 'one', id: 'x' }), someAgent({ name: 'two', id: 'x' }), someAgent({ name: 'three' })]);
  assert.deepEqual(agents.map(({ name }) => name), ['one', 'three']);
  assert.equal(inWords(broken), 'cannot be shown: two (agent.id: it is that of one too)');
});

const warning = 'entry `two` of the registry cannot be read: invalid type: integer `7`, expected a timestamp string at line 1 column 306; it is left as it is';

test('an entry that the binary cannot read is named, until it can', async () => {
  const path = fake('unreadable', `echo '[]'; echo '${JSON.stringify({ warning: warning.replaceAll("'", '') })}' >&2; echo 'warning: agent \`x\` is slow' >&2`);
  const { agents, unreadable } = await client(path).agents();
  assert.deepEqual([agents, unreadable.map(({ name }) => name)], [[], ['two']]);
  assert.equal(inWords(unreadable), 'cannot be shown: two (invalid type: integer `7`, expected a timestamp string at line 1 column 306)');
  const heard = new Unreadable();
  assert.deepEqual([heard.warned(warning), heard.warned(warning), heard.warned('tmux does not answer')], [true, false, false]);
  assert.equal(heard.warned(warning.replace('306', '9')), true);
  assert.deepEqual(heard.all.map(({ name, why }) => `${name} ${why.slice(-1)}`), ['two 9']);
  assert.deepEqual([heard.areInDoubt([someAgent()]), heard.areInDoubt([someAgent({ name: 'two' })])], [false, true]);
  heard.asked([]);
  assert.deepEqual(heard.all, []);
});

test('an entry that was taken out of the registry is asked about when a watcher begins', () => {
  const heard = new Unreadable();
  heard.began();
  assert.equal(heard.areInDoubt([]), false, 'none is known of');
  heard.warned('entry `two` of the registry cannot be read: why');
  assert.equal(heard.areInDoubt([]), false, 'this watcher has just said so');
  heard.began();
  assert.equal(heard.areInDoubt([]), true);
  heard.asked(heard.all);
  assert.equal(heard.areInDoubt([]), false);
});

test('of the lost agents that are brought back those that cannot be are told by why', async () => {
  const row = (name: string, restored: boolean) => JSON.stringify({ name, restored, remark: `why ${name}` });
  const said = (exit: number, ...rows: string[]) => client(fake('restore', `echo '[${rows.join()}]'; exit ${exit}`)).restoreLost();
  const some = await said(1, row('a', true), row('b', false), row('c', false));
  assert.deepEqual([some.back, some.failed].map((rows) => rows.map(({ name }) => name).join()), ['a', 'b,c']);
  const several = notRestored(some.failed) ?? assert.fail();
  assert.deepEqual([several.message, several.saw], ['2 were not brought back', ['b: why b', 'c: why c']]);
  const one = notRestored(some.failed.slice(1)) ?? assert.fail();
  assert.deepEqual([one.message, one.saw], ['c was not brought back', ['why c']]);
  const all = await said(0, row('a', true), row('was-back', false));
  assert.deepEqual([all.back.length, notRestored(all.failed)], [2, undefined]);
  assert.deepEqual(await said(0), { back: [], failed: [] });
  await assert.rejects(client(fake('restore', 'echo panic; exit 1')).restoreLost());
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

test('the state directory is the same one wherever the binary is run', async () => {
  const path = fake('home', 'printf "[\\"%s\\"]" "$2"');
  const said = async (home: string) => [(await client(path, home).json(['x'])) as string[], client(path, home).attachCommand('one', 'driver').shellArgs[1]].flat();
  assert.deepEqual(await said('~/other home'), Array(2).fill(join(homedir(), 'other home')));
  assert.deepEqual(await said('~'), Array(2).fill(homedir()));
  for (const home of ['/h', '@x']) assert.deepEqual(await said(home), [home, home]);
  for (const home of ['other', './other', '~other/x']) {
    await assert.rejects(client(path, home).agents(), (error: unknown) => error instanceof CommandError && error.code === 'state' && error.message.includes(home), home);
  }
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
