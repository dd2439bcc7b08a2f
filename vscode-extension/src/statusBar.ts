// The one status bar item: who works, waits, is idle; a click opens the quick attach.

import * as vscode from 'vscode';
import { inWords } from './rules/broken';
import { count, countsInIcons, countsInWords } from './rules/status';
import { oneLine } from './rules/text';
import { NEEDED } from './rules/version';
import type { Watch } from './watch';
import { t } from './words';

export function statusItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('agents', vscode.StatusBarAlignment.Left, 50);
  item.name = 'Symposium';
  return item;
}

export function statusBar(watch: Watch, item: vscode.StatusBarItem): vscode.Disposable {
  const draw = () => {
    const counts = count(watch.agents);
    const ready = watch.health === 'ready';
    const words = ready ? [countsInWords(counts), inWords(watch.broken)].filter(Boolean).join('; ') : trouble(watch);
    item.text = ready ? `$(hubot) ${countsInIcons(counts)}` : watch.health === 'starting' ? '$(hubot) …' : '$(hubot) $(warning)';
    item.tooltip = `Symposium: ${words}`;
    item.accessibilityInformation = { label: `Symposium: ${words}` };
    item.command = ready ? 'symposium.attach' : 'symposium.agents.focus';
    item.backgroundColor = background(ready, counts);
  };
  draw();
  item.show();
  return vscode.Disposable.from(watch.onAgents(draw), watch.onHealth(draw));
}

function background(ready: boolean, counts: { waiting: number; crashed: number }): vscode.ThemeColor | undefined {
  if (!ready) return undefined;
  if (counts.crashed > 0) return new vscode.ThemeColor('statusBarItem.errorBackground');
  return counts.waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
}

function trouble(watch: Watch): string {
  switch (watch.health) {
    case 'missing-binary':
      return t('the program symposium was not found');
    case 'missing-tmux':
      return t('tmux is not installed');
    case 'too-old':
      return t('{0} is too old: this extension needs symposium {1} or newer', oneLine(watch.trouble?.message ?? '', 60), NEEDED);
    case 'starting':
      return t('looking for agents');
    default:
      return oneLine(watch.trouble?.message ?? t('it does not answer'), 200);
  }
}
