// The JSON that the extension reads, from both sides: what the real binary prints has the shape of the files in golden/,
// and `npm run check` holds the types of src/types.ts against the same files. `UPDATE=1` writes them.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { World, until } from './world.mjs';

const golden = join(dirname(fileURLToPath(import.meta.url)), '../src/test/golden');
const world = new World('contract');
after(() => world.end());

before(async () => {
  await world.spawn('api', '--title', 'a title');
  world.symposium('agent', 'send', 'api', '/ask ls');
  await world.is('api', 'waiting');
  world.symposium('task', 'add', 'api', 'count');
  world.symposium('taskspace', 'new', 'space', 'demo', '--task', 'hello');
  await world.is('space', 'idle');
  await until('the answer is in the recap', () => world.symposium('agent', 'recap', 'space').last_words);
});

/** Names and types, not values: numbers and texts differ from run to run. What may be null is compared when it is not. */
function shape(value) {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shape(value[0])];
  if (value === null || typeof value !== 'object') return value === null ? null : typeof value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, shape(value[key])]));
}

/** Whether two shapes agree, where null and the empty list agree with anything. */
function agrees(a, b, path, found = []) {
  if (a === null || b === null) return found;
  if (Array.isArray(a) && Array.isArray(b)) return a.length && b.length ? agrees(a[0], b[0], `${path}[]`, found) : found;
  if (typeof a === 'object' && typeof b === 'object') {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (!(key in a)) found.push(`${path}.${key} is new`);
      else if (!(key in b)) found.push(`${path}.${key} is gone`);
      else agrees(a[key], b[key], `${path}.${key}`, found);
    }
  } else if (a !== b) found.push(`${path}: ${a}, now ${b}`);
  return found;
}

const asks = {
  agents: ['agent', 'list'],
  tasks: ['task', 'list', '--all'],
  recap: ['agent', 'recap', 'space'],
  specs: ['spec', 'list'],
  taskspaces: ['taskspace', 'list'],
  doctor: ['doctor'],
};
for (const [name, args] of Object.entries(asks)) {
  test(`the shape of ${args.join(' ')}`, () => {
    const path = join(golden, `${name}.json`);
    const printed = world.symposium(...args);
    if (process.env.UPDATE !== undefined) {
      mkdirSync(golden, { recursive: true });
      writeFileSync(path, `${JSON.stringify(printed, null, 2).replaceAll(world.dir, '/tmp/world')}\n`);
    }
    assert.deepEqual(agrees(shape(JSON.parse(readFileSync(path, 'utf8'))), shape(printed), name), []);
  });
}

test('a failure has code, message, what was seen, and hints', () => {
  assert.throws(() => world.symposium('agent', 'show', 'nobody'), (error) => {
    const { error: failure } = JSON.parse(error.stderr);
    assert.equal(failure.code, 'no-such-agent');
    assert.deepEqual(Object.keys(failure).sort(), ['code', 'hints', 'message', 'saw']);
    return true;
  });
});
