// The folders that are open here, as the binary sees them: without symbolic links.

import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';

export function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((each) => each.uri.scheme === 'file').map((each) => real(each.uri.fsPath));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
