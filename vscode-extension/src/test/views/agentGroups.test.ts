import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentNode, NEEDS_YOU, NO_PROJECT, type ProjectNode, group as groupAt, renew, rowId, shown, waitingBelow } from '../../rules/views/agentGroups';
import type { Agent } from '../../binary/types';
import { END_SETTLES_AFTER } from '../../rules/agent/status';
import { someAgent } from '../agentFixtures';

/** Long after the agents of the tests changed. */
const LATER = Date.parse('2026-02-01T00:00:00Z');

const group = (agents: readonly Agent[], folders: readonly string[], now = LATER) => groupAt(agents, folders, now);

const names = (nodes: AgentNode[]): unknown[] =>
  nodes.map((node) => (node.children.length === 0 ? node.agent.name : [node.agent.name, ...names(node.children)]));

test('projects that are open here come first, then by path', () => {
  const agents = [
    someAgent({ name: 'b', project: '/src/b' }),
    someAgent({ name: 'a', project: '/src/a', working_directory: '/src/a' }),
    someAgent({ name: 'z', project: '/src/z', working_directory: '/src/z' }),
  ];
  assert.deepEqual(group(agents, ['/src/z']).map((project) => [project.path, project.here]), [['/src/z', true], ['/src/a', false], ['/src/b', false]]);
});

test('those in a folder of their own are in one place, unless it is open here', () => {
  const own = (name: string) => `/home/me/.symposium/instances/${name}/workspace`;
  const scratch = ['a', 'b'].map((name) => someAgent({ name, workspace: 'scratch', project: own(name), working_directory: own(name) }));
  const places = (folders: string[]) => group([...scratch, someAgent({ name: 'c', project: '/src/c' })], folders).map(({ path, here, children }) => [path, here, names(children)]);
  assert.deepEqual(places([]), [['/src/c', false, ['c']], [NO_PROJECT, false, ['a', 'b']]]);
  assert.deepEqual(places([own('a')]), [[own('a'), true, ['a']], ['/src/c', false, ['c']], [NO_PROJECT, false, ['b']]]);
});

test('what waits for a person stands above', () => {
  const agents = [someAgent({ name: 'a' }), someAgent({ name: 'b', status: 'working' }), someAgent({ name: 'c', status: 'waiting' }), someAgent({ name: 'd', status: 'crashed' })];
  assert.deepEqual(names(group(agents, [])[0]?.children ?? []), ['c', 'd', 'a', 'b']);
});

test('a row stays where it is while its agent works and rests', () => {
  const order = (status: Agent['status']) => names(group([someAgent({ name: 'a', status }), someAgent({ name: 'b' })], [])[0]?.children ?? []);
  for (const status of ['starting', 'working', 'idle', 'unknown'] as const) assert.deepEqual(order(status), ['a', 'b']);
});

