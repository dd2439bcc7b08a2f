// The filters of the agents view. Pure.

import type { Agent } from '../../binary/types';
import { t } from '../../l10n';
import { isHere } from '../agent/inWorkspace';
import { hasFailedTurn, isLive, needsPerson } from '../agent/status';

export const FILTERS = ['all', 'needs-you', 'running', 'this-window'] as const;

export type Filter = (typeof FILTERS)[number];

export const isFilter = (value: unknown): value is Filter => (FILTERS as readonly unknown[]).includes(value);

/** Returns the name of a filter in the menu and in the title of the view. */
export function filterName(filter: Filter): string {
  switch (filter) {
    case 'all':
      return t('All agents');
    case 'needs-you':
      return t('Needs you');
    case 'running':
      return t('Running');
    case 'this-window':
      return t('This window');
  }
}

/** Returns the agents that pass a filter, given the folders of this window. */
export function applyFilter(agents: readonly Agent[], filter: Filter, folders: readonly string[]): Agent[] {
  switch (filter) {
    case 'all':
      return [...agents];
    case 'needs-you':
      return agents.filter((agent) => needsPerson(agent) || hasFailedTurn(agent) || agent.status === 'crashed' || agent.status === 'lost');
    case 'running':
      return agents.filter(isLive);
    case 'this-window':
      return agents.filter((agent) => isHere(agent, folders));
  }
}
