// Tests the parsers with the files that tests/supervisor/editor.rs compares the binary with. Each field is also
// removed, and replaced by a value of another type, and the parser must reject the result.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { specLine } from '../../rules/views/labels';
import { agentFrom, agentsFrom, checksFrom, doneFrom, failureFrom, kindsFrom, recapFrom, screenFrom, sharesOf, specsFrom, taskFrom, tasksFrom, taskspacesFrom, workspaceFrom } from '../../binary/types';
import { workFrom } from '../../binary/workTypes';

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
  work: workFrom,
  failure: (value) => failureFrom(JSON.stringify(value)) ?? assert.fail('no failure was found'),
};

test('every golden file has a parser', () => {
  assert.deepEqual(readdirSync('src/test/golden').sort(), Object.keys(readers).map((name) => `${name}.json`).sort());
});

/** Fields of the first entry that the extension does not read. */
const unread: Record<string, string[]> = {
  agents: ['question.options', 'command', 'pid', 'params', 'conversation.begun'],
  spawned: ['command', 'pid', 'params', 'conversation.begun'],
  tasks: ['agent_id', 'attempts', 'dispatched_at', 'flagged', 'retries', 'source', 'source_id', 'status', 'timeout_s', 'topic', 'waits_for'],
  recap: ['waiting_for'],
  specs: ['agents'],
  taskspaces: ['agent', 'log', 'needs_attention'],
  screen: ['agent', 'from'],
  shares: ['shares.since', 'shares.uid'],
  work: ['work.ahead', 'work.pull_request_error', 'work.size', 'work.stashes'],
};

/** Fields that older binaries do not print, or not always. */
const optional: Record<string, string[]> = { agents: ['prompt', 'shares', 'failure'], spawned: ['prompt', 'shares', 'failure'], recap: ['failure', 'failed_turns'], work: ['work.merge.paths'] };

/** Lists the paths of all fields below a value; of a list, those of the first entry. */
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
      for (const change of (optional[name] ?? []).includes(shown) ? (['other'] as const) : (['gone', 'other'] as const)) {
        const value = golden(name);
        const above = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], value) as Record<string, unknown>;
        const key = path.at(-1) ?? '';
        // A list of lists does not occur, and `found_in` may be a string or an object.
        if (change === 'gone') Reflect.deleteProperty(above, key);
        else above[key] = [[0]];
        assert.throws(() => read(value), `${shown} ${change}`);
      }
    }
  });
}

test('a spec names its file', () => {
  assert.deepEqual(specsFrom(golden('specs')).map(specLine), ['built-in', 'Reads what others wrote · demo · /work/project/.symposium/agents.toml']);
});
