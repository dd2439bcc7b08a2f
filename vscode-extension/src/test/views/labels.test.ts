import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { blockersOf, unlistedBlockers } from '../../rules/views/blockedTasks';
import { contextValue, description, pickActions, pickEntry, accessibleLabel, taskContext, taskDocument, taskLine, taskTooltip } from '../../rules/views/labels';
import { unreadableText } from '../../rules/binary/unreadable';
import { nameError } from '../../rules/agent/agentName';
import { noticeText } from '../../rules/notify/notices';
import { updateTaskRows, withCancelled } from '../../rules/views/taskRows';
import { recapDocument, recapPath, namesInRecapPath, tooltip } from '../../rules/views/recapDocument';
import { severity, count, countsIcons, countsText, canReceivePrompt, isWorking, isResumable, isSameTurn, iconOf, statusWord } from '../../rules/agent/status';
import { escapeMarkdown, fenced, escapeQuickPick, withoutIcons, withoutLinks, oneLine } from '../../rules/agent/sanitize';
import { age } from '../../rules/agent/ages';
import type { Agent, Recap, Status, Task, TaskState } from '../../binary/types';
import { setTranslate } from '../../l10n';
import { asking, someAgent } from '../agentFixtures';
import { applyFilter } from '../../rules/views/agentFilter';
import { byUrgency, fingerprint } from '../../rules/views/agentGroups';

const now = Date.parse('2026-01-01T00:05:00Z');
const hostile = '**b** <img src=x onerror=alert(1)> [l](command:quit) $(zap) `c`\u001b[31m\u202e\nnext';

test('a description shows status, age and branch', () => {
  assert.equal(description(someAgent(), now), 'idle · 5m · main');
  const busy = someAgent({ status: 'working', branch: null, task: { id: 1, title: 't', progress: { percent: 40, note: '' } }, tasks: { queued: 2, running: 1, done: 0, failed: 0 } });
  assert.equal(description(busy, now), 't · working · 5m · api · 40 % · 2 queued');
});

test('an agent that will be restarted says so in its description', () => {
  const restart = { policy: 'always', count: 1, next_at: '2026-01-01T00:05:04Z' };
  assert.equal(description(someAgent({ status: 'crashed', restart }), now), 'crashed · will be restarted · 5m · main');
  assert.equal(description(someAgent({ restart }), now), 'idle · 5m · main');
});

test('a scratch folder is not shown by its name', () => {
  const scratch = { workspace: 'scratch', working_directory: '/home/me/.symposium/instances/one/workspace' } as const;
  assert.equal(description(someAgent({ ...scratch, branch: null }), now), 'idle · 5m · own folder');
  assert.equal(description(someAgent({ ...scratch, branch: 'made' }), now), 'idle · 5m · made');
});

