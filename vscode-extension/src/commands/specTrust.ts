// Asks before a project's spec runs anything: the binary refuses such a spec until its user has agreed to it.

import * as vscode from 'vscode';
import { CommandError } from '../binary/client';
import { noLinks, visible } from '../rules/agent/sanitize';
import { t } from '../l10n';

/** The error code of the binary for a spec that the user has not trusted. */
const UNTRUSTED = 'untrusted-spec';

/** Runs a command of the binary. When it refuses an untrusted spec, the person reads what the spec would run and may agree;
 *  then the command runs again with `--trust`. A no cancels. */
export async function withSpecTrust<T>(run: (options: readonly string[]) => Promise<T>): Promise<T> {
  try {
    return await run([]);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== UNTRUSTED) throw error;
    const yes = t('Trust and Start');
    const detail = noLinks(error.saw.map(visible).join('\n'));
    if ((await vscode.window.showWarningMessage(noLinks(error.message), { modal: true, detail }, yes)) !== yes) throw new vscode.CancellationError();
    return run(['--trust']);
  }
}
