// Documents with the base version of reviewed files. Their URIs contain everything that is needed to read them, so VS Code
// can restore a review after a reload.

import { isAbsolute, join, relative } from 'node:path';
import * as vscode from 'vscode';
import { type BaseVersion, readBaseVersion } from '../binary/baseVersion';

export const BASE_SCHEME = 'symposium-base';

/** Returns the URI of a base version. It has the path of the file in the working tree, because the diff editor shows files
 *  with different paths as renamed. */
export const baseUri = ({ root, commit, path }: BaseVersion): vscode.Uri =>
  vscode.Uri.from({ scheme: BASE_SCHEME, path: join(root, path), query: JSON.stringify({ root, commit }) });

function versionOf(uri: vscode.Uri): BaseVersion {
  const { root, commit } = JSON.parse(uri.query) as Record<string, unknown>;
  if (typeof root !== 'string' || typeof commit !== 'string' || !isAbsolute(root)) throw new Error(`not a base version: ${uri.toString()}`);
  return { root, commit, path: relative(root, uri.path) };
}

export const baseDocuments = (): vscode.Disposable =>
  vscode.workspace.registerTextDocumentContentProvider(BASE_SCHEME, { provideTextDocumentContent: (uri) => readBaseVersion(versionOf(uri)) });
