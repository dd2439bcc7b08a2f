// The workspace file by which an agent's own folder is opened under the agent's name. Pure.

/** The text of the file, for a folder beside it. VS Code ignores some settings of a folder in a workspace file, so they are copied into it as far as
 *  they are plain JSON. */
export function workspaceFile(name: string, folder: string, settings: string | undefined): string {
  return `${JSON.stringify({ folders: [{ name, path: folder }], ...plainSettings(settings) }, null, 2)}\n`;
}

function plainSettings(text: string | undefined): { settings?: object } {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { settings: parsed } : {};
  } catch {
    return {};
  }
}
