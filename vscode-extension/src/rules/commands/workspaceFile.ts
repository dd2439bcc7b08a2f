// The workspace file that opens the folder of an agent under the name of the agent. Pure.

/** Returns the text of the file. VS Code ignores some settings of a folder in a workspace, so they are copied into the
 *  file if they are plain JSON. */
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
