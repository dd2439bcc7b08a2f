// Agents that are there and could not be read, by us or by the binary, in words.

import type { Agent, Broken } from '../../binary/types';
import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';

/** Who cannot be shown, and why the first of them cannot. */
export function inWords(broken: readonly Broken[]): string {
  const [first] = broken;
  if (first === undefined) return '';
  const names = broken.slice(0, 3).map(({ name }) => oneLine(name, 63)).join(', ');
  const all = broken.length > 3 ? t('{0} and {1} more', names, broken.length - 3) : names;
  return t('cannot be shown: {0} ({1})', all, oneLine(first.why));
}

/** The entry of the registry that the binary warns of because it cannot read it. */
export function unreadableIn(warning: string): Broken | undefined {
  const [, name, why] = /^(?:warning: )?entry `([^\n]*?)` of the registry cannot be read: ([^\n]*?)(?:; it is left as it is)?$/.exec(warning) ?? [];
  return name === undefined || why === undefined ? undefined : { name, why };
}

/** The entries that the binary cannot read, as far as it was heard to say so. */
export class Unreadable {
  private entries: Broken[] = [];
  /** Whether another watcher has begun since: it does not say of which it warns no more. */
  private areOld = false;

  get all(): readonly Broken[] {
    return this.entries;
  }

  /** The watcher has warned; it does so at each look of its own. Says whether that is news. */
  warned(text: string): boolean {
    const entry = unreadableIn(text);
    if (entry === undefined || this.entries.some(({ name, why }) => name === entry.name && why === entry.why)) return false;
    this.entries = [...this.entries.filter(({ name }) => name !== entry.name), entry];
    return true;
  }

  /** A watcher begins, because the one before has ended or because somebody wants to know how it is now. */
  began(): void {
    this.areOld = this.entries.length > 0;
  }

  /** Whether to ask beside the watcher: they are of an older one, or one of them is in the list and so has been mended. */
  areInDoubt(agents: readonly Pick<Agent, 'name'>[]): boolean {
    return this.areOld || this.entries.some(({ name }) => agents.some((agent) => agent.name === name));
  }

  /** Somebody has asked beside the watcher, and these are all that the binary could not read then. */
  asked(now: readonly Broken[]): void {
    this.entries = [...now];
    this.areOld = false;
  }
}
