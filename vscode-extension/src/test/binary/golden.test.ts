// The parsers against the files that tests/supervisor/editor.rs holds the binary to. Each is also tried with one field
// taken away and with one of another type, all through: what the extension reads it must miss.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { specLine } from '../../rules/views/labels';
import { agentFrom, agentsFrom, checksFrom, doneFrom, failureFrom, kindsFrom, recapFrom, screenFrom, sharesOf, specsFrom, taskFrom, tasksFrom, taskspacesFrom, workspaceFrom } from '../../binary/types';

const golden = (name: string): unknown => JSON.parse(readFileSync(`src/test/golden/${name}.json`, 'utf8'));

const readers: Record<string, (value: unknown) => unknown> = {
  agents: agentsFrom,
  spawned: agentFrom,
  tasks: (value) => tasksFrom(value).map(taskFrom),
  recap: recapFrom,
  'recap-tasks': doneFrom,
  specs: specsFrom,
  kinds: kindsFrom,
  workspace: workspaceFrom,
  taskspaces: taskspacesFrom,
  screen: screenFrom,
  shares: sharesOf,
  doctor: checksFrom,
  failure: (value) => failureFrom(JSON.stringify(value)) ?? assert.fail('no failure was found'),
};

test('every file has a reader', () => {
  assert.deepEqual(readdirSync('src/test/golden').sort(), Object.keys(readers).map((name) => `${name}.json`).sort());
});

/** Fields of the first entry that the extension does not read, so that nobody misses them. */
const unread: Record<string, string[]> = {
  agents: ['command', 'failure', 'pid', 'params', 'conversation.begun'],
  spawned: ['command', 'failure', 'pid', 'params', 'conversation.begun'],
  tasks: ['agent_id', 'attempts', 'dispatched_at', 'flagged', 'retries', 'source', 'source_id', 'status', 'timeout_s', 'topic', 'waits_for'],
  recap: ['waiting_for'],
  specs: ['agents'],
  taskspaces: ['agent', 'log', 'needs_attention'],
  screen: ['agent', 'from'],
  shares: ['shares.since', 'shares.uid'],
};

/** Fields that older binaries do not print. */
const optional = ['prompt'];

/** Every field below a value, by its path; of a list the first entry. */
function fields(value: unknown, path: string[] = []): string[][] {
  if (Array.isArray(value)) return value.length === 0 ? [] : fields(value[0], [...path, '0']);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [[...path, key], ...fields(below, [...path, key])]);
}

for (const [name, read] of Object.entries(readers)) {
  test(`what the binary prints is read: ${name}`, () => { read(golden(name)); });

  test(`what is missing or of another type is refused: ${name}`, () => {
    for (const path of fields(golden(name))) {
      const shown = path.filter((part) => part !== '0').join('.');
      if ((unread[name] ?? []).some((field) => shown === field || shown.startsWith(`${field}.`))) continue;
      for (const change of optional.includes(shown) ? (['other'] as const) : (['gone', 'other'] as const)) {
        const value = golden(name);
        const above = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], value) as Record<string, unknown>;
        const key = path.at(-1) ?? '';
        // No field is a list of lists, and a spec may be found in a text or an object.
        if (change === 'gone') Reflect.deleteProperty(above, key);
        else above[key] = [[0]];
        assert.throws(() => read(value), `${shown} ${change}`);
      }
    }
  });
}

test('a spec tells the file it stands in', () => {
  assert.deepEqual(specsFrom(golden('specs')).map(specLine), ['built-in', 'Reads what others wrote · demo · /work/project/.symposium/agents.toml']);
});
