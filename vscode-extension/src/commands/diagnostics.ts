// Commands for problems with the binary, tmux or the state directory.

import * as vscode from 'vscode';
import { binaryMistake } from '../binary/binaryPath';
import { type Client, CommandError } from '../binary/client';
import type { Documents } from '../views/documents';
import { fullError } from '../rules/notify/errorText';
import { withoutLinks, oneLine } from '../rules/agent/sanitize';
import { REQUIRED_VERSION } from '../rules/binary/version';
import { settings } from '../settings';
import { TURN_DELAY_MS, whenWindowAnswers } from '../notify/windowVisible';
import type { TaskTree } from '../views/taskTree';
import { attempt, commandInHint } from '../notify/messages';
import type { Check } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import type { WindowClaims } from '../notify/windowClaims';
import { t } from '../l10n';

/** The command that installs the binary from its source. */
const INSTALL_COMMAND = 'cargo install --path .';

export interface DiagnosticParts {
  client: Client;
  watch: AgentWatch;
  documents: Documents;
  windows: WindowClaims;
  tasks: TaskTree;
  log: vscode.LogOutputChannel;
}

export function diagnosticCommands({ client, watch, documents, windows, tasks, log }: DiagnosticParts): vscode.Disposable {
  const warned = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  /** Shows a warning once a day, in one window. The view shows a lasting problem. */
  const warn = (text: string) =>
    whenWindowAnswers(() => {
      if (windows.claim(['warning', text, new Date().toDateString()].join(' '))) showWarning(text, log);
    });
  return vscode.Disposable.from(
    vscode.commands.registerCommand('symposium.refresh', async () => {
      tasks.refresh();
      await watch.start();
    }),
    vscode.commands.registerCommand('symposium.doctor', () =>
      attempt(async () => documents.showText('/doctor.txt', await report(client, watch))),
    ),
    vscode.commands.registerCommand('symposium.setPath', () =>
      attempt(async () => {
        const chosen = await askPath();
        if (chosen !== undefined) await vscode.workspace.getConfiguration('symposium').update('path', chosen.trim(), vscode.ConfigurationTarget.Global);
      }),
    ),
    vscode.commands.registerCommand('symposium.copyInstallHint', () =>
      attempt(async () => {
        const command = watch.health === 'missing-binary' ? INSTALL_COMMAND : commandInHint(watch.trouble?.hints[0] ?? 'sudo apt-get install tmux');
        await vscode.env.clipboard.writeText(command);
        void vscode.window.showInformationMessage(withoutLinks(t('Copied: {0}', oneLine(command))));
      }),
    ),
    // Each warning is shown once, such as a rebuilt registry or a tmux server without an answer. The focused window
    // comes first.
    watch.onWarning((text) => {
      if (warned.has(text)) return;
      warned.add(text);
      const timer = setTimeout(() => {
        timers.delete(timer);
        void warn(text);
      }, vscode.window.state.focused ? TURN_DELAY_MS.first : TURN_DELAY_MS.second);
      timers.add(timer);
    }),
    { dispose: () => { for (const timer of timers) clearTimeout(timer); } },
  );
}

/** Asks for the path of the binary, as text or in a file dialog. */
function askPath(): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = t('Where is symposium on this machine?');
  box.value = settings.place().path;
  box.placeholder = '/home/me/.cargo/bin/symposium';
  box.buttons = [{ iconPath: new vscode.ThemeIcon('folder-opened'), tooltip: t('Browse…') }];
  const check = () => { box.validationMessage = binaryMistake(box.value) ?? ''; };
  check();
  return new Promise((resolve) => {
    let chosen: string | undefined;
    let isBrowsing = false;
    const browse = async () => {
      isBrowsing = true;
      box.hide();
      const [file] = (await vscode.window.showOpenDialog({ canSelectFiles: true, title: t('Where is symposium on this machine?') })) ?? [];
      resolve(file?.fsPath);
    };
    box.onDidChangeValue(check);
    box.onDidTriggerButton(() => void browse());
    box.onDidAccept(() => {
      if (binaryMistake(box.value) !== undefined) return;
      chosen = box.value;
      box.hide();
    });
    box.onDidHide(() => {
      if (!isBrowsing) resolve(chosen);
      box.dispose();
    });
    box.show();
  });
}

function showWarning(text: string, log: vscode.LogOutputChannel): void {
  const show = t('Show Log');
  void vscode.window.showWarningMessage(withoutLinks(`Symposium: ${oneLine(text, 300)}`), show).then((chosen) => {
    if (chosen === show) log.show();
  });
}

async function report(client: Client, watch: AgentWatch): Promise<string> {
  const trouble = watch.trouble;
  const lines = trouble === undefined ? [] : [fullError(trouble), ''];
  if (watch.health === 'too-old') lines.push(t('this extension needs symposium {0} or newer', REQUIRED_VERSION), '');
  if (watch.health !== 'missing-binary') {
    const checks = await client.doctor().catch((error: unknown) => {
      lines.push(error instanceof CommandError ? fullError(error) : String(error));
      return [];
    });
    lines.push(...checks.map(line));
  }
  return `${lines.join('\n')}\n`;
}

function line(check: Check): string {
  const word = { good: 'ok  ', note: 'note', bad: 'BAD ' }[check.health];
  return `${word}  ${check.what}: ${check.saw}${check.advice === null ? '' : `\n      do: ${check.advice}`}`;
}
