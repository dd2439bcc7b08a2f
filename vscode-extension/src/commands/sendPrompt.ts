// Sends a prompt to an agent.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { withoutIcons, oneLine } from '../rules/agent/sanitize';
import type { Agent } from '../binary/types';
import { t } from '../l10n';

/** Sends a prompt and reports the delivery in the status bar. */
export async function sendPrompt(client: Client, { name }: Agent, text: string): Promise<void> {
  const progress = { location: vscode.ProgressLocation.Window, title: t('Sending to {0}', name) };
  await vscode.window.withProgress(progress, () => client.json(['agent', 'send', name, '-'], { stdin: text }));
  vscode.window.setStatusBarMessage(`$(check) ${withoutIcons(t('delivered to {0}', oneLine(name)))}`, 5_000);
}
