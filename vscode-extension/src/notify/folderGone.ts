// Offers once to remove agents whose folder was deleted.

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { openFolders } from '../workspaceFolders';
import { realPath } from '../realPath';
import { removeAgents } from '../commands/remove';
import { GONE_FOR_MS, FolderGoneTimer, agentsWithoutFolder, currentOf } from '../rules/notify/folderGone';
import { isHere, isWithin } from '../rules/agent/inWorkspace';
import { withoutLinks, oneLine } from '../rules/agent/sanitize';
import { TURN_DELAY_MS, whenWindowAnswers } from './windowVisible';
import { attempt } from './messages';
import type { Agent } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import type { WindowClaims } from './windowClaims';
import { t } from '../l10n';

const KEY = 'symposium.folderGone';

/** A timer may fire a millisecond early. */
const TIMER_SLACK_MS = 50;

export function offerRemoval(client: Client, watch: AgentWatch, windows: WindowClaims, memory: vscode.Memento): vscode.Disposable {
  const settling = new FolderGoneTimer();
  const deleted = new Set<string>();
  /** Agents that this window has already handled, whether it asked or not. */
  const handled = new Set<string>();
  const turns = new Set<NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  const hasAgentIn = (path: string) => watch.agents.some((agent) => isWithin(agent.working_directory, path));
  const askedAbout = () => [...(memory.get<string[]>(KEY) ?? []), ...handled];

  const ask = async (agents: readonly Agent[]) => {
    if (agents.length === 0) return;
    const known = new Set(watch.agents.map(({ id }) => id));
    await memory.update(KEY, [...new Set([...askedAbout(), ...agents.map(({ id }) => id)])].filter((id) => known.has(id)));
    const names = oneLine(agents.map(({ name }) => name).join(', '));
    const remove = t('Remove');
    if ((await vscode.window.showInformationMessage(withoutLinks(t('The folder of these agents was deleted: {0}', names)), remove)) !== remove) return;
    // The message may have been open for hours.
    await watch.refresh();
    const left = currentOf(agents, watch.agents);
    if (left.length > 0) await attempt(() => removeAgents(client, watch, left));
  };

  /** Lets one window ask: the focused one if there is one. */
  const offer = (agents: readonly Agent[]) => {
    if (agents.length === 0) return;
    for (const { id } of agents) handled.add(id);
    const turn = setTimeout(() => {
      turns.delete(turn);
      void whenWindowAnswers(() => void ask(currentOf(agents, watch.agents).filter(({ id }) => windows.claim(`folder gone ${id}`))));
    }, vscode.window.state.focused ? TURN_DELAY_MS.first : TURN_DELAY_MS.second);
    turns.add(turn);
  };

  const findAgents = (): Agent[] => {
    const here = openFolders();
    const before = askedAbout();
    for (const path of deleted) if (existsSync(path) || !hasAgentIn(path)) deleted.delete(path);
    const deletedFolders = here.filter((path) => !existsSync(path));
    // Agents of the deleted folder, or of all folders if this window has the focus.
    const candidates = watch.agents.filter((agent) => vscode.window.state.focused || isHere(agent, here));
    const marked = agentsWithoutFolder(candidates, deletedFolders, before);
    const wasDeletedHere = (agent: Agent) => !before.includes(agent.id) && [...deleted].some((path) => isWithin(agent.working_directory, path));
    return watch.agents.filter((agent) => marked.includes(agent) || wasDeletedHere(agent));
  };

  const check = () => {
    const agents = findAgents();
    const settled = settling.due(agents, Date.now());
    offer(settled);
    clearTimeout(timer);
    // No further list may arrive for a long time.
    timer = agents.length > settled.length ? setTimeout(check, GONE_FOR_MS + TIMER_SLACK_MS) : undefined;
  };

  return vscode.Disposable.from(
    vscode.workspace.onDidDeleteFiles(({ files }) => {
      const gone = files.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => realPath(fsPath));
      for (const path of gone.filter(hasAgentIn)) deleted.add(path);
      check();
    }),
    watch.onAgents(check),
    { dispose: () => { for (const each of [timer, ...turns]) clearTimeout(each); } },
  );
}
