// The workspace file by which an agent's own folder is opened under the agent's name. Pure.

import type { Agent } from '../types';

/** The text of the file. VS Code ignores some settings of a folder in a workspace file, so they are copied into it as far as
 *  they are plain JSON. */
export function workspaceFile({ name, working_directory }: Pick<Agent, 'name' | 'working_directory'>, settings: string | undefined): string {
  return `${JSON.stringify({ folders: [{ name, path: working_directory }], ...plainSettings(settings) }, null, 2)}\n`;
}

function plainSettings(text: string | undefined): { settings?: object } {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { settings: parsed } : {};
  } catch {
    return {};
  }
}
