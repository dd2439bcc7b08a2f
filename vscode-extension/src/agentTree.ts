// The agents view: draws what rules/group says. It is drawn anew when something in it changed, and once a minute for ages.

import * as vscode from 'vscode';
import type { Client } from './client';
import { folders } from './folders';
import type { Mutes } from './mutes';
import { inWords } from './rules/broken';
import { type AgentNode, type ProjectNode, group, outline, rowId, update } from './rules/group';
import { contextValue, description, spoken } from './rules/labels';
import { folderName } from './rules/place';
import { tooltip } from './rules/recap';
import { count, lookOf } from './rules/status';
import { noLinks, oneLine } from './rules/text';
import type { Watch } from './watch';
import { t } from './words';

export type Node = ProjectNode | AgentNode;

/** How often ages are counted anew. */
const AGES = 60_000;

export class AgentTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node[] | undefined>();
  private roots: ProjectNode[] = [];
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly watch: Watch,
    private readonly client: Client,
    private readonly mutes: Mutes,
  ) {
    this.view = vscode.window.createTreeView<Node>('symposium.agents', { treeDataProvider: this, showCollapseAll: true });
    const draw = () => {
      this.draw();
    };
    const ages = setInterval(() => {
      if (this.view.visible) this.changed.fire(undefined);
    }, AGES);
    this.parts = [
      this.view,
      this.changed,
      watch.onAgents(draw),
      watch.onHealth(draw),
      mutes.onChange(() => { this.changed.fire(undefined); }),
      vscode.workspace.onDidChangeWorkspaceFolders(draw),
      { dispose: () => { clearInterval(ages); } },
    ];
  }

  getChildren(node?: Node): Node[] {
    return node === undefined ? this.roots : node.children;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.type === 'project' ? projectItem(node) : this.agentItem(node);
  }

  /** A hover asks for the recap; without one the rest is told. */
  async resolveTreeItem(item: vscode.TreeItem, node: Node): Promise<vscode.TreeItem> {
    if (node.type === 'project') return item;
    const recap = await this.client.recap(node.agent.name).catch(() => undefined);
    // Neither trusted nor HTML: what is in it was said by agents.
    item.tooltip = new vscode.MarkdownString(tooltip(node.agent, recap, Date.now()));
    return item;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private draw(): void {
    const { waiting } = count(this.watch.agents);
    this.view.badge = waiting > 0 ? { value: waiting, tooltip: t('{0} waiting', waiting) } : undefined;
    // An empty view tells what is wrong by itself.
    this.view.message = this.watch.health === 'ready' ? noLinks(inWords(this.watch.broken)) : '';
    const fresh = this.watch.health === 'ready' ? group(this.watch.agents, folders()) : [];
    // VS Code forgets all rows while the whole tree is drawn anew, and a click that comes just then has lost its row.
    // So as long as they stand as they stood, only the rows that differ are drawn.
    if (outline(fresh) === outline(this.roots)) {
      const differing = update(this.roots, fresh);
      if (differing.length > 0) this.changed.fire(differing);
    } else {
      this.roots = fresh;
      this.changed.fire(undefined);
    }
  }

  private agentItem(node: AgentNode): vscode.TreeItem {
    const { agent, children } = node;
    const state = children.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(oneLine(agent.name), state);
    const look = lookOf(agent.status);
    const muted = this.mutes.has(agent);
    item.id = rowId(node);
    item.description = description(agent, Date.now()) + (muted ? ` · ${t('muted')}` : '');
    item.iconPath = new vscode.ThemeIcon(look.icon, look.color === undefined ? undefined : new vscode.ThemeColor(look.color));
    item.contextValue = contextValue(agent, muted);
    item.accessibilityInformation = { label: spoken(agent) };
    return item;
  }
}

function projectItem(node: ProjectNode): vscode.TreeItem {
  const item = new vscode.TreeItem(oneLine(folderName(node.path)), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `project:${node.path}`;
  item.description = node.here ? t('this window') : oneLine(node.path);
  item.iconPath = new vscode.ThemeIcon(node.here ? 'root-folder-opened' : 'root-folder');
  item.contextValue = 'project';
  item.tooltip = oneLine(node.path, 500);
  return item;
}
