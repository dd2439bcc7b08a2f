// The one status bar item: who works, waits, is idle or lost; a click opens the quick attach.

import * as vscode from 'vscode';
import { inWords } from '../rules/binary/unreadable';
import { troubleInWords } from '../rules/binary/health';
import { waitingLongest } from '../rules/views/nextWaiting';
import { type Counts, alarm, count, countsInIcons, countsInWords, statusWord } from '../rules/agent/status';
import { oneLine } from '../rules/agent/sanitize';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

/** The hover names at most this many waiting agents. */
const MOST_NAMED = 10;

export function statusItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('agents', vscode.StatusBarAlignment.Left, 50);
  item.name = 'Symposium';
  return item;
}

export function statusBar(watch: Watch, item: vscode.StatusBarItem): vscode.Disposable {
  const draw = () => {
    const counts = count(watch.agents);
    const ready = watch.health === 'ready';
    const words = ready ? [countsInWords(counts), inWords(watch.broken)].filter(Boolean).join('; ') : troubleInWords(watch.health, watch.trouble?.message);
    item.text = ready ? `$(hubot) ${countsInIcons(counts)}` : watch.health === 'starting' ? '$(hubot) …' : '$(hubot) $(warning)';
    const waiting = waitingLongest(watch.agents).slice(0, MOST_NAMED).map((agent) => `${oneLine(agent.name)}: ${statusWord(agent)}`);
    item.tooltip = [`Symposium: ${words}`, ...(ready ? waiting : []), ready && counts.lost > 0 ? t('Lost with their tmux; the command "Restore Lost Agents" brings them back') : ''].filter(Boolean).join('\n');
    item.accessibilityInformation = { label: `Symposium: ${words}` };
    item.command = ready ? 'symposium.attach' : 'symposium.agents.focus';
    item.backgroundColor = ready ? background(counts) : undefined;
  };
  draw();
  item.show();
  return vscode.Disposable.from(watch.onAgents(draw), watch.onHealth(draw));
}

function background(counts: Counts): vscode.ThemeColor | undefined {
  const loud = alarm(counts);
  return loud === undefined ? undefined : new vscode.ThemeColor(`statusBarItem.${loud}Background`);
}
