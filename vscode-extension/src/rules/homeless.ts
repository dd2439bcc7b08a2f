// Whose folder is gone: the binary has marked it, or its project was open here and has vanished. Pure.

import type { Agent } from '../types';
import { isWithin } from './place';

/** Those of whom nobody was asked yet. */
export function homeless(agents: readonly Agent[], vanished: readonly string[], asked: readonly string[]): Agent[] {
  const lost = (agent: Agent) => vanished.some((path) => isWithin(agent.project ?? agent.working_directory, path));
  return agents.filter((agent) => (agent.directory_gone !== null || lost(agent)) && !asked.includes(agent.id));
}
