// Commands on queues and their tasks.

import * as vscode from 'vscode';
import type { Node } from '../views/agentTree';
import type { Client } from '../binary/client';
import type { Composer } from './promptEditor';
import type { Documents } from '../views/documents';
import { pickAgent } from '../views/agentPicker';
import { blockersOf, isStuck } from '../rules/views/blockedTasks';
import { isCancellable, isRetryable, taskDocument, taskLine } from '../rules/views/labels';
import { isAtWork, isSameTurn } from '../rules/agent/status';
import { inPick, noLinks, oneLine } from '../rules/agent/sanitize';
import type { TaskTree } from '../views/taskTree';
import { attempt, offer, tellRowGone } from '../notify/messages';
import { withSpecTrust } from './specTrust';
import type { Agent, Task } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

/** How many tasks are offered, the last ones first; a queue may have had thousands. */
const MOST = 200;

export interface TaskParts {
  client: Client;
  watch: Watch;
  documents: Documents;
  tasks: TaskTree;
  composer: Composer;
}

export function taskCommands({ client, watch, documents, tasks: tree, composer }: TaskParts): vscode.Disposable {
  const changed = () => {
    tree.refresh();
    void watch.look();
  };

  const forTask = (id: string, placeholder: () => string, wanted: (task: Task) => boolean, act: (task: Task) => Promise<unknown>) =>
    vscode.commands.registerCommand(`symposium.${id}`, (given?: Task, ...rest: unknown[]) =>
      attempt(async () => {
        if (tellRowGone(given, rest)) return;
        const task = given ?? (await pickTask((await client.tasks('all')).filter(wanted).slice(-MOST).reverse(), placeholder()));
        if (task !== undefined) await act(task);
      }),
    );

  return vscode.Disposable.from(
    vscode.commands.registerCommand('symposium.addTask', (given?: Agent | Node, ...rest: unknown[]) =>
      attempt(async () => {
        if (tellRowGone(given, rest)) return;
        const row = given !== undefined && 'type' in given ? (given.type === 'agent' ? given.agent : undefined) : given;
        const agent = row ?? (await pickAgent(watch, { title: t('Add Task'), placeholder: t('A task for which agent?') }));
        if (agent === undefined) return;
        const text = await composer.ask(t('A task for {0}', agent.name), t('What is to be done'));
        if (text === undefined) return;
        await withSpecTrust((options) => client.json(['task', 'add', watch.present(agent).name, '-', ...options], { stdin: text }));
        changed();
      }),
    ),
    // The head of a view gives along the row that is marked, which is a task, or nothing and one argument more.
    vscode.commands.registerCommand('symposium.addTaskFor', () => vscode.commands.executeCommand('symposium.addTask')),
    forTask('cancelTask', () => t('Cancel which task?'), isCancellable, async (task) => {
      const atWork = watch.agents.find((agent) => agent.task?.id === task.id && isAtWork(agent));
      await client.json(['task', 'cancel', String(task.id)]).finally(changed);
      tree.keepCancelled(task);
      if (atWork !== undefined) offerInterrupt(watch, atWork);
    }),
    forTask('retryTask', () => t('Once more which task?'), isRetryable, (task) => client.json(['task', 'retry', String(task.id)]).finally(changed)),
    forTask('retryBlocker', () => t('Which task waits?'), ({ blocked }) => blocked > 0, async (task) => {
      for (const { id } of tree.blockers(task).filter(isStuck)) await client.json(['task', 'retry', String(id)]).finally(changed);
    }),
    forTask('showTask', () => t('Which task?'), () => true, async (task) => {
      const details = await client.taskDetails(task.id);
      const states = await Promise.all((details.blocked > 0 ? details.after : []).map(async (id) => [id, (await client.task(id)).state] as const));
      await documents.showMarkdown(`/task/${t('Task {0}', task.id)}.md`, taskDocument(details, blockersOf(details, new Map(states))));
    }),
  );
}

/** A task that is cancelled is off the list, and no more: whoever is at it goes on. */
function offerInterrupt(watch: Watch, agent: Agent): void {
  const interrupt = t('Interrupt');
  void vscode.window.showInformationMessage(noLinks(t('{0} goes on with what it does.', oneLine(agent.name))), interrupt).then(async (chosen) => {
    if (chosen !== interrupt) return;
    // The offer may have stood there for hours.
    await watch.look();
    const now = watch.agents.find(({ id }) => id === agent.id);
    if (isSameTurn(agent, now)) await vscode.commands.executeCommand('symposium.interrupt', now);
    else offer({ level: 'information', text: t('{0} is at something else by now.', oneLine(agent.name)), choices: [] });
  });
}

async function pickTask(tasks: readonly Task[], placeHolder: string): Promise<Task | undefined> {
  if (tasks.length === 0) {
    offer({ level: 'information', text: t('There is no such task.'), choices: [{ title: t('Add Task'), command: 'symposium.addTask' }] });
    return undefined;
  }
  const items = tasks.map((task) => {
    const line = taskLine(task);
    return { label: inPick(line.label), description: inPick(line.description), task };
  });
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.task;
}
