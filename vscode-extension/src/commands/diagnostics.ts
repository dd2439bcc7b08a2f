// What helps when symposium, tmux or the state directory is not there or not usable.

import * as vscode from 'vscode';
import { binaryMistake } from '../binary/binaryPath';
import { type Client, CommandError } from '../binary/client';
import type { Documents } from '../views/documents';
import { inDetail } from '../rules/notify/errorText';
import { noLinks, oneLine } from '../rules/agent/sanitize';
import { NEEDED } from '../rules/binary/version';
import { settings } from '../settings';
import { AFTER, onceSeen } from '../notify/windowVisible';
import type { TaskTree } from '../views/taskTree';
import { attempt, commandIn } from '../notify/messages';
import type { Check } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import type { Windows } from '../notify/windowClaims';
import { t } from '../l10n';

/** Installs the program from its source. */
const INSTALL = 'cargo install --path .';

export interface Helping {
  client: Client;
  watch: Watch;
  documents: Documents;
  windows: Windows;
  tasks: TaskTree;
  log: vscode.LogOutputChannel;
}

export function helping({ client, watch, documents, windows, tasks, log }: Helping): vscode.Disposable {
  const warned = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  /** By one window, and once a day: what is wrong for long stands in the view. */
  const warn = (text: string) =>
    onceSeen(() => {
      if (windows.claim(['warning', text, new Date().toDateString()].join(' '))) tellWarning(text, log);
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
        const command = watch.health === 'missing-binary' ? INSTALL : commandIn(watch.trouble?.hints[0] ?? 'sudo apt-get install tmux');
        await vscode.env.clipboard.writeText(command);
        void vscode.window.showInformationMessage(noLinks(t('Copied: {0}', oneLine(command))));
      }),
    ),
    // Said once each: a registry that was rebuilt, a tmux that does not answer. The window that is looked at comes first.
    watch.onWarning((text) => {
      if (warned.has(text)) return;
      warned.add(text);
      const timer = setTimeout(() => {
        timers.delete(timer);
        void warn(text);
      }, vscode.window.state.focused ? AFTER.first : AFTER.second);
      timers.add(timer);
    }),
    { dispose: () => { for (const timer of timers) clearTimeout(timer); } },
  );
}

/** Asks for the path of the binary: typed, or chosen in a file dialog. */
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

function tellWarning(text: string, log: vscode.LogOutputChannel): void {
  const show = t('Show Log');
  void vscode.window.showWarningMessage(noLinks(`Symposium: ${oneLine(text, 300)}`), show).then((chosen) => {
    if (chosen === show) log.show();
  });
}

async function report(client: Client, watch: Watch): Promise<string> {
  const trouble = watch.trouble;
  const lines = trouble === undefined ? [] : [inDetail(trouble), ''];
  if (watch.health === 'too-old') lines.push(t('this extension needs symposium {0} or newer', NEEDED), '');
  if (watch.health !== 'missing-binary') {
    const checks = await client.doctor().catch((error: unknown) => {
      lines.push(error instanceof CommandError ? inDetail(error) : String(error));
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
