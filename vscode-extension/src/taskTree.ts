// The tasks view: what `task list` says, asked for when a queue has changed and somebody looks.

import * as vscode from 'vscode';
import type { Client } from './client';
import { taskContext, taskLine, taskTooltip } from './rules/labels';
import type { Task, TaskState } from './types';
import type { Watch } from './watch';

const icons: Record<TaskState, string> = {
  queued: 'clock',
  dispatched: 'arrow-right',
  running: 'play-circle',
  done: 'pass',
  failed: 'error',
  cancelled: 'circle-slash',
};

export class TaskTree implements vscode.TreeDataProvider<Task>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Task>;
  private readonly parts: vscode.Disposable[];
  private seen = '';

  constructor(
    private readonly watch: Watch,
    private readonly client: Client,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.view = vscode.window.createTreeView('symposium.tasks', { treeDataProvider: this });
    this.parts = [
      this.view,
      this.changed,
      watch.onHealth(() => { this.refresh(); }),
      watch.onAgents(({ after }) => {
        const counts = JSON.stringify(after.map((agent) => [agent.id, agent.tasks, agent.task]));
        if (counts === this.seen) return;
        this.seen = counts;
        this.refresh();
      }),
    ];
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  async getChildren(task?: Task): Promise<Task[]> {
    if (task !== undefined || this.watch.health !== 'ready') return [];
    try {
      return (await this.client.tasks()).reverse();
    } catch (error) {
      this.log.warn(String(error));
      return [];
    }
  }

  getTreeItem(task: Task): vscode.TreeItem {
    const line = taskLine(task);
    const item = new vscode.TreeItem(line.label);
    item.id = `task:${task.id}`;
    item.description = line.description;
    item.iconPath = new vscode.ThemeIcon((icons as Partial<Record<string, string>>)[task.state] ?? 'question');
    item.contextValue = taskContext(task);
    item.tooltip = new vscode.MarkdownString(taskTooltip(task));
    return item;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }
}
