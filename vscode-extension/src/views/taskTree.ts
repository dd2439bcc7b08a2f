// The tasks view, read by `task list` after a change of a queue. Agents do not report tasks without an assigned agent,
// so the view also reads the list when it becomes visible and once a minute.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { type Blocker, blockersOf, needsRetry, unlistedBlockers } from '../rules/views/blockedTasks';
import { taskContext, taskLine, taskTooltip } from '../rules/views/labels';
import { updateTaskRows, withCancelled } from '../rules/views/taskRows';
import type { Task, TaskState } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';

/** The interval for changes that no agent reports. */
const POLL_INTERVAL_MS = 60_000;

/** How long the row of a cancelled task keeps its place. */
const CANCELLED_STAYS_MS = 60_000;

/** The number of blocking tasks that are looked up for one drawing. */
const MAX_BLOCKERS = 20;

const icons: Record<TaskState, string> = {
  queued: 'clock',
  dispatched: 'arrow-right',
  running: 'play-circle',
  done: 'pass',
  failed: 'error',
  cancelled: 'circle-slash',
};

export class TaskTree implements vscode.TreeDataProvider<Task>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Task[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Task>;
  private readonly parts: vscode.Disposable[];
  private lastCounts = '';
  private rows: Task[] = [];
  /** Whether the rows were already read for the next drawing. */
  private isRead = false;
  private generation = 0;
  /** Tasks that were cancelled in this window, until they give up their place. */
  private readonly cancelled = new Map<number, { task: Task; until: number }>();
  /** The states of tasks that block others, including those that `task list` does not show. */
  private states = new Map<number, TaskState>();

  constructor(
    private readonly watch: AgentWatch,
    private readonly client: Client,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.view = vscode.window.createTreeView('symposium.tasks', { treeDataProvider: this, canSelectMany: true });
    const poll = setInterval(() => {
      if (this.view.visible) this.refresh();
    }, POLL_INTERVAL_MS);
    this.parts = [
      this.view,
      this.changed,
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.refresh();
      }),
      { dispose: () => { clearInterval(poll); } },
      watch.onHealth(() => { this.refresh(); }),
      watch.onAgents(({ after }) => {
        const counts = JSON.stringify(after.map((agent) => [agent.id, agent.tasks, agent.task]));
        if (counts === this.lastCounts) return;
        this.lastCounts = counts;
        this.refresh();
      }),
    ];
  }

  refresh(): void {
    if (this.view.visible && this.watch.health === 'ready') {
      void this.updateRows();
      return;
    }
    // The next drawing reads all rows again.
    this.generation++;
    this.rows = [];
    this.isRead = false;
    this.changed.fire(undefined);
  }

  async getChildren(task?: Task): Promise<Task[]> {
    if (task !== undefined || this.watch.health !== 'ready') return [];
    if (!this.isRead) this.rows = await this.read();
    this.isRead = false;
    return this.rows;
  }

  /** Redraws changed rows. VS Code forgets all rows while it redraws the whole view, and a click at that moment loses
   *  its task. */
  private async updateRows(): Promise<void> {
    const turn = ++this.generation;
    const before = this.rows.map((task) => JSON.stringify(this.blockers(task)));
    const fresh = await this.read();
    // A later call has read a newer list.
    if (turn !== this.generation) return;
    const held = this.rows.filter((task, at) => JSON.stringify(this.blockers(task)) !== before[at]);
    const changed = updateTaskRows(this.rows, fresh);
    const differing = changed === undefined ? undefined : [...new Set([...changed, ...held])];
    if (differing === undefined) {
      this.rows = fresh;
      this.isRead = true;
      this.changed.fire(undefined);
    } else if (differing.length > 0) {
      this.changed.fire(differing);
    }
  }

  /** Keeps the row of a cancelled task for a while, so that a second click does not hit the next task. */
  keepCancelled(task: Task): void {
    this.cancelled.set(task.id, { task: { ...task, state: 'cancelled' }, until: Date.now() + CANCELLED_STAYS_MS });
    this.refresh();
  }

  /** Returns the tasks that block a task. */
  blockers(task: Task): Blocker[] {
    return blockersOf(task, this.states);
  }

  /** Reads the tasks, newest last, so that a new task does not move the others under the pointer. */
  private async read(): Promise<Task[]> {
    try {
      const open = await this.client.tasks();
      const unlisted = unlistedBlockers(open).slice(0, MAX_BLOCKERS);
      const others = await Promise.all(unlisted.map((id) => this.client.task(id).catch(() => undefined)));
      this.states = new Map([...open, ...others].flatMap((task) => (task === undefined ? [] : [[task.id, task.state]])));
      return withCancelled(open, this.cancelled, Date.now());
    } catch (error) {
      this.log.warn(String(error));
      return [];
    }
  }

  getTreeItem(task: Task): vscode.TreeItem {
    const blockers = this.blockers(task);
    const line = taskLine(task, blockers);
    const item = new vscode.TreeItem(line.label);
    item.id = `task:${task.id}`;
    item.description = line.description;
    item.iconPath = blockers.some(needsRetry) ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('charts.yellow')) : new vscode.ThemeIcon((icons as Partial<Record<string, string>>)[task.state] ?? 'question');
    item.contextValue = taskContext(task, blockers);
    item.tooltip = new vscode.MarkdownString(taskTooltip(task, blockers));
    return item;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }
}
