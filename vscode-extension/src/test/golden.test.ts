// The types against what the binary printed: the compiler does the checking, e2e/contract.test.mjs holds the binary to it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent, Check, Recap, Spec, Task, Taskspace } from '../types';
import { agentsFrom } from '../types';
import agents from './golden/agents.json';
import doctor from './golden/doctor.json';
import recap from './golden/recap.json';
import specs from './golden/specs.json';
import tasks from './golden/tasks.json';
import taskspaces from './golden/taskspaces.json';

// A JSON file has texts where a type has some words only, and null where another time there is a value.
type Loose<T> = T extends string ? string : T extends (infer Each)[] ? Loose<Each>[] : T extends object ? { [Key in keyof T]: Loose<T[Key]> } : T;

const named: Loose<Agent>[] = agents;
const listed: Loose<Task>[] = tasks;
const told: Loose<Recap> = recap;
const known: Loose<Spec>[] = specs;
const spaces: Loose<Taskspace>[] = taskspaces;
const checks: Loose<Check>[] = doctor;

test('what the binary printed is what the types say', () => {
  assert.deepEqual(agentsFrom(named).map(({ name }) => name).sort(), ['api', 'space']);
  assert.ok(listed.length > 0 && known.length > 0 && spaces.length > 0 && checks.length > 0);
  assert.equal(told.name, 'space');
});
