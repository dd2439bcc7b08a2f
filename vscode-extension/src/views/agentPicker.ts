// The quick pick of agents. Agents of this window come first, and the list is updated while it is open.

import * as vscode from 'vscode';
import { openFolders } from '../workspaceFolders';
import { byUrgency } from '../rules/views/agentGroups';
import { noAgentMessage } from '../rules/binary/health';
import { pickActions, pickEntry } from '../rules/views/labels';
import { type Selection, nextSelection } from '../rules/views/keepSelection';
import { isHere } from '../rules/agent/inWorkspace';
import { iconOf } from '../rules/agent/status';
import { showMessage, reportTrouble } from '../notify/messages';
import type { Agent } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

interface Entry extends vscode.QuickPickItem {
  agent?: Agent;
}

interface Action extends vscode.QuickInputButton {
  command: string;
}

export interface PickOptions {
  title: string;
  placeholder: string;
  wanted?: (agent: Agent) => boolean;
  /** The message when there are agents, and none of them qualifies. */
  none?: string;
  /** Whether each entry has buttons for observe, peek and stop. */
  actions?: 'actions' | 'none';
}

/** Lets the user choose an agent. Returns undefined without a choice. Reports why if there is no agent to choose from. */
export function pickAgent(watch: AgentWatch, asking: PickOptions): Promise<Agent | undefined> {
  if (reportNoAgent(watch, asking)) return Promise.resolve(undefined);
  const pick = vscode.window.createQuickPick<Entry>();
  const { title, placeholder, wanted = () => true, actions = 'none' } = asking;
  pick.title = title;
  pick.placeholder = placeholder;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  const buttons = actions === 'actions' ? actionButtons() : undefined;
  pick.keepScrollPosition = true;
  let selection: Selection = 'first';
  const fill = () => {
    pick.busy = watch.health === 'starting';
    const agents = watch.agents.filter(wanted);
    selection = nextSelection(selection, pick.activeItems[0]?.agent?.id, agents.map(({ id }) => id));
    pick.items = entries(agents, buttons);
    if (selection === 'first') return;
    const id = selection === 'none' ? undefined : selection.id;
    pick.activeItems = pick.items.filter(({ agent }) => agent !== undefined && agent.id === id);
  };
  fill();
  return new Promise((resolve) => {
    let chosen: Agent | undefined;
    const end = () => {
      for (const part of parts) part.dispose();
      pick.dispose();
      resolve(chosen);
    };
    const change = () => {
      if (reportNoAgent(watch, asking)) end();
      else fill();
    };
    const parts = [
      watch.onAgents(change),
      watch.onHealth(change),
      pick.onDidAccept(() => {
        chosen = pick.selectedItems[0]?.agent;
        if (chosen !== undefined) pick.hide();
      }),
      pick.onDidTriggerItemButton(({ item, button }) => {
        pick.hide();
        if (item.agent !== undefined) void vscode.commands.executeCommand((button as Action).command, item.agent);
      }),
      pick.onDidHide(end),
    ];
    pick.show();
  });
}

/** Reports that there is no agent to choose from, and returns whether that is so. */
function reportNoAgent(watch: AgentWatch, { wanted = () => true, none }: PickOptions): boolean {
  if (reportTrouble(watch)) return true;
  if (watch.health === 'starting' || watch.agents.some(wanted)) return false;
  showMessage(noAgentMessage(watch.agents.length, none));
  return true;
}

type Buttons = Record<ReturnType<typeof pickActions>[number], Action>;

const actionButtons = (): Buttons => ({
  observe: { iconPath: new vscode.ThemeIcon('eye'), tooltip: t('Observe'), command: 'symposium.observe' },
  peek: { iconPath: new vscode.ThemeIcon('open-preview'), tooltip: t('Peek'), command: 'symposium.peek' },
  stop: { iconPath: new vscode.ThemeIcon('debug-stop'), tooltip: t('Stop'), command: 'symposium.stop' },
});

function entries(agents: readonly Agent[], buttons?: Buttons): Entry[] {
  const here = openFolders();
  const entry = (agent: Agent): Entry => {
    const look = iconOf(agent);
    const color = look.color === undefined ? undefined : new vscode.ThemeColor(look.color);
    const offered = buttons === undefined ? [] : pickActions(agent).map((name) => buttons[name]);
    return { ...pickEntry(agent, Date.now()), iconPath: new vscode.ThemeIcon(look.icon, color), buttons: offered, agent };
  };
  const now = Date.now();
  const sorted = [...agents].sort((a, b) => byUrgency(a, b, now));
  const inWindow = sorted.filter((agent) => isHere(agent, here));
  const others = sorted.filter((agent) => !isHere(agent, here));
  const part = (label: string, list: Agent[]): Entry[] =>
    list.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...list.map(entry)];
  return [...part(t('this window'), inWindow), ...part(t('elsewhere'), others)];
}
