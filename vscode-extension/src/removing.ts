// Forgetting agents and taskspaces. Asks first; work that is nowhere else is lost only when that was said.

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { type Client, CommandError } from './client';
import { isLive } from './rules/status';
import { noIcons, noLinks, oneLine } from './rules/text';
import type { Agent } from './types';
import type { Watch } from './watch';
import { t } from './words';

export async function removeAgent(client: Client, watch: Watch, agent: Agent): Promise<void> {
  // A taskspace is an agent too, and goes as a whole.
  if ((await client.taskspaces()).some(({ id }) => id === agent.id)) {
    await confirmAndRemove(client, watch, agent.name, ['taskspace', 'delete'], t('Remove the taskspace {0}: its agent, worktree and branch?', agent.name));
    return;
  }
  const gone = agent.directory_gone !== null || !existsSync(agent.working_directory);
  const question = isLive(agent)
    ? gone
      ? t('{0} runs, though its folder is gone. End it and forget it?', agent.name)
      : t('{0} runs. End it and forget it, with its files?', agent.name)
    : gone
      ? t('The folder of {0} is gone. Forget it too?', agent.name)
      : t('Forget {0}, with its files?', agent.name);
  await confirmAndRemove(client, watch, agent.name, ['agent', 'rm'], question, isLive(agent) ? 'end first' : 'as it is');
}

export async function removeTaskspace(client: Client, watch: Watch): Promise<void> {
  const all = await client.taskspaces();
  const items = all.map((each) => ({ label: noIcons(oneLine(each.name)), description: noIcons(oneLine(each.description)), name: each.name }));
  const chosen = await vscode.window.showQuickPick(items, { title: t('Delete Taskspace'), placeHolder: all.length === 0 ? t('there are none') : t('Which one?') });
  if (chosen === undefined) return;
  await confirmAndRemove(client, watch, chosen.name, ['taskspace', 'delete'], t('Remove the taskspace {0}: its agent, worktree and branch?', chosen.name));
}

async function confirmAndRemove(client: Client, watch: Watch, name: string, verb: string[], question: string, before: 'end first' | 'as it is' = 'as it is'): Promise<void> {
  const remove = t('Remove');
  if ((await vscode.window.showWarningMessage(noLinks(question), { modal: true }, remove)) !== remove) return;
  try {
    // Not `rm --force`: that would take work along too, which was not asked about.
    if (before === 'end first') await client.json(['agent', 'kill', name]);
    await client.json([...verb, name]);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code === 'missing-binary') throw error;
    const anyway = t('Remove Anyway');
    const detail = noLinks([...error.saw, ...error.hints].join('\n'));
    if ((await vscode.window.showWarningMessage(noLinks(error.message), { modal: true, detail }, anyway)) !== anyway) return;
    await client.json([...verb, '--force', name]);
  } finally {
    void watch.look();
  }
}
