// Which agents belong to the folders that are open here.

import type { Agent } from '../types';

/** Whether one path is the other or below it. */
export function isWithin(path: string, folder: string): boolean {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  return path === folder || path.startsWith(base);
}

/** Whether an agent is of one of these folders: its project is, or the folder is a part of its project. */
export function isHere(agent: Pick<Agent, 'project' | 'working_directory'>, folders: readonly string[]): boolean {
  const project = agent.project ?? agent.working_directory;
  return folders.some(
    (folder) => isWithin(project, folder) || isWithin(folder, project) || isWithin(agent.working_directory, folder),
  );
}

/** The last part of a path. */
export const folderName = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? path;
