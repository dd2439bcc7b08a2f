import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsTrust } from '../../rules/commands/needsTrust';
import type { Spec } from '../../binary/types';

const spec = (name: string, found_in: Spec['found_in']): Spec => ({ name, description: null, kind: null, role: null, found_in, wrong: [] });

test('only specs that files of the folder define need a trusted workspace', () => {
  const specs = [spec('default', 'built-in'), spec('reviewer', { project: '/src/.symposium/agents.toml' }), spec('mine', { home: '/home/me/.symposium/agents.toml' })];
  assert.deepEqual(['default', 'reviewer', 'mine', 'claude', './agent.md', '~/agent.md'].map((name) => needsTrust(name, specs)), [false, true, false, false, true, true]);
});
