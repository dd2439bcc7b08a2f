import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentNode, NEEDS_YOU, NO_PROJECT, type ProjectNode, groupAgents as groupAt, updateTree, rowId, fingerprint, waitingBelow } from '../../rules/views/agentGroups';
import type { Agent } from '../../binary/types';
import { ENDED_KEEPS_PLACE_MS } from '../../rules/agent/status';
import { someAgent } from '../agentFixtures';

/** A time long after the last change of the test agents. */
const LATER = Date.parse('2026-02-01T00:00:00Z');

const group = (agents: readonly Agent[], folders: readonly string[], now = LATER) => groupAt(agents, folders, now);

const names = (nodes: AgentNode[]): unknown[] =>
  nodes.map((node) => (node.children.length === 0 ? node.agent.name : [node.agent.name, ...names(node.children)]));

test('projects of this window come first, then others by path', () => {
  const agents = [
    someAgent({ name: 'b', project: '/src/b' }),
    someAgent({ name: 'a', project: '/src/a', working_directory: '/src/a' }),
    someAgent({ name: 'z', project: '/src/z', working_directory: '/src/z' }),
  ];
  assert.deepEqual(group(agents, ['/src/z']).map((project) => [project.path, project.here]), [['/src/z', true], ['/src/a', false], ['/src/b', false]]);
});

test('agents in scratch folders are in one group, unless the folder is open in this window', () => {
  const own = (name: string) => `/home/me/.symposium/instances/${name}/workspace`;
  const scratch = ['a', 'b'].map((name) => someAgent({ name, workspace: 'scratch', project: own(name), working_directory: own(name) }));
  const places = (folders: string[]) => group([...scratch, someAgent({ name: 'c', project: '/src/c' })], folders).map(({ path, here, children }) => [path, here, names(children)]);
  assert.deepEqual(places([]), [['/src/c', false, ['c']], [NO_PROJECT, false, ['a', 'b']]]);
  assert.deepEqual(places([own('a')]), [[own('a'), true, ['a']], ['/src/c', false, ['c']], [NO_PROJECT, false, ['b']]]);
});

test('waiting agents come first', () => {
  const agents = [someAgent({ name: 'a' }), someAgent({ name: 'b', status: 'working' }), someAgent({ name: 'c', status: 'waiting' }), someAgent({ name: 'd', status: 'crashed' })];
  assert.deepEqual(names(group(agents, [])[0]?.children ?? []), ['c', 'd', 'a', 'b']);
});

test('a row keeps its place when its agent changes between working and idle', () => {
  const order = (status: Agent['status']) => names(group([someAgent({ name: 'a', status }), someAgent({ name: 'b' })], [])[0]?.children ?? []);
  for (const status of ['starting', 'working', 'idle', 'unknown'] as const) assert.deepEqual(order(status), ['a', 'b']);
});

test('children are shown below their parents, also in another project', () => {
  const agents = [
    someAgent({ name: 'grandchild', parent: 'child' }),
    someAgent({ name: 'child', parent: 'top', project: '/elsewhere' }),
    someAgent({ name: 'top' }),
    someAgent({ name: 'orphan', parent: 'gone' }),
  ];
  const projects = group(agents, []);
  assert.equal(projects.length, 1);
  assert.deepEqual(names(projects[0]?.children ?? []), ['orphan', ['top', ['child', 'grandchild']]]);
});

test('a parent is ranked by its most urgent descendant', () => {
  const family = (status: Agent['status']) => [
    someAgent({ name: 'a' }),
    someAgent({ name: 'crashed', status: 'crashed' }),
    someAgent({ name: 'top', status: 'stopped' }),
    someAgent({ name: 'child', parent: 'top' }),
    someAgent({ name: 'last', parent: 'top' }),
    someAgent({ name: 'grandchild', parent: 'last', status }),
  ];
  const order = (status: Agent['status']) => names(group(family(status), [])[0]?.children ?? []);
  assert.deepEqual(order('waiting'), [['top', ['last', 'grandchild'], 'child'], 'crashed', 'a']);
  assert.deepEqual(order('idle'), ['crashed', 'a', ['top', 'child', ['last', 'grandchild']]]);
});

test('the first child changes the id of its parent, so that VS Code expands it', () => {
  const row = (...children: string[]) => group([someAgent({ name: 'pa' }), ...children.map((name) => someAgent({ name, parent: 'pa' }))], [])[0]?.children[0] ?? assert.fail();
  assert.notEqual(rowId(row()), rowId(row('ch')));
  assert.equal(rowId(row('ch')), rowId(row('ch', 'next')), 'a collapsed row stays collapsed');
});

test('a cycle of parents hides no agent', () => {
  const agents = [someAgent({ name: 'a', parent: 'b' }), someAgent({ name: 'b', parent: 'a' }), someAgent({ name: 'self', parent: 'self' })];
  const all = JSON.stringify(group(agents, []));
  for (const name of ['"a"', '"b"', '"self"']) assert.ok(all.includes(`"name":${name}`), name);
});

test('a worktree belongs to its project, and a folder inside a project belongs to it', () => {
  const worktree = someAgent({ project: '/src/api', working_directory: '/home/me/.symposium/instances/ts/workspace' });
  assert.equal(group([worktree], ['/src/api'])[0]?.here, true);
  assert.equal(group([worktree], ['/src/api/web'])[0]?.here, true);
  assert.equal(group([worktree], ['/src/api-2'])[0]?.here, false);
});

test('five hundred agents are grouped quickly', () => {
  const agents = Array.from({ length: 500 }, (_, at) => someAgent({ name: `a${at}`, project: `/src/${at % 20}`, parent: at % 7 === 0 && at > 0 ? `a${at - 1}` : null }));
  const began = performance.now();
  group(agents, ['/src/3']);
  fingerprint(agents);
  assert.ok(performance.now() - began < 100);
});