test('a deleted folder is shown in the row, the quick pick and the hover', () => {
  const agent = someAgent({ directory_gone: '2026-01-01T00:00:00Z', working_directory: '/src/web' });
  assert.equal(description(agent, now), 'idle · 5m · folder deleted');
  assert.equal(pickEntry(agent, now).description, 'idle · 5m · folder deleted');
  assert.match(tooltip(agent, {}, now), /Folder:\*\* .*web &#40;deleted&#41;/);
  assert.ok(!tooltip(someAgent(), {}, now).includes('deleted'));
});

test('the question comes first in a row, followed by status and branch', () => {
  const agent = someAgent(asking('Bash: rm -rf build'));
  assert.equal(description(agent, now), 'Bash: rm -rf build · needs approval · 5m · main');
  assert.deepEqual(pickEntry(agent, now), { label: 'one', description: 'needs approval · 5m · main', detail: 'Bash: rm -rf build · last activity 5m ago' });
});

test('waiting descendants are shown at the beginning of a row and read by screen readers', () => {
  const marks = { below: 2, muted: true };
  assert.equal(description(someAgent(), now, marks), '2 below need you · idle · 5m · main · muted');
  assert.equal(description(someAgent(asking('Bash: make')), now, marks), 'Bash: make · 2 below need you · needs approval · 5m · main · muted');
  assert.equal(accessibleLabel(someAgent(), marks), 'one, idle, 2 below need you, muted');
  assert.deepEqual([description(someAgent(), now, { below: 0, muted: false }), accessibleLabel(someAgent(), { below: 0, muted: false })], ['idle · 5m · main', 'one, idle']);
});

test('the context value follows from the status', () => {
  const words = (differs: Partial<Agent>) => contextValue(someAgent(differs), { muted: false });
  assert.equal(words({}), 'agent live attachable idle');
  assert.equal(words({ status: 'waiting', waiting_for: 'approval' }), 'agent live attachable approval');
  assert.equal(words({ status: 'waiting', waiting_for: 'question' }), 'agent live attachable');
  assert.equal(words({ status: 'stopped', tmux: null }), 'agent ended');
  const client = { user: 'u', tty: '/dev/pts/1', observer: false, driver: true, guest: false, since: null, from: null, pid: 11, focused: true };
  assert.equal(words({ clients: [client] }), 'agent live attachable idle driven');
  assert.equal(words({ status: 'hibernated', tmux: null }), 'agent attachable asleep');
  assert.equal(contextValue(someAgent({ status: 'crashed' }), { muted: true }), 'agent attachable ended muted');
  assert.match(words({ workspace: 'worktree' }), /\bworktree\b/);
});

test('ended agents can be resumed and running agents can receive prompts, from row and menu', () => {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { menus: Record<string, { command: string; group: string; when: string }[]> } };
  const rows = contributes.menus['view/item/context'] ?? assert.fail();
  const offered = (command: string, status: Agent['status']) =>
    rows.filter((entry) => entry.command === `symposium.${command}`)
      .filter(({ when }) => [...when.matchAll(/viewItem =~ \/(.+?)\/(?= |$)/g)].every(([, pattern]) => new RegExp(pattern ?? '').test(contextValue(someAgent({ status }), { muted: false }))))
      .map(({ group }) => group.split('@')[0]);
  const all = ['starting', 'working', 'waiting', 'idle', 'exited', 'crashed', 'stopped', 'hibernated', 'lost', 'unknown'] as const;
  for (const status of all) {
    assert.deepEqual(offered('send', status), canReceivePrompt(someAgent({ status })) ? ['inline', '2_say'] : [], `send, ${status}`);
    assert.deepEqual(offered('interrupt', status), isWorking(someAgent({ status })) ? ['2_say'] : [], `interrupt, ${status}`);
    assert.deepEqual(offered('resume', status), isResumable(someAgent({ status })) ? ['inline', '4_life'] : [], `resume, ${status}`);
  }
  assert.ok(canReceivePrompt(someAgent({ status: 'hibernated' })) && isResumable(someAgent({ status: 'hibernated' })));
});

test('an ended agent has no stop button', () => {
  const offered = (status: Agent['status']) => pickActions(someAgent({ status })).join(' ');
  for (const status of ['starting', 'working', 'waiting', 'idle', 'unknown'] as const) assert.equal(offered(status), 'observe peek stop');
  for (const status of ['exited', 'crashed', 'stopped', 'hibernated', 'lost'] as const) assert.equal(offered(status), 'observe peek');
});

test('only changed tasks are redrawn while the order stays the same', () => {
  const tasks = (state: Task['state'], ...ids: number[]) => ids.map((id) => ({ id, state: id === 1 ? state : 'queued', text: 't' }) as Task);
  const rows = tasks('queued', 2, 1);
  assert.deepEqual(updateTaskRows(rows, tasks('queued', 2, 1)), []);
  assert.deepEqual(updateTaskRows(rows, tasks('running', 2, 1)), [rows[1]]);
  assert.equal(rows[1]?.state, 'running', 'it is the row that was drawn');
  assert.deepEqual([updateTaskRows(rows, tasks('running', 3, 2, 1)), updateTaskRows(rows, tasks('running', 1)), updateTaskRows(rows, tasks('running', 1, 2))], [undefined, undefined, undefined]);
});

