// Agents whose folder is gone, deleted here or elsewhere: their removal is offered, once.

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { folders } from '../workspaceFolders';
import { real } from '../realPath';
import { removeAgents } from '../commands/remove';
import { SETTLED, Settling, homeless, stillThere } from '../rules/notify/folderGone';
import { isHere, isWithin } from '../rules/agent/inWorkspace';
import { noLinks, oneLine } from '../rules/agent/sanitize';
import { AFTER, onceSeen } from './windowVisible';
import { attempt } from './messages';
import type { Agent } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import type { Windows } from './windowClaims';
import { t } from '../l10n';

const KEY = 'symposium.homeless';

/** A timer may be a millisecond early by the clock. */
const LATER = 50;

export function offerCleanUp(client: Client, watch: Watch, windows: Windows, memory: vscode.Memento): vscode.Disposable {
  const settling = new Settling();
  const deleted = new Set<string>();
  /** Those that this window has had its turn of, whether it was the one to ask or not. */
  const mine = new Set<string>();
  const turns = new Set<NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  const worksIn = (path: string) => watch.agents.some((agent) => isWithin(agent.working_directory, path));
  const asked = () => [...(memory.get<string[]>(KEY) ?? []), ...mine];

  const ask = async (agents: readonly Agent[]) => {
    if (agents.length === 0) return;
    const known = new Set(watch.agents.map(({ id }) => id));
    await memory.update(KEY, [...new Set([...asked(), ...agents.map(({ id }) => id)])].filter((id) => known.has(id)));
    const names = oneLine(agents.map(({ name }) => name).join(', '));
    const remove = t('Remove');
    if ((await vscode.window.showInformationMessage(noLinks(t('The folder of these agents is gone: {0}', names)), remove)) !== remove) return;
    // The offer may have stood there for hours.
    await watch.look();
    const left = stillThere(agents, watch.agents);
    if (left.length > 0) await attempt(() => removeAgents(client, watch, left));
  };

  /** Each is asked about by one window: by the one that is looked at, else by any. */
  const offer = (agents: readonly Agent[]) => {
    if (agents.length === 0) return;
    for (const { id } of agents) mine.add(id);
    const turn = setTimeout(() => {
      turns.delete(turn);
      void onceSeen(() => void ask(stillThere(agents, watch.agents).filter(({ id }) => windows.claim(`homeless ${id}`))));
    }, vscode.window.state.focused ? AFTER.first : AFTER.second);
    turns.add(turn);
  };

  const without = (): Agent[] => {
    const here = folders();
    const before = asked();
    for (const path of deleted) if (existsSync(path) || !worksIn(path)) deleted.delete(path);
    const vanished = here.filter((path) => !existsSync(path));
    // Where the folder was open or deleted, or else where the person is.
    const ours = watch.agents.filter((agent) => vscode.window.state.focused || isHere(agent, here));
    const marked = homeless(ours, vanished, before);
    const byHand = (agent: Agent) => !before.includes(agent.id) && [...deleted].some((path) => isWithin(agent.working_directory, path));
    return watch.agents.filter((agent) => marked.includes(agent) || byHand(agent));
  };

  const check = () => {
    const agents = without();
    const settled = settling.settled(agents, Date.now());
    offer(settled);
    clearTimeout(timer);
    // One list may be the last for long.
    timer = agents.length > settled.length ? setTimeout(check, SETTLED + LATER) : undefined;
  };

  return vscode.Disposable.from(
    vscode.workspace.onDidDeleteFiles(({ files }) => {
      const gone = files.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => real(fsPath));
      for (const path of gone.filter(worksIn)) deleted.add(path);
      check();
    }),
    watch.onAgents(check),
    { dispose: () => { for (const each of [timer, ...turns]) clearTimeout(each); } },
  );
}
