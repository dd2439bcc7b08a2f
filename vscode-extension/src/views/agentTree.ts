// The agents view: draws what rules/group says. It is drawn anew when something in it changed, and once a minute for ages.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { folders } from '../workspaceFolders';
import type { Mutes } from '../notify/mutes';
import { inWords } from '../rules/binary/unreadable';
import { FILTERS, type Filter, filterName, filtered, isFilter } from '../rules/views/agentFilter';
import { type AgentNode, NEEDS_YOU, NO_PROJECT, type ProjectNode, group, renew, rowId, waitingBelow } from '../rules/views/agentGroups';
import { contextValue, description, needingBelow, spoken } from '../rules/views/labels';
import { folderName } from '../rules/agent/inWorkspace';
import { tooltip } from '../rules/views/recapDocument';
import { count, lookOf } from '../rules/agent/status';
import { noLinks, oneLine } from '../rules/agent/sanitize';
import { attempt } from '../notify/messages';
import type { Agent } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

export type Node = ProjectNode | AgentNode;

/** The command that VS Code runs for a click on a row. */
export const ROW_CLICKED = 'symposium.rowClicked';

const FILTER_KEY = 'symposium.filter';

/** How often ages are counted anew. */
const AGES = 60_000;

/** Longer than VS Code takes to ask for what is below rows that it has just got. */
const ASKED_BY = 1_500;

export class AgentTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node[] | undefined>();
  private roots: ProjectNode[] = [];
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly parts: vscode.Disposable[];
  private again: NodeJS.Timeout | undefined;

  /** The agents whose rows are selected. */
  get selected(): Agent[] {
    return [...new Map(this.view.selection.flatMap((node) => (node.type === 'agent' ? [[node.agent.id, node.agent]] : []))).values()];
  }

  private get filter(): Filter {
    const kept = this.memory.get<unknown>(FILTER_KEY);
    return isFilter(kept) ? kept : 'all';
  }

  constructor(
    private readonly watch: Watch,
    private readonly client: Client,
    private readonly mutes: Mutes,
    private readonly memory: vscode.Memento,
  ) {
    this.view = vscode.window.createTreeView<Node>('symposium.agents', { treeDataProvider: this, showCollapseAll: true, canSelectMany: true });
    const draw = () => {
      this.draw();
    };
    const ages = setInterval(() => {
      if (!this.view.visible) return;
      // Agents that ended a while ago move to their place now.
      this.draw();
      this.changed.fire(this.roots);
    }, AGES);
    this.showFilter();
    this.parts = [
      this.view,
      this.changed,
      ...['symposium.filter', 'symposium.filterOn'].map((id) => vscode.commands.registerCommand(id, () => attempt(() => this.chooseFilter()))),
      watch.onAgents(draw),
      watch.onHealth(draw),
      mutes.onChange(() => { this.changed.fire(this.roots); }),
      vscode.workspace.onDidChangeWorkspaceFolders(draw),
      { dispose: () => { clearInterval(ages); } },
      { dispose: () => { clearTimeout(this.again); } },
    ];
  }

  getChildren(node?: Node): Node[] {
    if (node !== undefined) return node.children;
    this.belowAgain();
    return this.roots;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.type === 'project' ? projectItem(node) : this.agentItem(node);
  }

  /** A hover asks for the recap and with whom it is shared; without those the rest is told. */
  async resolveTreeItem(item: vscode.TreeItem, node: Node): Promise<vscode.TreeItem> {
    if (node.type === 'project') return item;
    const { name } = node.agent;
    const orNone = <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);
    const [recap, shares] = await Promise.all([orNone(this.client.recap(name)), orNone(this.client.shares(name))]);
    // Neither trusted nor HTML: what is in it was said by agents.
    item.tooltip = new vscode.MarkdownString(tooltip(node.agent, { recap, shares }, Date.now()));
    return item;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  /** Has what is below the projects asked for once more. VS Code asks for several rows together, and 1.100 was seen to take
   *  nothing for the answer when rows within them were asked for meanwhile, as it does at its start: a project stayed empty
   *  until its ages were counted. That draws the projects and not the whole tree, so it does not come back here. */
  private belowAgain(): void {
    this.again ??= setTimeout(() => {
      this.again = undefined;
      if (this.roots.length > 0) this.changed.fire(this.roots);
    }, ASKED_BY);
  }

  private async chooseFilter(): Promise<void> {
    const items = FILTERS.map((filter) => ({ label: filterName(filter), description: filter === this.filter ? t('shown now') : '', filter }));
    const chosen = await vscode.window.showQuickPick(items, { title: t('Filter Agents'), placeHolder: t('Which agents does the view show?') });
    if (chosen === undefined) return;
    await this.memory.update(FILTER_KEY, chosen.filter);
    this.showFilter();
    this.draw();
  }

  private showFilter(): void {
    this.view.description = this.filter === 'all' ? '' : filterName(this.filter);
    void vscode.commands.executeCommand('setContext', 'symposium.filtered', this.filter !== 'all');
  }

  /** Says what is broken, or that the filter hides all agents. */
  private message(shown: number): string {
    // An empty view tells what is wrong by itself.
    if (this.watch.health !== 'ready') return '';
    const hidden = this.watch.agents.length - shown;
    const byFilter = shown === 0 && hidden > 0 ? t('The filter "{0}" hides {1} agents.', filterName(this.filter), hidden) : '';
    return [noLinks(inWords(this.watch.broken)), byFilter].filter(Boolean).join(' ');
  }

  private draw(): void {
    const { waiting } = count(this.watch.agents);
    this.view.badge = waiting > 0 ? { value: waiting, tooltip: t('{0} waiting', waiting) } : undefined;
    const here = folders();
    const agents = this.watch.health === 'ready' ? filtered(this.watch.agents, this.filter, here) : [];
    this.view.message = this.message(agents.length);
    const fresh = group(agents, here, Date.now());
    // VS Code forgets all rows while the whole tree is drawn anew, and a click that comes just then has lost its row.
    // So as long as there are the same projects, only what differs is drawn.
    const differing = renew(this.roots, fresh);
    if (differing === undefined) this.roots = fresh;
    if (differing === undefined || differing.length > 0) this.changed.fire(differing);
  }

  private agentItem(node: AgentNode): vscode.TreeItem {
    const { agent, children } = node;
    const state = children.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(oneLine(agent.name), state);
    const look = lookOf(agent);
    const muted = this.mutes.has(agent);
    item.id = rowId(node);
    const project = node.copyIn === undefined ? undefined : folderName(agent.project ?? agent.working_directory);
    const marks = { below: waitingBelow(node), muted, isOpen: node.isOpen, ...(project === undefined ? {} : { project }) };
    item.description = description(agent, Date.now(), marks);
    item.iconPath = new vscode.ThemeIcon(look.icon, look.color === undefined ? undefined : new vscode.ThemeColor(look.color));
    item.contextValue = contextValue(agent, muted);
    item.accessibilityInformation = { label: spoken(agent, marks) };
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
  const place = node.here ? t('this window') : isProject ? oneLine(node.path) : t('each in a folder of its own');
  const waiting = waitingBelow(node);
  const marks = waiting === 0 ? [] : [needingBelow(waiting)];
  item.description = [...marks, place].join(' · ');
  item.iconPath = new vscode.ThemeIcon(node.here ? 'root-folder-opened' : 'root-folder');
  item.contextValue = 'project';
  // It is also what is read out.
  item.tooltip = [...(isProject ? [oneLine(node.path, 500)] : [label, place]), ...marks].join(', ');
  return item;
}
