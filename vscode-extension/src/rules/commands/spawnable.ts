// What may be spawned, in the order in which it is offered. Pure.

import { join, resolve } from 'node:path';
import type { Kind, Spec } from '../../binary/types';
import { t } from '../../l10n';
import { specLine } from '../views/labels';
import { oneLine } from '../agent/sanitize';

export interface Spawnable {
  name: string;
  description: string;
}

/** Specs, installed agent CLIs, the stand-in; the one that is wanted first, be it known or not. */
export function spawnable(specs: readonly Spec[], kinds: readonly Kind[], wanted: { name: string; bySetting: string }): Spawnable[] {
  const all = specs.map((spec) => ({ name: spec.name, description: oneLine(specLine(spec)) }));
  const isKnown = (name: string) => all.some((each) => each.name === name);
  for (const { name } of kinds.filter(({ name, installed }) => installed && name !== 'demo' && !isKnown(name))) all.push({ name, description: t('an agent CLI that is installed here') });
  if (!isKnown('demo')) all.push({ name: 'demo', description: t('a stand-in, to try everything without an agent CLI') });
  // What was typed before is there again for who goes back or tries again.
  const unknown = { name: wanted.name, description: wanted.name === wanted.bySetting ? t('from the settings') : t('as typed') };
  return [all.find(({ name }) => name === wanted.name) ?? unknown, ...all.filter(({ name }) => name !== wanted.name)];
}

/** Says of built-in specs, which name no kind, what they start. */
export const withKind = (specs: readonly Spec[], kind: string | null): Spec[] =>
  specs.map((spec) => (kind !== null && spec.found_in === 'built-in' && spec.kind === null && spec.description === null ? { ...spec, description: t('starts {0}', kind) } : spec));

/** What was typed for a spec, as the binary is to have it: a path is one of the folder that the agent works in, wherever the
 *  binary is run. */
export const specIn = (dir: string, typed: string, home: string): string => {
  if (typed.startsWith('~/')) return join(home, typed.slice(2));
  return typed.includes('/') ? resolve(dir, typed) : typed;
};
