// Offers to attach again to agents whose terminals ended with the server of VS Code, which does not restore them.

import * as vscode from 'vscode';
import { noLinks, oneLine } from '../rules/agent/sanitize';
import { attempt } from '../notify/messages';
import type { Terminals } from './terminals';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

/** VS Code 1.139 was seen to restore terminals 12 seconds after its start; what it restores needs no offer. In milliseconds. */
const RESTORED_AFTER = 15_000;

export function reattaching(watch: Watch, terminals: Terminals): vscode.Disposable {
  const offer = async () => {
    const lost = await terminals.takeLost();
    if (lost.length === 0) return;
    const names = oneLine(lost.map(({ agent }) => agent.name).join(', '));
    const reattach = t('Reattach');
    const text = lost.length === 1 ? t('The terminal of {0} was open here. Attach again?', names) : t('{0} terminals were open here: {1}. Attach again?', lost.length, names);
    if ((await vscode.window.showInformationMessage(noLinks(text), reattach)) !== reattach) return;
    for (const { agent, as } of lost) await attempt(async () => terminals.show(watch.present(agent), as));
  };
  const timer = setTimeout(() => {
    if (watch.health === 'ready') void offer();
  }, RESTORED_AFTER);
  return new vscode.Disposable(() => { clearTimeout(timer); });
}
