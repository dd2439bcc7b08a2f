import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contextValue, description, pickEntry, spoken, taskContext, taskLine, taskTooltip } from '../rules/labels';
import { inWords } from '../rules/broken';
import { nameMistake } from '../rules/names';
import { noticeText } from '../rules/notices';
import { recapDocument, tooltip } from '../rules/recap';
import { count, countsInIcons, countsInWords, hears, isResumable } from '../rules/status';
import { escapeMarkdown, fenced, noIcons, noLinks, oneLine } from '../rules/text';
import { age } from '../rules/times';
import type { Agent, Recap, Task } from '../types';
import { asking, someAgent } from './agents';

const now = Date.parse('2026-01-01T00:05:00Z');
const hostile = '**b** <img src=x onerror=alert(1)> [l](command:quit) $(zap) `c`\u001b[31m\u202e\nnext';

test('a description tells status, age and branch', () => {
  assert.equal(description(someAgent(), now), 'idle · 5m · main');
  const busy = someAgent({ status: 'working', branch: null, task: { id: 1, title: 't', progress: { percent: 40, note: '' } }, tasks: { queued: 2, running: 1, done: 0, failed: 0 } });
  assert.equal(description(busy, now), 'working · 5m · api · 40 % · 2 queued');
});

test('what is asked comes first in a row, with where it is', () => {
  const agent = someAgent(asking('Bash: rm -rf build'));
  assert.equal(description(agent, now), 'Bash: rm -rf build · waiting(approval) · 5m · main');
  assert.deepEqual(pickEntry(agent, now), { label: 'one', description: 'waiting(approval) · 5m · main', detail: 'Bash: rm -rf build · last activity 5m ago' });
});

test('what menus are shown follows from status', () => {
  const words = (differs: Partial<Agent>) => contextValue(someAgent(differs), false);
  assert.equal(words({}), 'agent live attachable idle');
  assert.equal(words({ status: 'waiting', waiting_for: 'approval' }), 'agent live attachable approval');
  assert.equal(words({ status: 'waiting', waiting_for: 'question' }), 'agent live attachable');
  assert.equal(words({ status: 'stopped', tmux: null }), 'agent ended');
  const client = { user: 'u', tty: '/dev/pts/1', observer: false, driver: true, guest: false, since: null, from: null, pid: 11, focused: true };
  assert.equal(words({ clients: [client] }), 'agent live attachable idle driven');
  assert.equal(words({ status: 'hibernated', tmux: null }), 'agent attachable asleep');
  assert.equal(contextValue(someAgent({ status: 'crashed' }), true), 'agent attachable ended muted');
});

test('what has no process can be brought back, and what hears can be sent to, from row and menu', () => {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { menus: Record<string, { command: string; group: string; when: string }[]> } };
  const rows = contributes.menus['view/item/context'] ?? assert.fail();
  const offered = (command: string, status: Agent['status']) =>
    rows.filter((entry) => entry.command === `symposium.${command}`)
      .filter(({ when }) => [...when.matchAll(/viewItem =~ \/(.+?)\/(?= |$)/g)].every(([, pattern]) => new RegExp(pattern ?? '').test(contextValue(someAgent({ status }), false))))
      .map(({ group }) => group.split('@')[0]);
  const all = ['starting', 'working', 'waiting', 'idle', 'exited', 'crashed', 'stopped', 'hibernated', 'lost', 'unknown'] as const;
  for (const status of all) {
    assert.deepEqual(offered('send', status), hears(someAgent({ status })) ? ['inline', '2_say'] : [], `send, ${status}`);
    assert.deepEqual(offered('resume', status), isResumable(someAgent({ status })) ? ['inline', '4_life'] : [], `resume, ${status}`);
  }
  assert.ok(hears(someAgent({ status: 'hibernated' })) && isResumable(someAgent({ status: 'hibernated' })));
});

test('a hostile agent is text in a quick pick', () => {
  const asks = (text: string) => someAgent({ ...asking(text), name: '$(zap)x', branch: hostile, working_directory: `/${hostile}` });
  const entries = [someAgent({ name: '$(zap)x', reason: hostile, branch: hostile }), asks(hostile), asks('$(zap)')].map((agent) => pickEntry(agent, now));
  for (const text of entries.flatMap((entry) => Object.values(entry))) {
    assert.ok(!text.includes('$('), text);
    assert.ok(!/[\u0000-\u001f\u202e]/.test(text), text);
  }
});

test('a hostile agent is one line of text in a row and in a notification', () => {
  const agent = someAgent({ ...asking(hostile), name: hostile, branch: hostile });
  const texts = [description(agent, now), noticeText({ kind: 'waiting', agent, mark: '' }), inWords([{ name: hostile, why: hostile }])];
  for (const text of texts) assert.ok(!/[\u0000-\u001f\u202e]/.test(text), text);
  assert.ok(!texts[1]?.includes(']('), texts[1]);
});

