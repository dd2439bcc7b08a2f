// Commands on queues and their tasks.

import * as vscode from 'vscode';
import type { Node } from './agentTree';
import type { Client } from './client';
import type { Documents } from './documents';
import { pickAgent } from './quickAttach';
import { isOpen, isRetryable, taskLine } from './rules/labels';
import { noIcons } from './rules/text';
import type { TaskTree } from './taskTree';
import { attempt } from './tell';
import type { Agent, Task } from './types';
import type { Watch } from './watch';
import { t } from './words';

/** How many tasks are offered, the last ones first; a queue may have had thousands. */
const MOST = 200;

export function taskCommands(client: Client, watch: Watch, documents: Documents, tree: TaskTree): vscode.Disposable {
  const changed = () => {
    tree.refresh();
    void watch.look();
  };

  const forTask = (id: string, placeholder: () => string, wanted: (task: Task) => boolean, act: (task: Task) => Promise<unknown>) =>
    vscode.commands.registerCommand(`symposium.${id}`, (given?: Task) =>
      attempt(async () => {
        const task = given ?? (await pickTask((await client.tasks('all')).filter(wanted).slice(-MOST).reverse(), placeholder()));
        if (task !== undefined) await act(task);
      }),
    );

  return vscode.Disposable.from(
    vscode.commands.registerCommand('symposium.addTask', (given?: Agent | Node) =>
      attempt(async () => {
        const row = given !== undefined && 'type' in given ? (given.type === 'agent' ? given.agent : undefined) : given;
        const agent = row ?? (await pickAgent(watch, { title: t('Add Task'), placeholder: t('Whose queue?') }));
        if (agent === undefined) return;
        const text = await vscode.window.showInputBox({ title: t('A task for {0}', agent.name), placeHolder: t('What is to be done'), ignoreFocusOut: true });
        if (text === undefined || text.trim() === '') return;
        await client.json(['task', 'add', agent.name, '-'], { stdin: text });
        changed();
      }),
    ),
    forTask('cancelTask', () => t('Cancel which task?'), (task) => isOpen(task), (task) => client.json(['task', 'cancel', String(task.id)]).finally(changed)),
    forTask('retryTask', () => t('Once more which task?'), isRetryable, (task) => client.json(['task', 'retry', String(task.id)]).finally(changed)),
    forTask('showTask', () => t('Which task?'), () => true, async (task) =>
      documents.showText(`/task/${task.id}.json`, `${JSON.stringify(await client.task(task.id), null, 2)}\n`),
    ),
  );
}

async function pickTask(tasks: readonly Task[], placeHolder: string): Promise<Task | undefined> {
  const items = tasks.map((task) => {
    const line = taskLine(task);
    return { label: noIcons(line.label), description: noIcons(line.description), task };
  });
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.task;
}
