// Forgetting agents and taskspaces. Asks first; work that is nowhere else is lost only when that was said.

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { type Client, PATIENT } from './client';
import { type Removal, gone, homelessQuestion, remove, removeQuestion } from './rules/removal';
import { isLive } from './rules/status';
import { inPick, noLinks, oneLine } from './rules/text';
import { attempt, offer } from './tell';
import type { Agent, Taskspace } from './types';
import type { Watch } from './watch';
import { t } from './words';

/** Asks, and removes an agent. Says whether anything was done. */
export async function removeAgent(client: Client, watch: Watch, agent: Agent): Promise<boolean> {
  // A taskspace is an agent too, and goes as a whole.
  if ((await client.taskspaces()).some(({ id }) => id === agent.id)) {
    return confirmAndRemove(client, watch, taskspace(client, agent), t('Remove the taskspace {0}: its agent, worktree and branch?', agent.name));
  }
  const isHomeless = agent.directory_gone !== null || !existsSync(agent.working_directory);
  return confirmAndRemove(client, watch, plain(watch, agent), removeQuestion(agent, isHomeless));
}

/** Asks once, and removes all of these, whose folders are gone. A taskspace has more to lose, and is asked about by itself. */
export async function removeHomeless(client: Client, watch: Watch, agents: readonly Agent[]): Promise<void> {
  const spaces = new Set((await client.taskspaces()).map(({ id }) => id));
  const together = agents.filter(({ id }) => !spaces.has(id));
  const areSeveral = together.length > 1;
  // One that cannot be removed holds up no other.
  for (const agent of areSeveral ? agents.filter(({ id }) => spaces.has(id)) : agents) await attempt(() => removeAgent(client, watch, agent));
  if (!areSeveral || !(await isSure(homelessQuestion(together)))) return;
  for (const agent of together) await attempt(() => removeNow(client, watch, plain(watch, agent)));
}

const plain = (watch: Watch, agent: Agent): Removal => ({
  name: () => Promise.resolve(watch.present(agent).name),
  verb: ['agent', 'rm'],
  before: isLive(agent) ? 'end first' : 'as it is',
});

export async function removeTaskspace(client: Client, watch: Watch): Promise<void> {
  const all = await client.taskspaces();
  if (all.length === 0) {
    offer({ level: 'information', text: t('There are no taskspaces.'), choices: [{ title: t('New Taskspace'), command: 'symposium.newTaskspace' }] });
    return;
  }
  const items = all.map((each) => ({ label: inPick(each.name), description: inPick(oneLine(each.description)), each }));
  const chosen = await vscode.window.showQuickPick(items, { title: t('Delete Taskspace'), placeHolder: t('Which one?') });
  if (chosen === undefined) return;
  await confirmAndRemove(client, watch, taskspace(client, chosen.each), t('Remove the taskspace {0}: its agent, worktree and branch?', chosen.each.name));
}

const taskspace = (client: Client, { id, name }: Pick<Taskspace, 'id' | 'name'>): Removal => ({
  name: async () => {
    const now = (await client.taskspaces()).find((each) => each.id === id);
    if (now === undefined) throw gone(name);
    return now.name;
  },
  verb: ['taskspace', 'delete'],
  before: 'as it is',
});

const confirmAndRemove = async (client: Client, watch: Watch, removal: Removal, question: string): Promise<boolean> =>
  (await isSure(question)) && removeNow(client, watch, removal);

async function isSure(question: string): Promise<boolean> {
  const yes = t('Remove');
  return (await vscode.window.showWarningMessage(noLinks(question), { modal: true }, yes)) === yes;
}

async function removeNow(client: Client, watch: Watch, removal: Removal): Promise<boolean> {
  try {
    return await remove((args) => client.json(args, PATIENT), removal, async (error) => {
      // The first is what Enter presses: who has just said yes to another question must not lose work by it. One that is said
      // to close the dialog VS Code would take out of the row.
      const keep = { title: t('Keep') };
      const anyway = { title: t('Remove Anyway') };
      const detail = noLinks([...error.saw, ...error.hints].join('\n'));
      return (await vscode.window.showWarningMessage(noLinks(error.message), { modal: true, detail }, keep, anyway)) === anyway;
    });
  } finally {
    await watch.look();
  }
}