test('markup of an agent is shown as text in a quick pick', () => {
  const asks = (text: string) => someAgent({ ...asking(text), name: '$(zap)x', branch: hostile, working_directory: `/${hostile}` });
  const entries = [someAgent({ name: '$(zap)x', reason: hostile, branch: hostile }), asks(hostile), asks('$(zap)')].map((agent) => pickEntry(agent, now));
  for (const text of entries.flatMap((entry) => Object.values(entry))) {
    for (const mark of ['$(', '](', '**', '`', '<img']) assert.ok(!text.includes(mark), text);
    assert.ok(!/[\u0000-\u001f\u202e]/.test(text), text);
  }
});

test('Markdown in a quick pick is escaped invisibly', () => {
  const gap = '\ufeff';
  for (const [text, wanted] of [
    ['my_spec-2 /src/a_b/c.d', 'my_spec-2 /src/a_b/c.d'],
    ['a - b (c) [d] #1 1.', 'a - b (c) [d] #1 1.'],
    ['$(zap)', '$|(zap)'],
    ['![a](b)', '!|[a]|(b)'],
    ['[a][b] [c]: d', '[a]|[b] [c]|: d'],
    ['**b** *e*', '*|*|b*|*| *|e*|'],
    ['_e_ __s__ (_e_)', '_|e_ _|_|s__| (_|e_)'],
    ['~~d~~', '~|~|d~|~|'],
    ['`c`', 'ˋcˋ'],
    ['<img src=x> <https://x.y>', '<|img src=x> <|https:|//x.y>'],
    ['HTTP://x.y ftp://x.y www.x.y WWW.x.y', 'HTTP:|//x.y ftp:|//x.y www|.x.y WWW|.x.y'],
    ['me@x.org', 'me@|x.org'],
    ['&lt; &#42; a && b', '&|lt; &|#42; a && b'],
    ['\\* C:\\a', '\\|*| C:\\a'],
    ['# h', '|# h'],
    ['#1 t', '#1 t'],
    ['- l', '|- l'],
    ['1. l', '|1. l'],
    ['> q', '|> q'],
    ['---', '|---'],
    ['a\n# h', 'a # h'],
  ] as const) {
    assert.equal(escapeQuickPick(text).replaceAll(gap, '|'), wanted);
    assert.equal(escapeQuickPick(text).replaceAll(gap, '').replaceAll('ˋ', '`'), oneLine(text));
  }
});

test('markup of an agent is one line of text in a row and in a notification', () => {
  const agent = someAgent({ ...asking(hostile), name: hostile, branch: hostile });
  const texts = [description(agent, now), noticeText({ kind: 'waiting', agent, mark: '' }), unreadableText([{ name: hostile, why: hostile }])];
  for (const text of texts) assert.ok(!/[\u0000-\u001f\u202e]/.test(text), text);
  assert.ok(!texts[1]?.includes(']('), texts[1]);
});

