// The terminal profile "Symposium agent" in the drop-down of the panel.

import * as vscode from 'vscode';
import { pickAgent } from '../views/agentPicker';
import { isAttachable } from '../rules/agent/status';
import { showError } from '../notify/messages';
import type { Terminals } from './terminals';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

/** VS Code reports an undefined profile as an error, and shows the message of an exception. An empty message shows
 *  nothing. */
const nothingToOpen = () => new Error('');

export function terminalProfile(watch: AgentWatch, terminals: Terminals): vscode.Disposable {
  return vscode.window.registerTerminalProfileProvider('symposium.agent', {
    async provideTerminalProfile() {
      const agent = await pickAgent(watch, { title: t('Attach to Agent'), placeholder: t('Which agent? Its terminal is shown'), wanted: isAttachable });
      const options = agent === undefined ? undefined : await terminals.optionsForNew(agent).catch((error: unknown) => void showError(error));
      if (options === undefined) throw nothingToOpen();
      return new vscode.TerminalProfile(options);
    },
  });
}
