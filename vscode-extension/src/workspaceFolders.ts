// The folders that are open here, as the binary sees them.

import * as vscode from 'vscode';
import { real } from './realPath';

export function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((each) => each.uri.scheme === 'file').map((each) => real(each.uri.fsPath));
}
