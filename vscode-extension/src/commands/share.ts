// Shares an agent with another user of this machine, and ends a share. Explains the permissions before it grants them.

import { userInfo } from 'node:os';
import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { shareArguments, unshareText, userNameError } from '../rules/commands/shareArguments';
import { withoutLinks, oneLine } from '../rules/agent/sanitize';
import { choose, runSteps, askText } from './wizard';
import { type Agent, sharesFrom } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

export async function share(client: Client, watch: AgentWatch, agent: Agent): Promise<void> {
  const name = oneLine(agent.name);
  const title = t('Share {0}', name);
  const request = { user: '', may: 'watch' as 'watch' | 'type', hours: '' };
  await runSteps([
    async (at, of) => {
      request.user = await askText({ title, at, of, placeholder: t('Share with which user of this machine?') }, request.user, userNameError);
    },
    async (at, of) => {
      const items = [
        { label: t('Only watch'), description: t('sees the screen and cannot type'), may: 'watch' as const },
        { label: t('Watch and type'), description: t('can do everything that the agent can: read, change and run files as you'), may: 'type' as const },
      ];
      request.may = (await choose({ title, at, of, placeholder: t('What may {0} do?', oneLine(request.user)) }, items)).may;
    },
    async (at, of) => {
      const items = [
        { label: t('1 hour'), hours: '1h' },
        { label: t('2 hours'), hours: '2h' },
        { label: t('8 hours'), hours: '8h' },
        { label: t('Until I stop sharing'), hours: '' },
      ];
      request.hours = (await choose({ title, at, of, placeholder: t('For how long?') }, items)).hours;
    },
  ]);
  if (request.may === 'type') {
    const grant = t('Share');
    const question = withoutLinks(t('{0} will be able to do everything in your name that {1} can: read and change files, run programs, use its logins.', oneLine(request.user), name));
    if ((await vscode.window.showWarningMessage(question, { modal: true }, grant)) !== grant) return;
  }
  await client.json(shareArguments(watch.current(agent).name, request));
  const command = `symposium agent attach ${userInfo().username}/${watch.current(agent).name}`;
  const copy = t('Copy Command');
  // A notification cuts long texts, so the button copies the command that the other user needs.
  void vscode.window.showInformationMessage(withoutLinks(t('{0} is shared with {1}. Send them: {2}', name, oneLine(request.user), oneLine(command))), copy).then((chosen) => {
    if (chosen === copy) void vscode.env.clipboard.writeText(command);
  });
}

export async function unshare(client: Client, agent: Agent): Promise<void> {
  const ended = sharesFrom(await client.json(['agent', 'unshare', agent.name]));
  void vscode.window.showInformationMessage(withoutLinks(unshareText(oneLine(agent.name), ended)));
}
