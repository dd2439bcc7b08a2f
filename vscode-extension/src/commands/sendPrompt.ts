// Sends prompts to agents.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { noIcons, oneLine } from '../rules/agent/sanitize';
import type { Agent } from '../binary/types';
import { t } from '../l10n';

/** Sends a prompt, and tells in the status bar that it was delivered. */
export async function sendPrompt(client: Client, { name }: Agent, text: string): Promise<void> {
  const progress = { location: vscode.ProgressLocation.Window, title: t('Sending to {0}', name) };
  await vscode.window.withProgress(progress, () => client.json(['agent', 'send', name, '-'], { stdin: text }));
  vscode.window.setStatusBarMessage(`$(check) ${noIcons(t('delivered to {0}', oneLine(name)))}`, 5_000);
}
