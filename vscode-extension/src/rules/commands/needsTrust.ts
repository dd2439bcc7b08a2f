// Decides whether starting a spec needs a trusted workspace. Pure.

import type { Spec } from '../../binary/types';

/** Whether a spec runs commands that files of the opened folder define. Specs that are built in or belong to the user do
 *  not; a path may point into the folder, so it counts as one of it. */
export function needsTrust(name: string, specs: readonly Spec[]): boolean {
  if (name.includes('/')) return true;
  const found = specs.find((spec) => spec.name === name)?.found_in;
  return typeof found === 'object' && 'project' in found;
}