test('what is asked is read out with its row, and told once by a hover', () => {
  const agent = someAgent(asking('Bash: make'));
  assert.deepEqual([spoken(agent), spoken(someAgent())], ['one, waiting(approval), Bash: make', 'one, idle']);
  const said: Recap = { ...quiet, asks: 'Bash: make' };
  const often = (differs: Partial<Agent>) => tooltip(someAgent(differs), said, now).split(/Bash(?:&#58;|:) make/).length - 1;
  assert.deepEqual([often(asking('Bash: make')), often({ status: 'waiting', reason: 'Bash: make' }), often({})], [1, 1, 1]);
});

const quiet: Recap = {
  name: 'one', since: '2026-01-01T00:00:00Z', until: '2026-01-01T01:00:00Z', status: 'idle', reason: '', changes: [], spent: [], prompts: 1, restarts: 0,
  gave_up: false, done: [], failed: [], messages: [], commits: [], uncommitted: null, last_words: null, asks: null,
};

test('a hostile agent is text in a tooltip and in a recap', () => {
  const recap: Recap = {
    name: 'one', since: '2026-01-01T00:00:00Z', until: '2026-01-01T01:00:00Z', status: 'idle', reason: hostile,
    changes: [{ at: '2026-01-01T00:00:00Z', from: null, to: 'idle', why: hostile }], spent: [], prompts: 1, restarts: 0, gave_up: false,
    done: [{ id: 1, title: hostile, why: '' }], failed: [], messages: [{ id: 1, at: '2026-01-01T00:00:00Z', from: hostile, to: null, text: hostile }],
    commits: [{ id: 'abc', subject: hostile, at: '2026-01-01T00:00:00Z' }], uncommitted: { files: [{ kind: 'added', path: hostile }], insertions: 1, deletions: 0 },
    last_words: '```\n</pre><script>\n````', asks: hostile,
  };
  const outside = (text: string) => text.replace(/^(`{3,})text\n[^]*?\n\1$/gm, '');
  for (const text of [outside(recapDocument(recap)), outside(tooltip(someAgent({ ...asking(`\`\`\`\n${hostile}`), name: 'x', title: hostile, branch: hostile }), recap, now))]) {
    for (const mark of ['<img', '](', '**b**', '`c`', '$(zap)', '<script']) assert.ok(!text.includes(mark), `${mark} in ${text}`);
  }
  assert.ok(recapDocument(recap).includes('`````text\n```\n</pre><script>\n````\n`````'));
});

test('text is made harmless and stays readable', () => {
  assert.equal(oneLine('a\n\n b\tc\u0007'), 'a b c');
  assert.equal(oneLine('abcdef', 4), 'abc…');
  assert.equal(oneLine('🎉🎉🎉', 2), '🎉…');
  assert.equal(noLinks('[a](b)'), '[a] (b)');
  assert.equal(noIcons('$(x)'), '$\u2009(x)');
  assert.equal(escapeMarkdown('a*b ü'), 'a&#42;b ü');
  assert.equal(fenced('x'), '```text\nx\n```');
});

test('ages have one unit', () => {
  const since = (seconds: number) => age(new Date(now - seconds * 1000).toISOString(), now);
  assert.deepEqual([since(3), since(90), since(7_200), since(200_000), since(-5), age(null, now), age('x', now)], ['3s', '1m', '2h', '2d', '0s', '', '']);
});

test('counts are told in words and in icons', () => {
  const counts = count(['waiting', 'working', 'starting', 'idle', 'crashed', 'stopped', 'unknown', 'dreaming'].map((status) => someAgent({ status: status as Agent['status'] })));
  assert.equal(countsInWords(counts), '1 waiting, 1 crashed, 2 working, 1 idle, 2 unknown');
  assert.equal(countsInIcons(counts), '$(bell-dot) 1 $(error) 1 $(play-circle) 2 $(circle-outline) 1 $(question) 2');
  assert.equal(countsInWords(count([])), 'no agent runs');
});

test('a name is checked while it is typed', () => {
  assert.equal(nameMistake('api-fix_2', []), undefined);
  for (const name of ['', '-a', 'a b', 'a/b', 'ä', 'a'.repeat(64)]) assert.ok(nameMistake(name, []), name);
  assert.ok(nameMistake('one', ['one']));
});

test('a task is one line', () => {
  const task: Task = { id: 7, agent: 'one', pool: null, text: 'do\nit', priority: 'high', state: 'queued', created_at: '', changed_at: '', blocked: 1, progress: null, why: '', result: null };
  assert.deepEqual(taskLine(task), { label: '#7 do it', description: 'queued · one · waits for 1 · high' });
  assert.equal(taskContext(task), 'task open');
  assert.equal(taskContext({ ...task, state: 'failed' }), 'task retryable');
  const said = '    indented **b** <img src=x>\n[l](command:quit)\n```\n# h';
  assert.equal(taskTooltip({ ...task, text: said, why: 'w' }), `\`\`\`\`text\n${said}\n\`\`\`\`\n\n\`\`\`text\nw\n\`\`\``);
});
