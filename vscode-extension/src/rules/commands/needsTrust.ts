// Decides whether starting a spec needs a trusted workspace. Pure.

import type { Spec } from '../../binary/types';

/** Returns whether a spec runs commands that files of the opened folder define. Built-in specs and specs of the user do
 *  not. A path may lead into the folder, so it counts too. */
export function needsTrust(name: string, specs: readonly Spec[]): boolean {
  if (name.includes('/')) return true;
  const found = specs.find((spec) => spec.name === name)?.found_in;
  return typeof found === 'object' && 'project' in found;
}
