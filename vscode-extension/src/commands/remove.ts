// Removes agents and taskspaces. Looks for unsaved work first, asks once, and stops an agent only after the answer.

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { type Client, NO_TIMEOUT } from '../binary/client';
import { type RemovalCandidate, type Removal, agentGone, removalQuestion, remove } from '../rules/commands/removal';
import { isLive } from '../rules/agent/status';
import { escapeQuickPick, withoutLinks, oneLine } from '../rules/agent/sanitize';
import { attempt, showMessage } from '../notify/messages';
import { type Agent, removalReportFrom } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

/** Asks once and removes the agents. Returns whether any agent was removed. */
export async function removeAgents(client: Client, watch: AgentWatch, agents: readonly Agent[]): Promise<boolean> {
  const spaces = new Set((await client.taskspaces()).map(({ id }) => id));
  const candidates = await Promise.all(agents.map((agent) => inspect(client, agent)));
  const work = await confirm(candidates);
  if (work === undefined) return false;
  let isAny = false;
  // A failure to remove one agent does not stop the removal of the others.
  for (const agent of agents) {
    const removal = { ...(spaces.has(agent.id) ? taskspace(client, agent) : plain(watch, agent)), work };
    await attempt(async () => { isAny = (await removeNow(client, watch, removal)) || isAny; });
  }
  return isAny;
}

/** Looks for work that would be lost. If this fails, the binary still refuses to delete work. */
async function inspect(client: Client, agent: Agent): Promise<RemovalCandidate> {
  const isFolderGone = agent.directory_gone !== null || !existsSync(agent.working_directory);
  const preview = isFolderGone ? undefined : await client.removalPreview(agent.name).catch(() => undefined);
  return { agent, isFolderGone, work: preview?.summary ?? [] };
}

/** Asks the user. Returns what the answer allows, or undefined for no. */
async function confirm(candidates: readonly RemovalCandidate[]): Promise<Removal['work'] | undefined> {
  const { message, detail, yes, losesWork } = removalQuestion(candidates);
  const recap = t('Show Recap');
  // Enter presses the first button, which must not destroy work.
  const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...(losesWork ? [recap, yes] : [yes]));
  if (chosen === recap) await vscode.commands.executeCommand('symposium.recapSome', candidates.filter(({ work }) => work.length > 0).map(({ agent }) => agent));
  if (chosen !== yes) return undefined;
  return losesWork ? 'may be lost' : 'must be kept';
}

const plain = (watch: AgentWatch, agent: Agent): Omit<Removal, 'work'> => ({
  name: () => Promise.resolve(watch.current(agent).name),
  verb: ['agent', 'rm'],
  before: isLive(agent) ? 'end first' : 'as it is',
});

export async function removeTaskspace(client: Client, watch: AgentWatch): Promise<void> {
  const all = await client.taskspaces();
  if (all.length === 0) {
    showMessage({ level: 'information', text: t('There are no taskspaces.'), choices: [{ title: t('New Taskspace'), command: 'symposium.newTaskspace' }] });
    return;
  }
  const items = all.map((each) => ({ label: escapeQuickPick(each.name), description: escapeQuickPick(oneLine(each.description)), each }));
  const chosen = await vscode.window.showQuickPick(items, { title: t('Delete Taskspace'), placeHolder: t('Which one?') });
  const agent = chosen === undefined ? undefined : watch.agents.find(({ id }) => id === chosen.each.id);
  if (agent !== undefined) await removeAgents(client, watch, [agent]);
}

const taskspace = (client: Client, { id, name }: Pick<Agent, 'id' | 'name'>): Omit<Removal, 'work'> => ({
  name: async () => {
    const now = (await client.taskspaces()).find((each) => each.id === id);
    if (now === undefined) throw agentGone(name);
    return now.name;
  },
  verb: ['taskspace', 'delete'],
  before: 'as it is',
});

async function removeNow(client: Client, watch: AgentWatch, removal: Removal): Promise<boolean> {
  try {
    const { isGone, printed } = await remove((args) => client.json(args, NO_TIMEOUT), removal, async (error) => {
      // Enter presses the first button, and the user has just confirmed another dialog. VS Code separates a button that
      // is marked as the closing one.
      const keep = { title: t('Keep') };
      const anyway = { title: t('Remove Anyway') };
      const detail = withoutLinks([...error.saw, ...error.hints].join('\n'));
      return (await vscode.window.showWarningMessage(withoutLinks(error.message), { modal: true, detail }, keep, anyway)) === anyway;
    });
    if (removal.work === 'may be lost') offerRecovery(printed);
    return isGone;
  } finally {
    await watch.refresh();
  }
}

/** Tells that a copy of the removed work is kept, and offers the command that restores it. */
function offerRecovery(printed: unknown): void {
  let command: string | undefined;
  try {
    [command] = removalReportFrom(printed).recover;
  } catch {
    // No copy was made.
  }
  if (command === undefined) return;
  const [copy, text] = [t('Copy Command'), command];
  void vscode.window.showInformationMessage(withoutLinks(t('A copy of the removed work is kept for 30 days: {0}', oneLine(text, 100))), copy).then((chosen) => {
    if (chosen === copy) void vscode.env.clipboard.writeText(text);
  });
}