test('children stand below their parents, wherever they work', () => {
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

test('a parent stands where the most urgent of those below it would', () => {
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

test('the first child makes another row of its parent, which VS Code opens', () => {
  const row = (...children: string[]) => group([someAgent({ name: 'pa' }), ...children.map((name) => someAgent({ name, parent: 'pa' }))], [])[0]?.children[0] ?? assert.fail();
  assert.notEqual(rowId(row()), rowId(row('ch')));
  assert.equal(rowId(row('ch')), rowId(row('ch', 'next')), 'one that somebody closed stays closed');
});

test('a circle of parents loses nobody', () => {
  const agents = [someAgent({ name: 'a', parent: 'b' }), someAgent({ name: 'b', parent: 'a' }), someAgent({ name: 'self', parent: 'self' })];
  const all = JSON.stringify(group(agents, []));
  for (const name of ['"a"', '"b"', '"self"']) assert.ok(all.includes(`"name":${name}`), name);
});

test('a worktree belongs to its project, and a folder inside a project sees that project', () => {
  const worktree = someAgent({ project: '/src/api', working_directory: '/home/me/.symposium/instances/ts/workspace' });
  assert.equal(group([worktree], ['/src/api'])[0]?.here, true);
  assert.equal(group([worktree], ['/src/api/web'])[0]?.here, true);
  assert.equal(group([worktree], ['/src/api-2'])[0]?.here, false);
});

test('five hundred agents are grouped in no time', () => {
  const agents = Array.from({ length: 500 }, (_, at) => someAgent({ name: `a${at}`, project: `/src/${at % 20}`, parent: at % 7 === 0 && at > 0 ? `a${at - 1}` : null }));
  const began = performance.now();
  group(agents, ['/src/3']);
  shown(agents);
  assert.ok(performance.now() - began < 100);
});

test('a row that may be closed tells how many wait below it', () => {
  const at = (status: Agent['status']) => group(['a', 'b', 'c'].map((name, at, names) => someAgent({ name, parent: names[at - 1] ?? null, status: name === 'c' ? status : 'idle' })), []);
  const [old, fresh] = [at('idle'), at('waiting')];
  const rows = (projects: typeof old) => [projects[0], projects[0]?.children[0], projects[0]?.children[0]?.children[0]];
  assert.deepEqual([...rows(old), ...rows(fresh)].map((row) => row && waitingBelow(row)), [0, 0, 0, 1, 1, 1]);
  assert.deepEqual(rowsOf(renew(old, fresh)), ['/src/api'], 'the project has another number too');
});

test('printing alone draws nothing anew', () => {
  assert.equal(shown([someAgent()]), shown([someAgent({ last_activity: '2027-01-01T00:00:00Z' })]));
  assert.notEqual(shown([someAgent()]), shown([someAgent({ status: 'working' })]));
});

/** The rows that are drawn anew, by what they are called. */
const rowsOf = (rows: (ProjectNode | AgentNode)[] | undefined) => rows?.map((row) => (row.type === 'project' ? row.path : row.agent.name));

test('only the rows that differ are drawn as long as they stand as they stood', () => {
  const at = (status: Agent['status']) => group([someAgent({ name: 'a' }), someAgent({ name: 'b', parent: 'a', status })], []);
  const [old, fresh] = [at('idle'), at('working')];
  assert.deepEqual(rowsOf(renew(old, fresh)), ['b']);
  assert.equal(old[0]?.children[0]?.children[0]?.agent.status, 'working');
  assert.deepEqual(renew(old, fresh), []);
});

test('one that comes, goes or moves up is drawn with those of its project, and others stay', () => {
  const here = (...agents: Partial<Agent>[]) => group([...agents.map((each) => someAgent(each)), someAgent({ name: 'z', project: '/src/z' })], []);
  const tree = here({ name: 'a' });
  for (const [what, fresh] of [
    ['comes', here({ name: 'a' }, { name: 'b' })],
    ['moves up', here({ name: 'a' }, { name: 'b', status: 'crashed' })],
    ['stands below another', here({ name: 'a' }, { name: 'b', parent: 'a' })],
    ['goes', here({ name: 'a' })],
  ] as const) {
    assert.deepEqual(rowsOf(renew(tree, fresh)), ['/src/api'], what);
    assert.deepEqual(tree, fresh, what);
  }
});

test('all rows are drawn when there are other projects, or an agent stands in another one', () => {
  const tree = (project: string) => group([someAgent({ name: 'a' }), someAgent({ name: 'b', project }), someAgent({ name: 'z', project: '/src/z' })], []);
  const old = tree('/src/api');
  assert.equal(renew(old, tree('/src/z')), undefined);
  assert.equal(renew(old, tree('/src/new')), undefined);
  assert.equal(renew([], old), undefined);
  assert.equal(renew(old, group([], [])), undefined);
  assert.deepEqual(old, tree('/src/api'), 'it is left as it was');
});

test('an agent that has just ended keeps its place, so that no other agent slides under the pointer', () => {
  const ended = Date.parse('2026-01-10T00:00:00Z');
  const agents = [someAgent({ name: 'a', status: 'stopped', status_since: new Date(ended).toISOString() }), someAgent({ name: 'b', status: 'working' })];
  const order = (now: number) => names(group(agents, [], now)[0]?.children ?? []);
  assert.deepEqual(order(ended + END_SETTLES_AFTER - 1), ['a', 'b']);
  assert.deepEqual(order(ended + END_SETTLES_AFTER), ['b', 'a']);
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

test('agents that wait in several projects are repeated on top, the one that waits longest first', () => {
  const waiting = (name: string, project: string, minute: number) => someAgent({ name, project, status: 'waiting', waiting_for: 'approval', status_since: `2026-01-01T00:0${minute}:00Z` });
  const agents = [waiting('late', '/src/a', 2), waiting('early', '/src/b', 1), someAgent({ name: 'limited', project: '/src/b', status: 'waiting', waiting_for: 'limit' })];
  const projects = group(agents, []);
  assert.deepEqual(projects.map(({ path, children }) => [path, names(children)]), [[NEEDS_YOU, ['early', 'late']], ['/src/a', ['late']], ['/src/b', ['early', 'limited']]]);
  const ids = projects.flatMap(({ children }) => children.map(rowId));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(group(agents.slice(1), []).map(({ path }) => path), ['/src/b'], 'one project shows them on top anyway');
});
