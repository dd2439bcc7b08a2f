// The terminal profile "Symposium agent": a new terminal on an agent, from the drop-down of the panel.

import * as vscode from 'vscode';
import { pickAgent } from './quickAttach';
import { isAttachable } from './rules/status';
import type { Terminals } from './terminals';
import type { Watch } from './watch';
import { t } from './words';

export function terminalProfile(watch: Watch, terminals: Terminals): vscode.Disposable {
  return vscode.window.registerTerminalProfileProvider('symposium.agent', {
    async provideTerminalProfile() {
      const agent = await pickAgent(watch, { title: t('Attach to Agent'), placeholder: t('Which agent? Its terminal is shown'), wanted: isAttachable });
      if (agent === undefined) return undefined;
      // Never a second client from one window.
      const there = await terminals.find(agent, 'driver');
      if (there === undefined) return new vscode.TerminalProfile(terminals.expected(agent));
      there.show(false);
      return undefined;
    },
  });
}
