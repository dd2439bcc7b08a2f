// Shows the changes of an agent in the diff editor of VS Code, by its git extension.

import * as vscode from 'vscode';
import { type Change, diffEntries } from '../rules/commands/diffEntries';
import { oneLine } from '../rules/agent/sanitize';
import { showMessage } from '../notify/messages';
import type { Agent } from '../binary/types';
import { t } from '../l10n';

/** The part of the API of the git extension that this file uses. */
interface Git {
  openRepository: (root: vscode.Uri) => Promise<Repository | null>;
  toGitUri: (uri: vscode.Uri, ref: string) => vscode.Uri;
}

interface Repository {
  state: { HEAD?: { commit?: string }; untrackedChanges?: GitChange[]; workingTreeChanges: GitChange[] };
  status: () => Promise<void>;
  diffWith: (ref: string) => Promise<GitChange[]>;
  getMergeBase: (one: string, other: string) => Promise<string | undefined>;
}

interface GitChange {
  uri: vscode.Uri;
  originalUri: vscode.Uri;
  status: number;
}

async function git(): Promise<Git | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI: (version: 1) => Git }>('vscode.git');
  try {
    return (await extension?.activate())?.getAPI(1);
  } catch {
    // The git extension is disabled in the settings.
    return undefined;
  }
}

/** Shows the changes of an agent: of a worktree those since it branched off, otherwise those that are not committed. */
export async function reviewChanges(agent: Agent): Promise<void> {
  const api = await git();
  const repository = await api?.openRepository(vscode.Uri.file(agent.working_directory));
  if (api === undefined || repository === undefined || repository === null) {
    const text = vscode.workspace.isTrusted ? t('The git extension of VS Code cannot open the folder of {0}.', oneLine(agent.name)) : t('The git extension of VS Code needs a trusted workspace.');
    showMessage({ level: 'warning', text, choices: vscode.workspace.isTrusted ? [] : [{ title: t('Manage Trust'), command: 'workbench.trust.manage' }] });
    return;
  }
  await repository.status();
  const base = (await mergeBase(api, repository, agent)) ?? 'HEAD';
  const untracked = [...(repository.state.untrackedChanges ?? []), ...repository.state.workingTreeChanges];
  const changes = [...(await repository.diffWith(base)), ...untracked].map(({ uri, originalUri, status }): Change => ({ path: uri.fsPath, original: originalUri.fsPath, status }));
  const entries = diffEntries(changes).map(({ path, original, modified }) => [
    vscode.Uri.file(path),
    original === undefined ? undefined : api.toGitUri(vscode.Uri.file(original), base),
    modified === undefined ? undefined : vscode.Uri.file(modified),
  ]);
  if (entries.length === 0) showMessage({ level: 'information', text: t('{0} has changed nothing.', oneLine(agent.name)), choices: [] });
  else await vscode.commands.executeCommand('vscode.changes', t('Changes of {0}', oneLine(agent.name)), entries);
}

/** Returns the commit at which the branch of an agent left the branch of its project. */
async function mergeBase(api: Git, repository: Repository, { workspace, project }: Agent): Promise<string | undefined> {
  if (workspace !== 'worktree' || project === null) return undefined;
  const head = (await api.openRepository(vscode.Uri.file(project)))?.state.HEAD?.commit;
  return head === undefined ? undefined : repository.getMergeBase(head, 'HEAD');
}
