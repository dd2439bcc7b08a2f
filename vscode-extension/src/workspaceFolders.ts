// The folders that are open in this window, with symbolic links resolved.

import * as vscode from 'vscode';
import { realPath } from './realPath';

export function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((each) => each.uri.scheme === 'file').map((each) => realPath(each.uri.fsPath));
}
