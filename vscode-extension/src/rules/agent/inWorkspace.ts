// Which agents belong to the folders that are open here.

import type { Agent } from '../../binary/types';

/** Whether one path is the other or below it. */
export function isWithin(path: string, folder: string): boolean {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  return path === folder || path.startsWith(base);
}

/** Whether an agent is of one of these folders: its project is, or the folder is a part of its project or workspace. */
export function isHere(agent: Pick<Agent, 'project' | 'working_directory'>, folders: readonly string[]): boolean {
  const project = agent.project ?? agent.working_directory;
  return folders.some(
    (folder) => isWithin(project, folder) || isWithin(folder, project) || isWithin(agent.working_directory, folder) || isWithin(folder, agent.working_directory),
  );
}

/** Whether one of these folders is the workspace that belongs to this agent alone. */
export const ownsWindow = (agent: Pick<Agent, 'workspace' | 'working_directory'>, folders: readonly string[]): boolean =>
  agent.workspace !== 'in-place' && folders.some((folder) => isWithin(folder, agent.working_directory));

/** The last part of a path. */
export const folderName = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? path;
