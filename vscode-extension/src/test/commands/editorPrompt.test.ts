import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filePrompt, problemsPrompt, reference, selectionPrompt } from '../../rules/commands/editorPrompt';

const inPlace = { project: '/src/shop', working_directory: '/src/shop' };
const worktree = { project: '/src/shop', working_directory: '/home/me/.symposium/instances/a/workspace' };

test('a file is named by its path in the folder of the agent, also in a worktree', () => {
  for (const agent of [inPlace, worktree]) assert.equal(reference({ path: '/src/shop/src/main.rs', from: 2, to: 5 }, agent), '@src/main.rs#L2-5');
  assert.equal(reference({ path: `${worktree.working_directory}/a.ts`, from: 3, to: 3 }, worktree), '@a.ts#L3');
  assert.equal(reference({ path: '/elsewhere/b.ts' }, inPlace), '@/elsewhere/b.ts');
  assert.equal(reference({ path: '/src/shop-2/b.ts' }, { project: null, working_directory: '/src/shop' }), '@/src/shop-2/b.ts');
});

test('selected text is fenced, whatever it contains', () => {
  assert.equal(selectionPrompt('explain', '@a.ts#L1', { text: 'let x;\n', language: 'typescript' }), 'explain\n\n@a.ts#L1\n\n```typescript\nlet x;\n```');
  assert.ok(selectionPrompt('', '@a.md', { text: '```\ncode\n```', language: 'x y' }).startsWith('@a.md\n\n````\n```'));
  assert.equal(filePrompt('', '@a.ts'), '@a.ts');
});

test('problems are named with their line, up to a limit', () => {
  const problem = { line: 3, severity: 'error', message: 'no\n  such name', source: 'tsc' };
  assert.equal(problemsPrompt('@a.ts', [problem, { ...problem, source: '' }]), 'Fix these problems in @a.ts:\n- L3: error: no such name (tsc)\n- L3: error: no such name');
  assert.match(problemsPrompt('@a.ts', Array.from({ length: 60 }, () => problem)), /- and 10 more$/);
});
