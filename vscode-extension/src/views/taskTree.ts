// The tasks view: what `task list` says, asked for when a queue has changed and somebody looks. Of what waits for nobody in
// particular no agent tells, so it is asked for too when somebody begins to look, and once a minute.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { type Blocker, blockersOf, isStuck, unlistedBlockers } from '../rules/views/blockedTasks';
import { taskContext, taskLine, taskTooltip } from '../rules/views/labels';
import { renewed, withCancelled } from '../rules/views/taskRows';
import type { Task, TaskState } from '../binary/types';
import type { Watch } from '../binary/agentWatch';

/** How often it is asked for what no agent tells. */
const UNTOLD = 60_000;

/** For this long the row of a cancelled task stays in its place, in milliseconds. */
const CANCELLED_STAYS = 60_000;

/** At most this many tasks that hold up others are looked up for one drawing. */
const MOST_BLOCKERS = 20;

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
  private seen = '';
  private rows: Task[] = [];
  /** Whether the rows were read for the drawing that comes. */
  private isRead = false;
  private turn = 0;
  /** Tasks that were cancelled here, until their place is given up. */
  private readonly cancelled = new Map<number, { task: Task; until: number }>();
  /** The states of tasks that hold up others and are in no list of open ones. */
  private states = new Map<number, TaskState>();

  constructor(
    private readonly watch: Watch,
    private readonly client: Client,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.view = vscode.window.createTreeView('symposium.tasks', { treeDataProvider: this, canSelectMany: true });
    const untold = setInterval(() => {
      if (this.view.visible) this.refresh();
    }, UNTOLD);
    this.parts = [
      this.view,
      this.changed,
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.refresh();
      }),
      { dispose: () => { clearInterval(untold); } },
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
    if (this.view.visible && this.watch.health === 'ready') {
      void this.renew();
      return;
    }
    // Whatever is shown next is drawn whole.
    this.turn++;
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

  /** Draws what differs. VS Code forgets all rows while the whole view is drawn anew, and a click that comes just then has lost
   *  its task. */
  private async renew(): Promise<void> {
    const turn = ++this.turn;
    const before = this.rows.map((task) => JSON.stringify(this.blockers(task)));
    const fresh = await this.read();
    // A later one knows better.
    if (turn !== this.turn) return;
    const held = this.rows.filter((task, at) => JSON.stringify(this.blockers(task)) !== before[at]);
    const changed = renewed(this.rows, fresh);
    const differing = changed === undefined ? undefined : [...new Set([...changed, ...held])];
    if (differing === undefined) {
      this.rows = fresh;
      this.isRead = true;
      this.changed.fire(undefined);
    } else if (differing.length > 0) {
      this.changed.fire(differing);
    }
  }

  /** Keeps the row of a cancelled task for a while: the next task must not slide under the pointer, where a second click
   *  would cancel it too. */
  keepCancelled(task: Task): void {
    this.cancelled.set(task.id, { task: { ...task, state: 'cancelled' }, until: Date.now() + CANCELLED_STAYS });
    this.refresh();
  }

  /** The tasks that hold up this one. */
  blockers(task: Task): Blocker[] {
    return blockersOf(task, this.states);
  }

  /** The newest last: a row that is pushed down under the mouse is a click on another task. */
  private async read(): Promise<Task[]> {
    try {
      const open = await this.client.tasks();
      const unlisted = unlistedBlockers(open).slice(0, MOST_BLOCKERS);
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
    item.iconPath = blockers.some(isStuck) ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('charts.yellow')) : new vscode.ThemeIcon((icons as Partial<Record<string, string>>)[task.state] ?? 'question');
    item.contextValue = taskContext(task, blockers);
    item.tooltip = new vscode.MarkdownString(taskTooltip(task, blockers));
    return item;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }
}
