// What goes wrong, told to a person: what happened, what was seen, and the hint that can be copied.

import * as vscode from 'vscode';
import { CommandError } from '../binary/client';
import { SHOW_DETAILS } from '../views/documents';
import { untilAnswered } from '../rules/commands/retryPrompt';
import { inDetail, inShort } from '../rules/notify/errorText';
import { type Told, inTheWay } from '../rules/binary/health';
import { noLinks } from '../rules/agent/sanitize';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

/** Does something for a person; a failure is shown and not thrown. Says whether it was done. */
export async function attempt(what: () => Promise<unknown>): Promise<boolean> {
  try {
    await what();
    return true;
  } catch (error) {
    void tellError(error);
    return false;
  }
}

/** Tells it with these buttons before its own, and gives the one of them that was pressed: a hint that is copied leaves them
 *  there. Who tells without any does not wait: a notification nobody answers must not hold up what comes next. */
export async function tellError(error: unknown, ...before: string[]): Promise<string | undefined> {
  if (error instanceof vscode.CancellationError) return undefined;
  const known = error instanceof CommandError ? error : undefined;
  const missing = known?.code === 'missing-binary' ? inTheWay('missing-binary', known.message) : undefined;
  if (missing !== undefined) {
    offer(missing);
    return undefined;
  }
  const message = error instanceof Error ? error.message : String(error);
  const told = { message, saw: known?.saw ?? [], hints: known?.hints ?? [] };
  const { text, isAll } = inShort(told);
  const [hint] = told.hints;
  const own = new Map<string, () => void>();
  if (hint !== undefined) own.set(t('Copy Hint'), () => void vscode.env.clipboard.writeText(commandIn(hint)));
  if (!isAll) own.set(t('Show Details'), () => void vscode.commands.executeCommand(SHOW_DETAILS, inDetail(told)));
  const show = () => vscode.window.showErrorMessage(noLinks(text), ...before, ...own.keys());
  if (before.length > 0) return untilAnswered(show, own);
  own.get((await show()) ?? '')?.();
  return undefined;
}

/** Tells something with buttons that are commands. Not waited for. */
export function offer({ level, text, choices }: Told): void {
  const show = level === 'warning' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  void show(noLinks(text), ...choices.map(({ title }) => title)).then((chosen) => {
    const taken = choices.find(({ title }) => title === chosen);
    if (taken !== undefined) void vscode.commands.executeCommand(taken.command);
  });
}

/** Whether a command was given on a row that went meanwhile, which is told. VS Code calls it with nothing and one argument
 *  more then; the palette, keys and the status bar give none. Asking which one was meant would mark somebody else. */
export function tellRowGone(given: unknown, rest: readonly unknown[]): boolean {
  if (given !== undefined || rest.length === 0) return false;
  offer({ level: 'information', text: t('That row has just changed; try again.'), choices: [] });
  return true;
}

/** Tells what stands in the way of everything; says whether something does. */
export function tellTrouble({ health, trouble }: Watch): boolean {
  const told = inTheWay(health, trouble?.message);
  if (told !== undefined) offer(told);
  return told !== undefined;
}

/** The command in a hint, which stands between backquotes or behind a colon. */
export function commandIn(hint: string): string {
  return /`([^`]+)`/.exec(hint)?.[1] ?? hint.replace(/^[^:]*: /, '');
}