test('a row shows the number of waiting descendants', () => {
  const at = (status: Agent['status']) => group(['a', 'b', 'c'].map((name, at, names) => someAgent({ name, parent: names[at - 1] ?? null, status: name === 'c' ? status : 'idle' })), []);
  const [old, fresh] = [at('idle'), at('waiting')];
  const rows = (projects: typeof old) => [projects[0], projects[0]?.children[0], projects[0]?.children[0]?.children[0]];
  assert.deepEqual([...rows(old), ...rows(fresh)].map((row) => row && waitingBelow(row)), [0, 0, 0, 1, 1, 1]);
  assert.deepEqual(rowsOf(updateTree(old, fresh)), ['/src/api'], 'the project has another number too');
});

test('output of an agent alone redraws nothing', () => {
  assert.equal(fingerprint([someAgent()]), fingerprint([someAgent({ last_activity: '2027-01-01T00:00:00Z' })]));
  assert.notEqual(fingerprint([someAgent()]), fingerprint([someAgent({ status: 'working' })]));
});

/** Returns the names of the redrawn rows. */
const rowsOf = (rows: (ProjectNode | AgentNode)[] | undefined) => rows?.map((row) => (row.type === 'project' ? row.path : row.agent.name));

test('only changed rows are redrawn while the order stays the same', () => {
  const at = (status: Agent['status']) => group([someAgent({ name: 'a' }), someAgent({ name: 'b', parent: 'a', status })], []);
  const [old, fresh] = [at('idle'), at('working')];
  assert.deepEqual(rowsOf(updateTree(old, fresh)), ['b']);
  assert.equal(old[0]?.children[0]?.children[0]?.agent.status, 'working');
  assert.deepEqual(updateTree(old, fresh), []);
});

test('a new, removed or moved agent redraws its project only', () => {
  const here = (...agents: Partial<Agent>[]) => group([...agents.map((each) => someAgent(each)), someAgent({ name: 'z', project: '/src/z' })], []);
  const tree = here({ name: 'a' });
  for (const [what, fresh] of [
    ['comes', here({ name: 'a' }, { name: 'b' })],
    ['moves up', here({ name: 'a' }, { name: 'b', status: 'crashed' })],
    ['stands below another', here({ name: 'a' }, { name: 'b', parent: 'a' })],
    ['goes', here({ name: 'a' })],
  ] as const) {
    assert.deepEqual(rowsOf(updateTree(tree, fresh)), ['/src/api'], what);
    assert.deepEqual(tree, fresh, what);
  }
});

test('the whole tree is redrawn when projects change or an agent moves to another project', () => {
  const tree = (project: string) => group([someAgent({ name: 'a' }), someAgent({ name: 'b', project }), someAgent({ name: 'z', project: '/src/z' })], []);
  const old = tree('/src/api');
  assert.equal(updateTree(old, tree('/src/z')), undefined);
  assert.equal(updateTree(old, tree('/src/new')), undefined);
  assert.equal(updateTree([], old), undefined);
  assert.equal(updateTree(old, group([], [])), undefined);
  assert.deepEqual(old, tree('/src/api'), 'it is left as it was');
});

test('an agent that has just ended keeps its place, so that no other agent slides under the pointer', () => {
  const ended = Date.parse('2026-01-10T00:00:00Z');
  const agents = [someAgent({ name: 'a', status: 'stopped', status_since: new Date(ended).toISOString() }), someAgent({ name: 'b', status: 'working' })];
  const order = (now: number) => names(group(agents, [], now)[0]?.children ?? []);
  assert.deepEqual(order(ended + ENDED_KEEPS_PLACE_MS - 1), ['a', 'b']);
  assert.deepEqual(order(ended + ENDED_KEEPS_PLACE_MS), ['b', 'a']);
});

test('the window of a worktree shows its agent first and marked, in the first project', () => {
  const workspace = '/home/me/.symposium/instances/checkout/workspace';
  const agents = [
    someAgent({ name: 'other', project: '/src/a', working_directory: '/src/a' }),
    someAgent({ name: 'api', project: '/src/shop', working_directory: '/src/shop' }),
    someAgent({ name: 'checkout', project: '/src/shop', working_directory: workspace, workspace: 'worktree' }),
  ];
  for (const folder of [workspace, `${workspace}/web`]) {
    const [first] = group(agents, [folder]);
    assert.deepEqual([first?.path, first?.here, names(first?.children ?? [])], ['/src/shop', true, ['checkout', 'api']]);
    assert.deepEqual(first?.children.map(({ isOpen }) => isOpen), [true, false]);
  }
});

test('waiting agents of several projects are repeated at the top, longest waiting first', () => {
  const waiting = (name: string, project: string, minute: number) => someAgent({ name, project, status: 'waiting', waiting_for: 'approval', status_since: `2026-01-01T00:0${minute}:00Z` });
  const agents = [waiting('late', '/src/a', 2), waiting('early', '/src/b', 1), someAgent({ name: 'limited', project: '/src/b', status: 'waiting', waiting_for: 'limit' })];
  const projects = group(agents, []);
  assert.deepEqual(projects.map(({ path, children }) => [path, names(children)]), [[NEEDS_YOU, ['early', 'late']], ['/src/a', ['late']], ['/src/b', ['early', 'limited']]]);
  const ids = projects.flatMap(({ children }) => children.map(rowId));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(group(agents.slice(1), []).map(({ path }) => path), ['/src/b'], 'one project shows them on top anyway');
});
