import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client, CommandError, findBinary, ttyOf } from '../../binary/client';
import { restartPause } from '../../rules/binary/backoff';
import { SnapshotOrder } from '../../rules/binary/newerSnapshot';
import { isNewEnough } from '../../rules/binary/version';
import { UnreadableEntries, unreadableText } from '../../rules/binary/unreadable';
import { restoreError } from '../../rules/commands/restoreSummary';
import { type Agent, agentsFrom, failureFrom, agentListFrom } from '../../binary/types';
import { someAgent } from '../agentFixtures';

const folder = mkdtempSync(join(tmpdir(), 'sy-client-'));
after(() => { rmSync(folder, { recursive: true }); });

/** Writes a shell script that stands in for the binary. */
function fake(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const client = (path: string, home = '') => new Client(() => ({ path, home }));

test('arguments are passed unchanged, and texts go to standard input', async () => {
  const path = fake('echo', 'printf "[\\"%s\\"]" "$7"; cat >"$0.in"');
  const answer = await client(path, '/h').json(['agent', 'send', 'x', '$(id) `id`; rm'], { stdin: 'a\nb' });
  assert.deepEqual(answer, ['$(id) `id`; rm']);
});

test('starting and restoring agents has no timeout', async () => {
  const slow = (name: string, answer: unknown) => new Client(() => ({ path: fake(name, `sleep 0.6; echo '${JSON.stringify(answer)}'`), home: '' }), undefined, 100);
  await assert.rejects(slow('slow-list', []).agents());
  assert.equal((await slow('slow-spawn', someAgent({ name: 'late' })).start(['agent', 'spawn'], '')).name, 'late');
  assert.deepEqual((await slow('slow-restore', []).restoreLost()).back, []);
});

test('an error has a code, observations and hints', async () => {
  const path = fake('fail', `echo 'warning: x' >&2; echo '{"error":{"code":"no-such-agent","message":"no agent named \`x\`","saw":["known: a"],"hints":["h"]}}' >&2; exit 3`);
  await assert.rejects(client(path).json(['agent', 'show', 'x']), (error: unknown) => {
    assert.ok(error instanceof CommandError);
    assert.deepEqual([error.code, error.message, error.saw, error.hints], ['no-such-agent', 'no agent named `x`', ['known: a'], ['h']]);
    return true;
  });
});

test('a finished task is found although its agent was removed', async () => {
  const task = { id: 7, agent: 'x', pool: null, text: 't', priority: 'normal', state: 'done', created_at: '', changed_at: '', after: [], blocked: 0, progress: null, why: '', result: null };
  const path = fake('gone', `[ "$3" = show ] && { echo '${JSON.stringify(task)}'; exit; }; echo '{"error":{"code":"no-such-agent","message":"m","saw":[],"hints":[]}}' >&2; exit 3`);
  assert.deepEqual((await client(path).finishedTasks('x', 7)).map(({ id }) => id), [7]);
  await assert.rejects(client(path).finishedTasks('x'), CommandError);
});

test('a missing binary has its own error code', async () => {
  for (const path of ['/nonexistent/symposium', 'no-such-program-anywhere', 'relative/path']) {
    await assert.rejects(client(path).agents(), (error: unknown) => error instanceof CommandError && error.code === 'missing-binary');
  }
  for (const [path, place] of [['nowhere-symposium', '/usr/local/bin/nowhere-symposium'], ['/nowhere/symposium', '/nowhere/symposium'], ['bin/symposium', 'a path with a slash begins with / or ~/']] as const) {
    await assert.rejects(client(path).agents(), (error: unknown) => error instanceof CommandError && error.saw.includes(place), path);
  }
});

test('the watcher passes complete lines and reports its end once', async () => {
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

test('an unreadable line ends the watcher once and is reported', async () => {
  for (const line of ['{"agents":1}', 'panic at line 3', 'null']) {
    const path = fake('garbage', `echo '${line}'; echo '${line}'; echo '${line}'; exec sleep 60`);
    let told = 0;
    const error = await new Promise<CommandError>((resolve) => {
      client(path).watch({ agents: () => told++, warning: () => told++, ended: (reason) => { resolve(reason as CommandError); } });
    });
    assert.deepEqual([error.code, error.saw, told], ['unreadable', [line], 0]);
  }
});

test('an agent that lacks a field is named, and the others are shown', () => {
  const half: Partial<Agent> = someAgent({ name: 'half' });
  delete half.title;
  const { agents, broken } = agentListFrom([someAgent(), half, 7, { name: 3 }]);
  assert.deepEqual(agents.map(({ name }) => name), ['one']);
  assert.deepEqual(broken.map(({ name }) => name), ['half', '#3', '#4']);
  assert.equal(unreadableText(broken), 'cannot be shown: half, #3, #4 (agent.title: expected a text, found nothing)');
  assert.equal(unreadableText([]), '');
  assert.equal(unreadableText(['a\u001b\n$(zap)', 'b', 'c', 'd'].map((name) => ({ name, why: 'w' }))), 'cannot be shown: a $(zap), b, c and 1 more (w)');
  for (const value of [{}, null, 'x']) assert.throws(() => agentListFrom(value));
});

test('the second of two agents with the same id is named, and the first is shown', () => {
  const { agents, broken } = agentListFrom([someAgent({ name: 'one', id: 'x' }), someAgent({ name: 'two', id: 'x' }), someAgent({ name: 'three' })]);
  assert.deepEqual(agents.map(({ name }) => name), ['one', 'three']);
  assert.equal(unreadableText(broken), 'cannot be shown: two (agent.id: it is that of one too)');
});

const warning = 'entry `two` of the registry cannot be read: invalid type: integer `7`, expected a timestamp string at line 1 column 306; it is left as it is';

test('an entry that the binary cannot read is named until it is readable', async () => {
  const path = fake('unreadable', `echo '[]'; echo '${JSON.stringify({ warning: warning.replaceAll("'", '') })}' >&2; echo 'warning: agent \`x\` is slow' >&2`);
  const { agents, unreadable } = await client(path).agents();
  assert.deepEqual([agents, unreadable.map(({ name }) => name)], [[], ['two']]);
  assert.equal(unreadableText(unreadable), 'cannot be shown: two (invalid type: integer `7`, expected a timestamp string at line 1 column 306)');
  const entries = new UnreadableEntries();
  assert.deepEqual([entries.addWarning(warning), entries.addWarning(warning), entries.addWarning('tmux does not answer')], [true, false, false]);
  assert.equal(entries.addWarning(warning.replace('306', '9')), true);
  assert.deepEqual(entries.all.map(({ name, why }) => `${name} ${why.slice(-1)}`), ['two 9']);
  assert.deepEqual([entries.needRefresh([someAgent()]), entries.needRefresh([someAgent({ name: 'two' })])], [false, true]);
  entries.replace([]);
  assert.deepEqual(entries.all, []);
});

test('a new watcher asks again about unreadable entries', () => {
  const entries = new UnreadableEntries();
  entries.watcherStarted();
  assert.equal(entries.needRefresh([]), false, 'none is known of');
  entries.addWarning('entry `two` of the registry cannot be read: why');
  assert.equal(entries.needRefresh([]), false, 'this watcher has just answer so');
  entries.watcherStarted();
  assert.equal(entries.needRefresh([]), true);
  entries.replace(entries.all);
  assert.equal(entries.needRefresh([]), false);
});

test('agents that cannot be restored are reported with the reason', async () => {
  const row = (name: string, restored: boolean) => JSON.stringify({ name, restored, remark: `why ${name}` });
  const answer = (exit: number, ...rows: string[]) => client(fake('restore', `echo '[${rows.join()}]'; exit ${exit}`)).restoreLost();
  const some = await answer(1, row('a', true), row('b', false), row('c', false));
  assert.deepEqual([some.back, some.failed].map((rows) => rows.map(({ name }) => name).join()), ['a', 'b,c']);
  const several = restoreError(some.failed) ?? assert.fail();
  assert.deepEqual([several.message, several.saw], ['2 agents were not restored', ['b: why b', 'c: why c']]);
  const one = restoreError(some.failed.slice(1)) ?? assert.fail();
  assert.deepEqual([one.message, one.saw], ['c was not restored', ['why c']]);
  const all = await answer(0, row('a', true), row('was-back', false));
  assert.deepEqual([all.back.length, restoreError(all.failed)], [2, undefined]);
  assert.deepEqual(await answer(0), { back: [], failed: [] });
  await assert.rejects(client(fake('restore', 'echo panic; exit 1')).restoreLost());
});

test('a disposed watcher reports nothing', async () => {
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

test('the command of a terminal is a program and its arguments', () => {
  const path = fake('there', '');
  assert.deepEqual(client(path, '@x').attachCommand('one', 'observer'), { shellPath: path, shellArgs: ['--home', '@x', 'agent', 'attach', 'one', '--observe'] });
  assert.deepEqual(client(path, '').attachCommand('one', 'taker').shellArgs, ['agent', 'attach', 'one', '--take']);
  assert.equal(findBinary('there', { PATH: `relative:${folder}` }), path);
  mkdirSync(join(folder, 'first/there'), { recursive: true });
  assert.equal(findBinary('there', { PATH: `${folder}/first:${folder}` }), path, 'a directory is no program');
});

test('the state directory does not depend on the working directory', async () => {
  const path = fake('home', 'printf "[\\"%s\\"]" "$2"');
  const answer = async (home: string) => [(await client(path, home).json(['x'])) as string[], client(path, home).attachCommand('one', 'driver').shellArgs[1]].flat();
  assert.deepEqual(await answer('~/other home'), Array(2).fill(join(homedir(), 'other home')));
  assert.deepEqual(await answer('~'), Array(2).fill(homedir()));
  for (const home of ['/h', '@x']) assert.deepEqual(await answer(home), [home, home]);
  for (const home of ['other', './other', '~other/x']) {
    await assert.rejects(client(path, home).agents(), (error: unknown) => error instanceof CommandError && error.code === 'state' && error.message.includes(home), home);
  }
});

test('the terminal of a process is found without `ps`', { skip: process.platform !== 'linux' }, async () => {
  const child = spawn('script', ['-qec', 'tty; echo $$; exec sleep 60', '/dev/null']);
  try {
    let answer = '';
    child.stdout.setEncoding('utf8');
    for await (const text of child.stdout) if ((answer += String(text)).split('\n').length > 2) break;
    const [tty, pid] = answer.split(/\r?\n/);
    const path = process.env['PATH'];
    process.env['PATH'] = folder;
    assert.equal(await ttyOf(Number(pid)).finally(() => { process.env['PATH'] = path; }), tty);
  } finally {
    child.kill();
  }
});

test('a value that is not a list of agents is rejected', () => {
  assert.deepEqual(agentsFrom([]), []);
  for (const value of [{}, null, 'x', [{}], [someAgent(), { name: 'half' }]]) assert.throws(() => agentsFrom(value));
  assert.equal(failureFrom('nonsense\n{"a":1}'), undefined);
});

test('versions are compared by number, and restart pauses grow to a limit', () => {
  assert.deepEqual(['symposium 0.1.0', 'symposium 1.0.0', 'symposium 0.0.9', 'something'].map((text) => isNewEnough(text, '0.1.0')), [true, true, false, false]);
  assert.deepEqual([1, 2, 3, 10].map(restartPause), [500, 1000, 2000, 30_000]);
});

test('a reply is ignored after the watcher has pushed a newer list', () => {
  const hearing = new SnapshotOrder();
  const early = hearing.request();
  assert.equal(early(), true);
  hearing.pushed();
  const late = hearing.request();
  assert.deepEqual([early(), late()], [false, true]);
});
