// The agents view. It is redrawn after a change and once a minute for the ages; rules/views/agentGroups decides the
// rows.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { openFolders } from '../workspaceFolders';
import type { Mutes } from '../notify/mutes';
import { unreadableText } from '../rules/binary/unreadable';
import { FILTERS, type Filter, filterName, applyFilter, isFilter } from '../rules/views/agentFilter';
import { type AgentNode, NEEDS_YOU, NO_PROJECT, type ProjectNode, flatten, groupAgents, updateTree, rowId, waitingBelow } from '../rules/views/agentGroups';
import { contextValue, description, needsYouBelow, accessibleLabel, sharedUsers } from '../rules/views/labels';
import { activeShares } from '../rules/views/shares';
import { folderName } from '../rules/agent/inWorkspace';
import { ProjectRedraw } from '../rules/views/projectRedraw';
import { tooltip } from '../rules/views/recapDocument';
import type { RedrawGate } from '../rules/views/redrawGate';
import { count, iconOf } from '../rules/agent/status';
import { withoutLinks, oneLine } from '../rules/agent/sanitize';
import { attempt } from '../notify/messages';
import type { Agent } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import type { WorkWatch } from '../binary/workWatch';
import { shownWork } from '../rules/views/workText';
import { t } from '../l10n';

export type Node = ProjectNode | AgentNode;

/** The command that VS Code runs for a click on a row. */
export const ROW_CLICKED = 'symposium.rowClicked';

const FILTER_KEY = 'symposium.filter';

/** The interval at which ages are redrawn. */
const AGE_INTERVAL_MS = 60_000;

/** The parts that the view depends on. */
export interface AgentTreeParts {
  watch: AgentWatch;
  client: Client;
  mutes: Mutes;
  memory: vscode.Memento;
  redraws: RedrawGate<Node>;
  work: WorkWatch;
}

