// Relates agents to the folders that are open in this window.

import type { Agent } from '../../binary/types';

/** Returns whether a path is the folder or lies within it. */
export function isWithin(path: string, folder: string): boolean {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  return path === folder || path.startsWith(base);
}

/** Returns whether an agent belongs to one of the folders: its project lies within the folder, or the folder lies
 *  within its project or workspace. */
export function isHere(agent: Pick<Agent, 'project' | 'working_directory'>, folders: readonly string[]): boolean {
  const project = agent.project ?? agent.working_directory;
  return folders.some(
    (folder) => isWithin(project, folder) || isWithin(folder, project) || isWithin(agent.working_directory, folder) || isWithin(folder, agent.working_directory),
  );
}

/** Returns whether one of the folders is a workspace of this agent alone. */
export const ownsWindow = (agent: Pick<Agent, 'workspace' | 'working_directory'>, folders: readonly string[]): boolean =>
  agent.workspace !== 'in-place' && folders.some((folder) => isWithin(folder, agent.working_directory));

/** Returns the last part of a path. */
export const folderName = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? path;
