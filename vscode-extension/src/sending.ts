// Sends prompts to agents.

import * as vscode from 'vscode';
import type { Client } from './client';
import { noIcons, oneLine } from './rules/text';
import type { Agent } from './types';
import { t } from './words';

/** Sends a prompt, and tells in the status bar that it was delivered. */
export async function sendPrompt(client: Client, { name }: Agent, text: string): Promise<void> {
  const progress = { location: vscode.ProgressLocation.Window, title: t('Sending to {0}', name) };
  await vscode.window.withProgress(progress, () => client.json(['agent', 'send', name, '-'], { stdin: text }));
  vscode.window.setStatusBarMessage(`$(check) ${noIcons(t('delivered to {0}', oneLine(name)))}`, 5_000);
}