export class AgentTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node[] | undefined>();
  private roots: ProjectNode[] = [];
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly parts: vscode.Disposable[];
  private readonly projectRedraw = new ProjectRedraw(() => {
    if (this.roots.length > 0) this.redraws.request(this.roots);
  });

  /** The agents whose rows are selected. */
  get selected(): Agent[] {
    return [...new Map(this.view.selection.flatMap((node) => (node.type === 'agent' ? [[node.agent.id, node.agent]] : []))).values()];
  }

  private get filter(): Filter {
    const kept = this.memory.get<unknown>(FILTER_KEY);
    return isFilter(kept) ? kept : 'all';
  }

  private readonly watch: AgentWatch;
  private readonly client: Client;
  private readonly mutes: Mutes;
  private readonly memory: vscode.Memento;
  private readonly redraws: RedrawGate<Node>;
  private readonly work: WorkWatch;

  constructor({ watch, client, mutes, memory, redraws, work }: AgentTreeParts) {
    [this.watch, this.client, this.mutes, this.memory, this.redraws, this.work] = [watch, client, mutes, memory, redraws, work];
    redraws.onRedraw((rows) => { this.changed.fire(rows); });
    this.view = vscode.window.createTreeView<Node>('symposium.agents', { treeDataProvider: this, showCollapseAll: true, canSelectMany: true });
    const draw = () => {
      this.draw();
    };
    const ages = setInterval(() => {
      if (!this.view.visible) return;
      // Agents that ended a while ago move to their final place here.
      this.draw();
      redraws.request(this.roots);
    }, AGE_INTERVAL_MS);
    this.showFilter();
    const showWork = () => { work.setVisible(this.view.visible ? 'visible' : 'hidden'); };
    showWork();
    this.parts = [
      this.view,
      this.changed,
      ...['symposium.filter', 'symposium.filterOn'].map((id) => vscode.commands.registerCommand(id, () => attempt(() => this.chooseFilter()))),
      watch.onAgents(draw),
      watch.onHealth(draw),
      mutes.onChange(() => { redraws.request(this.roots); }),
      work.onChange((ids) => {
        const rows = this.roots.flatMap(({ children }) => flatten(children)).filter(({ agent }) => ids.has(agent.id));
        if (rows.length > 0) redraws.request(rows);
      }),
      this.view.onDidChangeVisibility(showWork),
      vscode.workspace.onDidChangeWorkspaceFolders(draw),
      { dispose: () => { clearInterval(ages); } },
      this.projectRedraw,
    ];
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) this.projectRedraw.projectsRequested();
    if (node?.type === 'project') this.projectRedraw.rowsRequested();
    return node === undefined ? this.roots : node.children;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.type === 'project' ? projectItem(node) : this.agentItem(node);
  }

  /** Loads the recap and the shares for a hover. If they cannot be read, the hover shows the rest. */
  async resolveTreeItem(item: vscode.TreeItem, node: Node): Promise<vscode.TreeItem> {
    if (node.type === 'project') return item;
    const { name } = node.agent;
    const orNone = <T>(promise: Promise<T>): Promise<T | undefined> => promise.catch(() => undefined);
    const [recap, shares] = await Promise.all([orNone(this.client.recap(name)), orNone(this.client.shares(name))]);
    // Neither trusted nor HTML, because it contains text from agents.
    item.tooltip = new vscode.MarkdownString(tooltip(node.agent, { recap, shares, work: shownWork(node.agent, this.work.works) }, Date.now()));
    return item;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private async chooseFilter(): Promise<void> {
    const items = FILTERS.map((filter) => ({ label: filterName(filter), description: filter === this.filter ? t('current') : '', filter }));
    const chosen = await vscode.window.showQuickPick(items, { title: t('Filter Agents'), placeHolder: t('Which agents should the view show?') });
    if (chosen === undefined) return;
    await this.memory.update(FILTER_KEY, chosen.filter);
    this.showFilter();
    this.draw();
  }

  private showFilter(): void {
    this.view.description = this.filter === 'all' ? '' : filterName(this.filter);
    void vscode.commands.executeCommand('setContext', 'symposium.filtered', this.filter !== 'all');
  }

  /** Reports unreadable agents, or that the filter hides all agents. */
  private message(shown: number): string {
    // The welcome view of an empty view describes the problem.
    if (this.watch.health !== 'ready') return '';
    const hidden = this.watch.agents.length - shown;
    const byFilter = shown === 0 && hidden > 0 ? t('The filter "{0}" hides {1} agents.', filterName(this.filter), hidden) : '';
    return [withoutLinks(unreadableText(this.watch.allUnreadable)), byFilter].filter(Boolean).join(' ');
  }

  private draw(): void {
    const { waiting } = count(this.watch.agents);
    this.view.badge = waiting > 0 ? { value: waiting, tooltip: t('{0} waiting', waiting) } : undefined;
    const here = openFolders();
    const agents = this.watch.health === 'ready' ? applyFilter(this.watch.agents, this.filter, here) : [];
    this.view.message = this.message(agents.length);
    const fresh = groupAgents(agents, here, Date.now());
    // VS Code forgets all rows while it redraws the whole tree, and a click at that moment loses its row. So only
    // changed rows are redrawn as long as the projects stay the same.
    const differing = updateTree(this.roots, fresh);
    if (differing === undefined) this.roots = fresh;
    if (differing === undefined || differing.length > 0) this.redraws.request(differing);
  }

  private agentItem(node: AgentNode): vscode.TreeItem {
    const { agent, children } = node;
    const state = children.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(oneLine(agent.name), state);
    const look = iconOf(agent);
    const muted = this.mutes.has(agent);
    const sharedWith = sharedUsers(agent, activeShares(agent, Date.now()));
    item.id = rowId(node);
    const project = node.copyIn === undefined ? undefined : folderName(agent.project ?? agent.working_directory);
    const work = shownWork(agent, this.work.works);
    const marks = { below: waitingBelow(node), muted, sharedWith, isOpen: node.isOpen, ...(project === undefined ? {} : { project }), ...(work === undefined ? {} : { work }) };
    item.description = description(agent, Date.now(), marks);
    item.iconPath = new vscode.ThemeIcon(look.icon, look.color === undefined ? undefined : new vscode.ThemeColor(look.color));
    item.contextValue = contextValue(agent, marks);
    item.accessibilityInformation = { label: accessibleLabel(agent, marks) };
    item.command = { command: ROW_CLICKED, title: '', arguments: [agent.id] };
    return item;
  }
}

function projectItem(node: ProjectNode): vscode.TreeItem {
  return node.path === NEEDS_YOU ? needsYouItem(node) : folderItem(node);
}

function needsYouItem({ children }: ProjectNode): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Needs you'), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `project:${NEEDS_YOU}`;
  item.description = String(children.length);
  item.iconPath = new vscode.ThemeIcon('bell-dot', new vscode.ThemeColor('charts.yellow'));
  item.contextValue = 'needs-you';
  item.tooltip = t('Agents of all projects that wait for an answer');
  return item;
}

function folderItem(node: ProjectNode): vscode.TreeItem {
  const isProject = node.path !== NO_PROJECT;
  const label = isProject ? oneLine(folderName(node.path)) : t('no project');
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `project:${node.path}`;
  const place = node.here ? t('this window') : isProject ? oneLine(node.path) : t('each in its own folder');
  const waiting = waitingBelow(node);
  const marks = waiting === 0 ? [] : [needsYouBelow(waiting)];
  item.description = [...marks, place].join(' · ');
  item.iconPath = new vscode.ThemeIcon(node.here ? 'root-folder-opened' : 'root-folder');
  item.contextValue = 'project';
  // Screen readers read the tooltip too.
  item.tooltip = [...(isProject ? [oneLine(node.path, 500)] : [label, place]), ...marks].join(', ');
  return item;
}
