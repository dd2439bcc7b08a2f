// The status bar item, which counts agents by status. A click opens the agent picker.

import * as vscode from 'vscode';
import { unreadableText } from '../rules/binary/unreadable';
import { problemText } from '../rules/binary/health';
import { waitingLongest } from '../rules/views/nextWaiting';
import { type Counts, severity, count, countsIcons, countsText, statusWord } from '../rules/agent/status';
import { oneLine } from '../rules/agent/sanitize';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

/** The hover names at most this many waiting agents. */
const MAX_NAMED = 10;

export function statusItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('agents', vscode.StatusBarAlignment.Left, 50);
  item.name = 'Symposium';
  return item;
}

export function statusBar(watch: AgentWatch, item: vscode.StatusBarItem): vscode.Disposable {
  const draw = () => {
    const counts = count(watch.agents);
    const ready = watch.health === 'ready';
    const words = ready ? [countsText(counts), unreadableText(watch.allUnreadable)].filter(Boolean).join('; ') : problemText(watch.health, watch.trouble?.message);
    item.text = `$(symposium-logo) ${ready ? countsIcons(counts) : watch.health === 'starting' ? '…' : '$(warning)'}`;
    const waiting = waitingLongest(watch.agents).slice(0, MAX_NAMED).map((agent) => `${oneLine(agent.name)}: ${statusWord(agent)}`);
    item.tooltip = [`Symposium: ${words}`, ...(ready ? waiting : []), ready && counts.lost > 0 ? t('Their tmux server has ended. The command "Restore Lost Agents" restarts them') : ''].filter(Boolean).join('\n');
    item.accessibilityInformation = { label: `Symposium: ${words}` };
    item.command = ready ? 'symposium.attach' : 'symposium.agents.focus';
    item.backgroundColor = ready ? background(counts) : undefined;
  };
  draw();
  item.show();
  return vscode.Disposable.from(watch.onAgents(draw), watch.onHealth(draw));
}

function background(counts: Counts): vscode.ThemeColor | undefined {
  const loud = severity(counts);
  return loud === undefined ? undefined : new vscode.ThemeColor(`statusBarItem.${loud}Background`);
}
