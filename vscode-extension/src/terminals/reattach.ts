// Offers to reattach terminals that ended with the server of VS Code, which does not restore them.

import * as vscode from 'vscode';
import { withoutLinks, oneLine } from '../rules/agent/sanitize';
import { attempt } from '../notify/messages';
import type { Terminals } from './terminals';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

/** VS Code 1.139 was seen to restore terminals 12 seconds after its start. */
const RESTORED_AFTER_MS = 15_000;

export function offerReattach(watch: AgentWatch, terminals: Terminals): vscode.Disposable {
  const offer = async () => {
    const lost = await terminals.takeLost();
    if (lost.length === 0) return;
    const names = oneLine(lost.map(({ agent }) => agent.name).join(', '));
    const reattach = t('Reattach');
    const text = lost.length === 1 ? t('The terminal of {0} was open here. Reattach it?', names) : t('{0} terminals were open here: {1}. Reattach them?', lost.length, names);
    if ((await vscode.window.showInformationMessage(withoutLinks(text), reattach)) !== reattach) return;
    for (const { agent, as } of lost) await attempt(async () => terminals.show(watch.current(agent), as));
  };
  const timer = setTimeout(() => {
    if (watch.health === 'ready') void offer();
  }, RESTORED_AFTER_MS);
  return new vscode.Disposable(() => { clearTimeout(timer); });
}
