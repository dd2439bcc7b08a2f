// Sends code from the editor to an agent: a selection, a file, or the problems in it.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { folders } from '../workspaceFolders';
import { real } from '../realPath';
import { pickAgent } from '../views/agentPicker';
import { type Problem, filePrompt, problemsPrompt, reference, selectionPrompt } from '../rules/commands/editorPrompt';
import { isHere } from '../rules/agent/inWorkspace';
import { hears } from '../rules/agent/status';
import { sendPrompt } from './sendPrompt';
import { attempt, offer } from '../notify/messages';
import type { Agent } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

const FIX = 'symposium.fixWithAgent';

export function fromEditor(client: Client, watch: Watch): vscode.Disposable {
  /** Asks which agent, unless a single one of this window can be sent something. */
  const chooseAgent = async (): Promise<Agent | undefined> => {
    const here = folders();
    const [only, ...others] = watch.agents.filter((agent) => hears(agent) && isHere(agent, here));
    if (only !== undefined && others.length === 0) return only;
    return pickAgent(watch, { title: t('Send to Agent'), placeholder: t('Send it to which agent?'), wanted: hears, none: t('No agent runs.') });
  };

  /** Makes a prompt for the chosen agent and sends it. */
  const send = async (prompt: (agent: Agent) => Promise<string | undefined> | string | undefined) => {
    const agent = await chooseAgent();
    const text = agent === undefined ? undefined : await prompt(agent);
    if (agent !== undefined && text !== undefined) await sendPrompt(client, watch.present(agent), text);
  };

  const wish = (agent: Agent) =>
    vscode.window.showInputBox({ title: t('Send to {0}', agent.name), placeHolder: t('What to do with it; empty: only the text is sent'), ignoreFocusOut: true });

  const sendSelection = async () => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const { document, selection } = editor;
    const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
    // A selection that ends at the beginning of a line does not include that line.
    const last = range.end.character === 0 && range.end.line > range.start.line ? range.end.line : range.end.line + 1;
    await send(async (agent) => {
      const asked = await wish(agent);
      const place = reference({ path: pathOf(document.uri), from: range.start.line + 1, to: last }, agent);
      return asked === undefined ? undefined : selectionPrompt(asked, place, { text: document.getText(range), language: document.languageId });
    });
  };

  const sendFile = async (given?: vscode.Uri) => {
    const uri = given ?? vscode.window.activeTextEditor?.document.uri;
    if (uri === undefined) return;
    await send(async (agent) => {
      const asked = await wish(agent);
      return asked === undefined ? undefined : filePrompt(asked, reference({ path: pathOf(uri) }, agent));
    });
  };

  const sendProblems = async (uri: vscode.Uri | undefined, diagnostics: readonly vscode.Diagnostic[]) => {
    if (uri === undefined || diagnostics.length === 0) {
      offer({ level: 'information', text: t('This file has no problems.'), choices: [] });
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
    vscode.commands.registerCommand(FIX, (uri: vscode.Uri, diagnostics: vscode.Diagnostic[]) => attempt(() => sendProblems(uri, diagnostics))),
    vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, { provideCodeActions: (document, _range, { diagnostics }) => fixes(watch, document, diagnostics) }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
  );
}

/** Offers an agent for problems at the cursor; not where no agent could be sent anything. */
function fixes(watch: Watch, { uri }: vscode.TextDocument, diagnostics: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
  if (diagnostics.length === 0 || !watch.agents.some(hears)) return [];
  const action = new vscode.CodeAction(t('Fix with Agent'), vscode.CodeActionKind.QuickFix);
  action.diagnostics = [...diagnostics];
  action.command = { command: FIX, title: t('Fix with Agent'), arguments: [uri, diagnostics] };
  return [action];
}

const pathOf = (uri: vscode.Uri): string => (uri.scheme === 'file' ? real(uri.fsPath) : uri.path);

const severities = ['error', 'warning', 'information', 'hint'];

const problem = ({ range, severity, message, source }: vscode.Diagnostic): Problem => ({ line: range.start.line + 1, severity: severities[severity] ?? 'error', message, source: source ?? '' });
