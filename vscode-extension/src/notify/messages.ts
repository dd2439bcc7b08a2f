// Shows errors and messages: what happened, what was observed, and a hint that can be copied.

import * as vscode from 'vscode';
import { CommandError } from '../binary/client';
import { SHOW_DETAILS } from '../views/documents';
import { showUntilAnswered } from '../rules/commands/retryPrompt';
import { fullError, shortError } from '../rules/notify/errorText';
import { type Message, problemMessage } from '../rules/binary/health';
import { withoutLinks } from '../rules/agent/sanitize';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

/** Runs an action of the user and shows its error. Returns whether the action succeeded. */
export async function attempt(what: () => Promise<unknown>): Promise<boolean> {
  try {
    await what();
    return true;
  } catch (error) {
    void showError(error);
    return false;
  }
}

/** Shows an error with additional buttons, and returns the pressed one. Copying the hint keeps the message open.
 *  Without additional buttons, callers do not wait: an unanswered notification must not block them. */
export async function showError(error: unknown, ...before: string[]): Promise<string | undefined> {
  if (error instanceof vscode.CancellationError) return undefined;
  const known = error instanceof CommandError ? error : undefined;
  const missing = known?.code === 'missing-binary' ? problemMessage('missing-binary', known.message) : undefined;
  if (missing !== undefined) {
    showMessage(missing);
    return undefined;
  }
  const message = error instanceof Error ? error.message : String(error);
  const report = { message, saw: known?.saw ?? [], hints: known?.hints ?? [] };
  const { text, isAll } = shortError(report);
  const [hint] = report.hints;
  const own = new Map<string, () => void>();
  if (hint !== undefined) own.set(t('Copy Hint'), () => void vscode.env.clipboard.writeText(commandInHint(hint)));
  if (!isAll) own.set(t('Show Details'), () => void vscode.commands.executeCommand(SHOW_DETAILS, fullError(report)));
  const show = () => vscode.window.showErrorMessage(withoutLinks(text), ...before, ...own.keys());
  if (before.length > 0) return showUntilAnswered(show, own);
  own.get((await show()) ?? '')?.();
  return undefined;
}

/** Shows a message with buttons that run commands. */
export function showMessage({ level, text, choices }: Message): void {
  const show = level === 'warning' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  void show(withoutLinks(text), ...choices.map(({ title }) => title)).then((chosen) => {
    const taken = choices.find(({ title }) => title === chosen);
    if (taken !== undefined) void vscode.commands.executeCommand(taken.command);
  });
}

/** Reports that the row of a command has disappeared, and returns whether that is so. VS Code then passes undefined and
 *  one more argument, while the palette, keys and the status bar pass no argument. Asking for an agent could choose the
 *  wrong one. */
export function reportRowGone(given: unknown, rest: readonly unknown[]): boolean {
  if (given !== undefined || rest.length === 0) return false;
  showMessage({ level: 'information', text: t('That row has just changed; try again.'), choices: [] });
  return true;
}

/** Reports a problem that blocks all commands, and returns whether there is one. */
export function reportTrouble({ health, trouble }: AgentWatch): boolean {
  const problem = problemMessage(health, trouble?.message);
  if (problem !== undefined) showMessage(problem);
  return problem !== undefined;
}

/** Returns the command in a hint, which stands between backquotes or after a colon. */
export function commandInHint(hint: string): string {
  return /`([^`]+)`/.exec(hint)?.[1] ?? hint.replace(/^[^:]*: /, '');
}