test('the question is read with its row and shown once in the hover', () => {
  const agent = someAgent(asking('Bash: make'));
  assert.deepEqual([accessibleLabel(agent), accessibleLabel(someAgent())], ['one, needs approval, Bash: make', 'one, idle']);
  const sample: Recap = { ...quiet, asks: 'Bash: make' };
  const often = (differs: Partial<Agent>) => tooltip(someAgent(differs), { recap: sample }, now).split(/Bash(?:&#58;|:) make/).length - 1;
  assert.deepEqual([often(asking('Bash: make')), often({ status: 'waiting', reason: 'Bash: make' }), often({})], [1, 1, 1]);
});

test('a hover shows the last prompt and a summary, one line each', () => {
  const spent: Recap['spent'] = [{ status: 'working', seconds: 720 }, { status: 'idle', seconds: 0 }];
  const recap: Recap = { ...quiet, spent, prompts: 2, last_prompt: 'fix the\nlogin', done: [{ id: 1, title: '', why: '' }] };
  const text = tooltip(someAgent({}), { recap }, now);
  assert.ok(text.includes('**Last prompt:** fix the login  \n'), text);
  assert.ok(text.includes('**Recap:** the last 1h&#58; working 12m · prompts&#58; 2 · tasks done&#58; 1'), text);
  assert.ok(!tooltip(someAgent({}), {}, now).includes('Recap'));
});

const quiet: Recap = {
  name: 'one', since: '2026-01-01T00:00:00Z', until: '2026-01-01T01:00:00Z', status: 'idle', reason: '', changes: [], spent: [], prompts: 1, restarts: 0,
  gave_up: false, done: [], failed: [], messages: [], commits: [], uncommitted: null, last_prompt: null, last_words: null, asks: null,
};

test('markup of an agent is shown as text in a hover and in a recap', () => {
  const recap: Recap = {
    name: 'one', since: '2026-01-01T00:00:00Z', until: '2026-01-01T01:00:00Z', status: 'idle', reason: hostile,
    changes: [{ at: '2026-01-01T00:00:00Z', from: null, to: 'idle', why: hostile }], spent: [], prompts: 1, restarts: 0, gave_up: false,
    done: [{ id: 1, title: hostile, why: '' }], failed: [], messages: [{ id: 1, at: '2026-01-01T00:00:00Z', from: hostile, to: null, text: hostile }],
    commits: [{ id: 'abc', subject: hostile, at: '2026-01-01T00:00:00Z' }], uncommitted: { files: [{ kind: 'added', path: hostile }], insertions: 1, deletions: 0 },
    last_prompt: hostile, last_words: '```\n</pre><script>\n````', asks: hostile,
  };
  const outside = (text: string) => text.replace(/^(`{3,})text\n[^]*?\n\1$/gm, '');
  for (const text of [outside(recapDocument(recap)), outside(tooltip(someAgent({ ...asking(`\`\`\`\n${hostile}`), name: 'x', title: hostile, branch: hostile }), { recap, shares: [{ with: hostile, read_only: false, until: null }] }, now))]) {
    for (const mark of ['<img', '](', '**b**', '`c`', '$(zap)', '<script']) assert.ok(!text.includes(mark), `${mark} in ${text}`);
  }
  assert.ok(recapDocument(recap).includes('`````text\n```\n</pre><script>\n````\n`````'));
});

test('the path of a recap document names its agents', () => {
  for (const names of [['api-fix_2'], ['api', 'docs']]) assert.deepEqual(namesInRecapPath(`/1763360000000${recapPath(names)}`), names);
  assert.deepEqual(namesInRecapPath('/transcript/api.log'), []);
});

test('a status name is translated, and an unknown status is shown as it is', () => {
  const english = setTranslate((message) => `<${message}>`);
  const words = [statusWord({ status: 'waiting', waiting_for: 'approval' }), statusWord({ status: 'flying' as Status, waiting_for: null })];
  setTranslate(english);
  assert.deepEqual(words, ['<needs approval>', 'flying']);
});

test('a hover shows the shares of an agent with permission and remaining time', () => {
  const shares = [
    { with: 'alice', read_only: true, until: new Date(now + 7_260_000).toISOString() },
    { with: 'bob', read_only: false, until: null },
  ];
  const text = tooltip(someAgent(), { shares }, now);
  assert.ok(text.includes('alice &#40;watches&#44; 2h left&#41;&#44; bob &#40;may type&#41;'), text);
});

test('sanitized text stays readable', () => {
  assert.equal(oneLine('a\n\n b\tc\u0007'), 'a b c');
  assert.equal(oneLine('abcdef', 4), 'abc…');
  assert.equal(oneLine('🎉🎉🎉', 2), '🎉…');
  assert.equal(withoutLinks('[a](b)'), '[a] (b)');
  assert.equal(withoutIcons('$(x)'), '$\u2009(x)');
  assert.equal(escapeMarkdown('a*b ü'), 'a&#42;b ü');
  assert.equal(fenced('x'), '```text\nx\n```');
});

test('ages have one unit and no seconds', () => {
  const since = (seconds: number) => age(new Date(now - seconds * 1000).toISOString(), now);
  assert.deepEqual([since(3), since(90), since(7_200), since(200_000), since(-5), age(null, now), age('x', now)], ['<1m', '1m', '2h', '2d', '<1m', '', '']);
});

