// Prompts about code in the editor, with references that agent CLIs understand. Pure.

import { isAbsolute, relative } from 'node:path';
import type { Agent } from '../../binary/types';
import { t } from '../../l10n';
import { isWithin } from '../agent/inWorkspace';

/** Lines of a file, counted from 1. Without lines it is the whole file. */
export interface CodeLocation {
  path: string;
  from?: number;
  to?: number;
}

/** A reported problem, at a line counted from 1. */
export interface Problem {
  line: number;
  severity: string;
  message: string;
  source: string;
}

/** Returns a reference for agent CLIs, such as `@src/main.rs#L2-5`. A file of the project has the same relative path in
 *  the worktree of an agent. */
export function reference({ path, from, to }: CodeLocation, agent: Pick<Agent, 'project' | 'working_directory'>): string {
  const base = [agent.working_directory, agent.project].find((folder) => folder !== null && isWithin(path, folder));
  const short = base === undefined || base === null ? path : relative(base, path);
  const lines = from === undefined ? '' : to === undefined || to === from ? `#L${from}` : `#L${from}-${to}`;
  return `@${short === '' || isAbsolute(short) ? path : short}${lines}`;
}

/** Returns a prompt about selected text. */
export function selectionPrompt(wish: string, place: string, { text, language }: { text: string; language: string }): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, run) => Math.max(most, run[0].length), 2);
  const fence = '`'.repeat(longest + 1);
  return [wish.trim(), place, `${fence}${/^[\w-]+$/.test(language) ? language : ''}\n${text.replace(/\n$/, '')}\n${fence}`].filter(Boolean).join('\n\n');
}

/** Returns a prompt about a whole file. */
export const filePrompt = (wish: string, place: string): string => [wish.trim(), place].filter(Boolean).join('\n\n');

/** The number of problems in one prompt. */
const MAX_PROBLEMS = 50;

/** Returns a prompt that asks to fix the problems of a file. */
export function problemsPrompt(place: string, problems: readonly Problem[]): string {
  const lines = problems.slice(0, MAX_PROBLEMS).map(({ line, severity, message, source }) => `- L${line}: ${severity}: ${message.replace(/\s+/g, ' ').trim()}${source === '' ? '' : ` (${source})`}`);
  const more = problems.length > MAX_PROBLEMS ? [t('- and {0} more', problems.length - MAX_PROBLEMS)] : [];
  return [t('Fix these problems in {0}:', place), ...lines, ...more].join('\n');
}
