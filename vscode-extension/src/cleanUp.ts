// Agents whose folder is gone, deleted here or elsewhere: their removal is offered, once.

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Client } from './client';
import { folders } from './folders';
import { real } from './paths';
import { removeAgent } from './removing';
import { homeless } from './rules/homeless';
import { isHere, isWithin } from './rules/place';
import { noLinks, oneLine } from './rules/text';
import { attempt } from './tell';
import type { Agent } from './types';
import type { Watch } from './watch';
import { t } from './words';

const KEY = 'symposium.homeless';

export function offerCleanUp(client: Client, watch: Watch, memory: vscode.Memento): vscode.Disposable {
  const offer = async (agents: readonly Agent[]) => {
    if (agents.length === 0) return;
    const known = new Set(watch.agents.map(({ id }) => id));
    const asked = [...(memory.get<string[]>(KEY) ?? []).filter((id) => known.has(id)), ...agents.map(({ id }) => id)];
    await memory.update(KEY, asked);
    const names = oneLine(agents.map(({ name }) => name).join(', '));
    const remove = t('Remove');
    if ((await vscode.window.showInformationMessage(noLinks(t('The folder of these agents is gone: {0}', names)), remove)) !== remove) return;
    await attempt(async () => {
      for (const agent of agents) await removeAgent(client, watch, agent);
    });
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidDeleteFiles(({ files }) => {
      const gone = files.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => real(fsPath));
      void offer(watch.agents.filter((agent) => gone.some((path) => isWithin(agent.working_directory, path))));
    }),
    watch.onAgents(({ after }) => {
      const here = folders();
      const vanished = here.filter((path) => !existsSync(path));
      // Where the folder was open, or else where the person is.
      const ours = after.filter((agent) => vscode.window.state.focused || isHere(agent, here));
      void offer(homeless(ours, vanished, memory.get<string[]>(KEY) ?? []));
    }),
  );
}