test('counts are formatted as text and as icons', () => {
  const counts = count(['waiting', 'working', 'starting', 'idle', 'crashed', 'stopped', 'unknown', 'dreaming'].map((status) => someAgent({ status: status as Agent['status'] })));
  assert.equal(countsText(counts), '1 waiting, 1 crashed, 2 working, 1 idle, 2 unknown');
  assert.equal(countsIcons(counts), '$(bell-dot) 1 $(error) 1 $(play-circle) 2 $(circle-outline) 1 $(question) 2');
  assert.equal(countsText(count([])), 'no agent is running');
});

test('lost agents are counted as lost and are not an error', () => {
  const counts = (...statuses: Agent['status'][]) => count(statuses.map((status) => someAgent({ status })));
  assert.equal(countsText(counts('lost', 'lost')), '2 lost');
  assert.equal(countsIcons(counts('lost', 'crashed')), '$(error) 1 $(debug-disconnect) 1');
  assert.deepEqual([counts('lost'), counts('lost', 'crashed'), counts('waiting'), counts('idle')].map(severity), ['warning', 'error', 'warning', undefined]);
});

test('a turn is recognised as the same, with and without a task', () => {
  const task = (id: number) => ({ id, title: 't', progress: null });
  const then = someAgent({ status: 'working', task: task(1) });
  const cases: [Partial<Agent>, boolean][] = [[{}, true], [{ task: null }, true], [{ task: task(2) }, false], [{ status: 'idle' }, false], [{ status_since: '2026-01-01T00:00:09Z' }, false]];
  for (const [differs, wanted] of cases) assert.equal(isSameTurn(then, { ...then, ...differs }), wanted, JSON.stringify(differs));
  assert.equal(isSameTurn(then, undefined), false);
});

test('a name is checked while it is typed', () => {
  assert.equal(nameError('api-fix_2', []), undefined);
  for (const name of ['', '-a', 'a b', 'a/b', 'ä', 'a'.repeat(64)]) assert.ok(nameError(name, []), name);
  assert.ok(nameError('one', ['one']));
});

const someTask = (differs: Partial<Task> = {}): Task => ({
  id: 7, agent: 'one', pool: null, text: 'do\nit', priority: 'high', state: 'queued', created_at: '', changed_at: '', after: [], blocked: 0, progress: null, why: '', result: null, ...differs,
});

test('a task is one line', () => {
  const task = someTask();
  assert.deepEqual(taskLine(task), { label: '#7 do it', description: 'queued · one · high' });
  assert.equal(taskContext(task), 'task cancellable queued');
  assert.equal(taskContext({ ...task, state: 'failed' }), 'task cancellable retryable failed');
  assert.equal(taskContext({ ...task, state: 'done' }), 'task done');
  const sample = '    indented **b** <img src=x>\n[l](command:quit)\n```\n# h';
  const head = '**#7** queued · one · high';
  assert.equal(taskTooltip({ ...task, text: sample, why: 'w' }), `${head}\n\n\`\`\`\`text\n${sample}\n\`\`\`\`\n\n\`\`\`text\nw\n\`\`\``);
  assert.equal(taskTooltip({ ...task, text: 'rm a\u202etxt.b\u0007' }), `${head}\n\n\`\`\`text\nrm a<U+202E>txt.b<U+0007>\n\`\`\``);
});

test('a task that is blocked by a cancelled one names it', () => {
  const task = someTask({ after: [1, 2, 3], blocked: 2 });
  assert.deepEqual(unlistedBlockers([task, someTask({ id: 2 })]), [1, 3]);
  const held = (...states: [number, TaskState][]) => blockersOf(task, new Map(states));
  const stuck = held([1, 'cancelled'], [2, 'queued'], [3, 'done']);
  assert.equal(taskLine(task, stuck).description, 'blocked by #1 (cancelled) · one · high');
  assert.equal(taskContext(task, stuck), 'task cancellable queued stuck');
  assert.equal(taskLine(task, held([1, 'running'], [2, 'queued'], [3, 'done'])).description, 'waits for #1, #2 · one · high');
  assert.deepEqual(blockersOf(someTask({ after: [1] }), new Map()), [], 'not held up any more');
});

