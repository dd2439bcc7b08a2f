// The commands on tasks.

import * as vscode from 'vscode';
import type { Node } from '../views/agentTree';
import type { Client } from '../binary/client';
import type { PromptEditor } from './promptEditor';
import type { Documents } from '../views/documents';
import { pickAgent } from '../views/agentPicker';
import { blockersOf, needsRetry } from '../rules/views/blockedTasks';
import { isCancellable, isRetryable, taskDocument, taskLine } from '../rules/views/labels';
import { isWorking, isSameTurn } from '../rules/agent/status';
import { escapeQuickPick, withoutLinks, oneLine } from '../rules/agent/sanitize';
import type { TaskTree } from '../views/taskTree';
import { attempt, showMessage, reportRowGone } from '../notify/messages';
import { withSpecTrust } from './specTrust';
import type { Agent, Task } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

/** The number of tasks to choose from, newest first. A queue may have thousands. */
const MAX_OFFERED = 200;

export interface TaskCommandParts {
  client: Client;
  watch: AgentWatch;
  documents: Documents;
  tasks: TaskTree;
  composer: PromptEditor;
}

export function taskCommands({ client, watch, documents, tasks: tree, composer }: TaskCommandParts): vscode.Disposable {
  const changed = () => {
    tree.refresh();
    void watch.refresh();
  };

  const forTask = (id: string, placeholder: () => string, wanted: (task: Task) => boolean, act: (task: Task) => Promise<unknown>) =>
    vscode.commands.registerCommand(`symposium.${id}`, (given?: Task, ...rest: unknown[]) =>
      attempt(async () => {
        if (reportRowGone(given, rest)) return;
        const task = given ?? (await pickTask((await client.tasks('all')).filter(wanted).slice(-MAX_OFFERED).reverse(), placeholder()));
        if (task !== undefined) await act(task);
      }),
    );

  return vscode.Disposable.from(
    vscode.commands.registerCommand('symposium.addTask', (given?: Agent | Node, ...rest: unknown[]) =>
      attempt(async () => {
        if (reportRowGone(given, rest)) return;
        const row = given !== undefined && 'type' in given ? (given.type === 'agent' ? given.agent : undefined) : given;
        const agent = row ?? (await pickAgent(watch, { title: t('Add Task'), placeholder: t('A task for which agent?') }));
        if (agent === undefined) return;
        const text = await composer.ask(t('A task for {0}', agent.name), t('What should the agent do?'));
        if (text === undefined) return;
        await withSpecTrust((options) => client.json(['task', 'add', watch.current(agent).name, '-', ...options], { stdin: text }));
        changed();
      }),
    ),
    // The title bar of a view passes the selected row, which is a task here.
    vscode.commands.registerCommand('symposium.addTaskFor', () => vscode.commands.executeCommand('symposium.addTask')),
    forTask('cancelTask', () => t('Cancel which task?'), isCancellable, async (task) => {
      const atWork = watch.agents.find((agent) => agent.task?.id === task.id && isWorking(agent));
      await client.json(['task', 'cancel', String(task.id)]).finally(changed);
      tree.keepCancelled(task);
      if (atWork !== undefined) offerInterrupt(watch, atWork);
    }),
    forTask('retryTask', () => t('Retry which task?'), isRetryable, (task) => client.json(['task', 'retry', String(task.id)]).finally(changed)),
    forTask('retryBlocker', () => t('Which blocked task?'), ({ blocked }) => blocked > 0, async (task) => {
      for (const { id } of tree.blockers(task).filter(needsRetry)) await client.json(['task', 'retry', String(id)]).finally(changed);
    }),
    forTask('showTask', () => t('Which task?'), () => true, async (task) => {
      const details = await client.taskDetails(task.id);
      const states = await Promise.all((details.blocked > 0 ? details.after : []).map(async (id) => [id, (await client.task(id)).state] as const));
      await documents.showMarkdown(`/task/${t('Task {0}', task.id)}.md`, taskDocument(details, blockersOf(details, new Map(states))));
    }),
  );
}

/** A cancelled task leaves the queue, and the agent continues its turn. Offers to interrupt it. */
function offerInterrupt(watch: AgentWatch, agent: Agent): void {
  const interrupt = t('Interrupt');
  void vscode.window.showInformationMessage(withoutLinks(t('{0} continues its turn.', oneLine(agent.name))), interrupt).then(async (chosen) => {
    if (chosen !== interrupt) return;
    // The message may have been open for hours.
    await watch.refresh();
    const now = watch.agents.find(({ id }) => id === agent.id);
    if (isSameTurn(agent, now)) await vscode.commands.executeCommand('symposium.interrupt', now);
    else showMessage({ level: 'information', text: t('{0} is in another turn now.', oneLine(agent.name)), choices: [] });
  });
}

async function pickTask(tasks: readonly Task[], placeHolder: string): Promise<Task | undefined> {
  if (tasks.length === 0) {
    showMessage({ level: 'information', text: t('There is no such task.'), choices: [{ title: t('Add Task'), command: 'symposium.addTask' }] });
    return undefined;
  }
  const items = tasks.map((task) => {
    const line = taskLine(task);
    return { label: escapeQuickPick(line.label), description: escapeQuickPick(line.description), task };
  });
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.task;
}
