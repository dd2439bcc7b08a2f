// Sends code from the editor to an agent: a selection, a file, or the problems of a file.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { openFolders } from '../workspaceFolders';
import { realPath } from '../realPath';
import { pickAgent } from '../views/agentPicker';
import { type Problem, filePrompt, problemsPrompt, reference, selectionPrompt } from '../rules/commands/editorPrompt';
import { isHere } from '../rules/agent/inWorkspace';
import { canReceivePrompt } from '../rules/agent/status';
import { sendPrompt } from './sendPrompt';
import { attempt, showMessage } from '../notify/messages';
import type { Agent } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

const FIX_COMMAND = 'symposium.fixWithAgent';

export function editorCommands(client: Client, watch: AgentWatch): vscode.Disposable {
  /** Asks which agent, unless exactly one agent of this window can receive a prompt. */
  const chooseAgent = async (): Promise<Agent | undefined> => {
    const here = openFolders();
    const [only, ...others] = watch.agents.filter((agent) => canReceivePrompt(agent) && isHere(agent, here));
    if (only !== undefined && others.length === 0) return only;
    return pickAgent(watch, { title: t('Send to Agent'), placeholder: t('Send it to which agent?'), wanted: canReceivePrompt, none: t('No agent is running.') });
  };

  /** Builds a prompt for the chosen agent and sends it. */
  const send = async (prompt: (agent: Agent) => Promise<string | undefined> | string | undefined) => {
    const agent = await chooseAgent();
    const text = agent === undefined ? undefined : await prompt(agent);
    if (agent !== undefined && text !== undefined) await sendPrompt(client, watch.current(agent), text);
  };

  const askRequest = (agent: Agent) =>
    vscode.window.showInputBox({ title: t('Send to {0}', agent.name), placeHolder: t('What should the agent do with it? Empty: only the text is sent'), ignoreFocusOut: true });

  const sendSelection = async () => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const { document, selection } = editor;
    const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
    // A selection that ends at the beginning of a line does not include that line.
    const last = range.end.character === 0 && range.end.line > range.start.line ? range.end.line : range.end.line + 1;
    await send(async (agent) => {
      const asked = await askRequest(agent);
      const place = reference({ path: pathOf(document.uri), from: range.start.line + 1, to: last }, agent);
      return asked === undefined ? undefined : selectionPrompt(asked, place, { text: document.getText(range), language: document.languageId });
    });
  };

  const sendFile = async (given?: vscode.Uri) => {
    const uri = given ?? vscode.window.activeTextEditor?.document.uri;
    if (uri === undefined) return;
    await send(async (agent) => {
      const asked = await askRequest(agent);
      return asked === undefined ? undefined : filePrompt(asked, reference({ path: pathOf(uri) }, agent));
    });
  };

  const sendProblems = async (uri: vscode.Uri | undefined, diagnostics: readonly vscode.Diagnostic[]) => {
    if (uri === undefined || diagnostics.length === 0) {
      showMessage({ level: 'information', text: t('This file has no problems.'), choices: [] });
      return;
    }
    await send((agent) => problemsPrompt(reference({ path: pathOf(uri) }, agent), diagnostics.map(problem)));
  };

  return vscode.Disposable.from(
    vscode.commands.registerCommand('symposium.sendSelection', () => attempt(sendSelection)),
    vscode.commands.registerCommand('symposium.sendFile', (given?: unknown) => attempt(() => sendFile(given instanceof vscode.Uri ? given : undefined))),
    vscode.commands.registerCommand('symposium.sendDiagnostics', () =>
      attempt(async () => {
        const uri = vscode.window.activeTextEditor?.document.uri;
        await sendProblems(uri, uri === undefined ? [] : vscode.languages.getDiagnostics(uri));
      }),
    ),
    vscode.commands.registerCommand(FIX_COMMAND, (uri: vscode.Uri, diagnostics: vscode.Diagnostic[]) => attempt(() => sendProblems(uri, diagnostics))),
    vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, { provideCodeActions: (document, _range, { diagnostics }) => fixes(watch, document, diagnostics) }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
  );
}

/** Returns a quick fix for problems at the cursor, if there is an agent that can receive it. */
function fixes(watch: AgentWatch, { uri }: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
  if (diagnostics.length === 0 || !watch.agents.some(canReceivePrompt)) return [];
  const action = new vscode.CodeAction(t('Fix with Agent'), vscode.CodeActionKind.QuickFix);
  action.diagnostics = [...diagnostics];
  action.command = { command: FIX_COMMAND, title: t('Fix with Agent'), arguments: [uri, diagnostics] };
  return [action];
}

const pathOf = (uri: vscode.Uri): string => (uri.scheme === 'file' ? realPath(uri.fsPath) : uri.path);

const severities = ['error', 'warning', 'information', 'hint'];

const problem = ({ range, severity, message, source }: vscode.Diagnostic): Problem => ({ line: range.start.line + 1, severity: severities[severity] ?? 'error', message, source: source ?? '' });