test('a task document shows the task as text', () => {
  const steps = [{ at: '2026-01-01T00:00:00Z', state: 'queued' as const, attempt: 0, why: hostile }];
  const text = taskDocument({ ...someTask({ text: 'two\nlines', result: 'done it' }), steps }, []);
  assert.ok(text.includes('- 2026&#45;01&#45;01 00&#58;00&#58;00 queued'), text);
  assert.ok(text.startsWith('# Task 7\n\n**State:** queued  \n**Agent:** one  \n**Priority:** high\n\n```text\ntwo\nlines\n```\n\n## Result'), text);
  for (const mark of ['<img', '](', '$(zap)']) assert.ok(!text.includes(mark), text);
});

test('the row of a cancelled task stays in its place for a while', () => {
  const cancelled = new Map([[2, { task: someTask({ id: 2, state: 'cancelled' }), until: 100 }]]);
  const open = [someTask({ id: 1 }), someTask({ id: 3 })];
  assert.deepEqual(withCancelled(open, cancelled, 99).map(({ id, state }) => [id, state]), [[1, 'queued'], [2, 'cancelled'], [3, 'queued']]);
  assert.deepEqual(withCancelled([...open, someTask({ id: 2 })], new Map(cancelled), 99).filter(({ id }) => id === 2).map(({ state }) => state), ['queued']);
  assert.deepEqual(withCancelled(open, cancelled, 100).map(({ id }) => id), [1, 3]);
});

test('an agent at its usage limit does not need a user', () => {
  const limited = someAgent({ status: 'waiting', waiting_for: 'limit' });
  assert.equal(statusWord(limited), 'waits for its usage limit');
  assert.deepEqual([count([limited]).waiting, count([limited]).limited, severity(count([limited]))], [0, 1, undefined]);
  assert.equal(iconOf(limited).icon, 'watch');
});

test('an agent whose last turn failed is marked, counted and says why', () => {
  const failure = { cause: 'error' as const, at: '2026-01-01T00:00:00Z', held_until: null };
  const failed = someAgent({ reason: 'API Error: 500', failure });
  assert.deepEqual([statusWord(failed), iconOf(failed).icon], ['failed', 'warning']);
  assert.match(description(failed, 0), /^API Error: 500 · failed/);
  assert.match(accessibleLabel(failed), /^one, failed, API Error: 500/);
  const counts = count([failed, someAgent()]);
  assert.deepEqual([counts.failed, counts.idle, severity(counts), countsText(counts), countsIcons(counts)], [1, 1, 'warning', '1 failed, 1 idle', '$(warning) 1 $(circle-outline) 1']);
  assert.notEqual(fingerprint([failed]), fingerprint([{ ...failed, failure: { ...failure, at: '2026-01-01T00:00:09Z' } }]));
  assert.deepEqual(applyFilter([failed, someAgent()], 'needs-you', []), [failed]);
  assert.equal(byUrgency(someAgent({ ...failed, name: 'z' }), someAgent({ name: 'a' }), 0), -1);
});

test('an agent at its usage limit needs a user when its queue is held without an end', () => {
  const limited = (differs: object) => someAgent({ status: 'waiting', waiting_for: 'limit', failure: { cause: 'limit', at: '2026-01-01T00:00:00Z', held_until: null, ...differs } });
  const needed = [limited({}), limited({ paused: true }), limited({ held_until: '2026-01-01T01:00:00Z' })].map((agent) => count([agent]).waiting);
  assert.deepEqual(needed, [1, 0, 0]);
});

test('a recap lists failed turns and says that the last one failed', () => {
  const failure = { cause: 'error' as const, at: '2026-01-01T00:30:00Z', held_until: null };
  const text = recapDocument({ ...quiet, failure, failed_turns: [{ at: '2026-01-01T00:30:00Z', why: 'API Error: 500' }] });
  assert.ok(text.includes('**failed** now') && /## Failed turns\n\n- \S+.* API Error/.test(text), text);
});
