// What goes wrong, told to a person: what happened, what was seen, and the hint that can be copied.

import * as vscode from 'vscode';
import { CommandError } from './client';
import { SHOW_DETAILS } from './documents';
import { inDetail, inShort } from './rules/failure';
import { noLinks } from './rules/text';
import { t } from './words';

/** Does something for a person; a failure is shown and not thrown. Says whether it was done. */
export async function attempt(what: () => Promise<unknown>): Promise<boolean> {
  try {
    await what();
    return true;
  } catch (error) {
    tellError(error);
    return false;
  }
}

export function tellError(error: unknown): void {
  if (error instanceof vscode.CancellationError) return;
  const known = error instanceof CommandError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const told = { message, saw: known?.saw ?? [], hints: known?.hints ?? [] };
  const { text, isAll } = inShort(told);
  const [hint] = told.hints;
  const copy = t('Copy Hint');
  const details = t('Show Details');
  const buttons = [...(hint === undefined ? [] : [copy]), ...(isAll ? [] : [details])];
  // Not waited for: a notification nobody answers must not hold up what comes next.
  void vscode.window.showErrorMessage(noLinks(text), ...buttons).then((chosen) => {
    if (chosen === copy && hint !== undefined) void vscode.env.clipboard.writeText(commandIn(hint));
    if (chosen === details) void vscode.commands.executeCommand(SHOW_DETAILS, inDetail(told));
  });
}

/** The command in a hint, which stands between backquotes or behind a colon. */
export function commandIn(hint: string): string {
  return /`([^`]+)`/.exec(hint)?.[1] ?? hint.replace(/^[^:]*: /, '');
}
