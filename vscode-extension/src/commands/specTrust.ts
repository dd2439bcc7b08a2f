// Asks before the spec of a project runs commands. The binary refuses such a spec until the user trusts it.

import * as vscode from 'vscode';
import { CommandError } from '../binary/client';
import { withoutLinks, spellOutInvisible } from '../rules/agent/sanitize';
import { t } from '../l10n';

/** The error code of the binary for a spec that the user has not trusted. */
const UNTRUSTED_SPEC = 'untrusted-spec';

/** Runs a command of the binary. If the binary refuses an untrusted spec, shows what the spec would run, and after a
 *  yes runs the command again with `--trust`. */
export async function withSpecTrust<T>(run: (options: readonly string[]) => Promise<T>): Promise<T> {
  try {
    return await run([]);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== UNTRUSTED_SPEC) throw error;
    const yes = t('Trust and Start');
    const detail = withoutLinks(error.saw.map(spellOutInvisible).join('\n'));
    if ((await vscode.window.showWarningMessage(withoutLinks(error.message), { modal: true, detail }, yes)) !== yes) throw new vscode.CancellationError();
    return run(['--trust']);
  }
}
