// The specs and kinds that can be spawned, in the order in which they are offered. Pure.

import { join, resolve } from 'node:path';
import type { Kind, Spec } from '../../binary/types';
import { t } from '../../l10n';
import { specLine } from '../views/labels';
import { oneLine } from '../agent/sanitize';

export interface Spawnable {
  name: string;
  description: string;
}

/** Returns specs, installed agent CLIs and the demo agent. The wanted one comes first, even if it is unknown. */
export function spawnable(specs: readonly Spec[], kinds: readonly Kind[], wanted: { name: string; bySetting: string }): Spawnable[] {
  const all = specs.map((spec) => ({ name: spec.name, description: oneLine(specLine(spec)) }));
  const isKnown = (name: string) => all.some((each) => each.name === name);
  for (const { name } of kinds.filter(({ name, installed }) => installed && name !== 'demo' && !isKnown(name))) all.push({ name, description: t('installed agent CLI') });
  if (!isKnown('demo')) all.push({ name: 'demo', description: t('a demo agent, to try everything without an agent CLI') });
  // A typed spec is offered again when the user goes back or retries.
  const unknown = { name: wanted.name, description: wanted.name === wanted.bySetting ? t('from the settings') : t('as typed') };
  return [all.find(({ name }) => name === wanted.name) ?? unknown, ...all.filter(({ name }) => name !== wanted.name)];
}

/** Adds to built-in specs the kind that they start. */
export const withKind = (specs: readonly Spec[], kind: string | null): Spec[] =>
  specs.map((spec) => (kind !== null && spec.found_in === 'built-in' && spec.kind === null && spec.description === null ? { ...spec, description: t('starts {0}', kind) } : spec));

/** Resolves a typed spec. A relative path belongs to the folder of the agent, because the binary may run in another
 *  folder. */
export const resolveSpec = (dir: string, typed: string, home: string): string => {
  if (typed.startsWith('~/')) return join(home, typed.slice(2));
  return typed.includes('/') ? resolve(dir, typed) : typed;
};
