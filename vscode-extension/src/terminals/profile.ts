// The terminal profile "Symposium agent": a new terminal on an agent, from the drop-down of the panel.

import * as vscode from 'vscode';
import { pickAgent } from '../views/agentPicker';
import { isAttachable } from '../rules/agent/status';
import { tellError } from '../notify/messages';
import type { Terminals } from './terminals';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

/** VS Code takes no profile for a mistake and tells what was thrown; of a failure without words it tells nothing. */
const nothingToOpen = () => new Error('');

export function terminalProfile(watch: Watch, terminals: Terminals): vscode.Disposable {
  return vscode.window.registerTerminalProfileProvider('symposium.agent', {
    async provideTerminalProfile() {
      const agent = await pickAgent(watch, { title: t('Attach to Agent'), placeholder: t('Which agent? Its terminal is shown'), wanted: isAttachable });
      const options = agent === undefined ? undefined : await terminals.expected(agent).catch((error: unknown) => void tellError(error));
      if (options === undefined) throw nothingToOpen();
      return new vscode.TerminalProfile(options);
    },
  });
}
