// Agents that could not be read, by this extension or by the binary.

import type { Agent, UnreadableAgent } from '../../binary/types';
import { t } from '../../l10n';
import { oneLine } from '../agent/sanitize';

/** Names the agents that cannot be shown, with the reason for the first one. */
export function unreadableText(broken: readonly UnreadableAgent[]): string {
  const [first] = broken;
  if (first === undefined) return '';
  const names = broken.slice(0, 3).map(({ name }) => oneLine(name, 63)).join(', ');
  const all = broken.length > 3 ? t('{0} and {1} more', names, broken.length - 3) : names;
  return t('cannot be shown: {0} ({1})', all, oneLine(first.why));
}

/** Returns the registry entry that a warning of the binary is about, if the binary could not read it. */
export function unreadableFromWarning(warning: string): UnreadableAgent | undefined {
  const [, name, why] = /^(?:warning: )?entry `([^\n]*?)` of the registry cannot be read: ([^\n]*?)(?:; it is left as it is)?$/.exec(warning) ?? [];
  return name === undefined || why === undefined ? undefined : { name, why };
}

/** The registry entries that the binary could not read, collected from its warnings. */
export class UnreadableEntries {
  private entries: UnreadableAgent[] = [];
  /** Whether the watcher was restarted since these warnings. It does not report that a warning is over. */
  private areFromOldWatcher = false;

  get all(): readonly UnreadableAgent[] {
    return this.entries;
  }

  /** Adds a warning of the watcher, which repeats it with each list. Returns whether it is new. */
  addWarning(text: string): boolean {
    const entry = unreadableFromWarning(text);
    if (entry === undefined || this.entries.some(({ name, why }) => name === entry.name && why === entry.why)) return false;
    this.entries = [...this.entries.filter(({ name }) => name !== entry.name), entry];
    return true;
  }

  /** Notes that a watcher has started. */
  watcherStarted(): void {
    this.areFromOldWatcher = this.entries.length > 0;
  }

  /** Returns whether a refresh is needed: the entries come from an earlier watcher, or one of them is in the list
   *  again. */
  needRefresh(agents: readonly Pick<Agent, 'name'>[]): boolean {
    return this.areFromOldWatcher || this.entries.some(({ name }) => agents.some((agent) => agent.name === name));
  }

  /** Replaces the entries by those of a reply to a single request, which are complete. */
  replace(now: readonly UnreadableAgent[]): void {
    this.entries = [...now];
    this.areFromOldWatcher = false;
  }
}
