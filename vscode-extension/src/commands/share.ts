// Letting somebody else of this machine attach to an agent, and ending that. What a guest may do is said before it is granted.

import { userInfo } from 'node:os';
import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { shareArguments, unshared, userMistake } from '../rules/commands/shareArguments';
import { noLinks, oneLine } from '../rules/agent/sanitize';
import { choose, steps, type } from './wizard';
import { type Agent, sharesFrom } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

export async function share(client: Client, watch: Watch, agent: Agent): Promise<void> {
  const name = oneLine(agent.name);
  const title = t('Share {0}', name);
  const wanted = { user: '', may: 'watch' as 'watch' | 'type', hours: '' };
  await steps([
    async (at, of) => {
      wanted.user = await type({ title, at, of, placeholder: t('With whom? A user of this machine') }, wanted.user, userMistake);
    },
    async (at, of) => {
      const items = [
        { label: t('Only watch'), description: t('sees the screen; nothing typed gets through'), may: 'watch' as const },
        { label: t('Watch and type'), description: t('can do all that the agent can: read, change and run as you'), may: 'type' as const },
      ];
      wanted.may = (await choose({ title, at, of, placeholder: t('What may {0} do?', oneLine(wanted.user)) }, items)).may;
    },
    async (at, of) => {
      const items = [
        { label: t('1 hour'), hours: '1h' },
        { label: t('2 hours'), hours: '2h' },
        { label: t('8 hours'), hours: '8h' },
        { label: t('Until I end it'), hours: '' },
      ];
      wanted.hours = (await choose({ title, at, of, placeholder: t('For how long?') }, items)).hours;
    },
  ]);
  if (wanted.may === 'type') {
    const grant = t('Share');
    const question = noLinks(t('{0} will be able to do in your name whatever {1} can: read and change files, run programs, use what it is logged in to.', oneLine(wanted.user), name));
    if ((await vscode.window.showWarningMessage(question, { modal: true }, grant)) !== grant) return;
  }
  await client.json(shareArguments(watch.present(agent).name, wanted));
  const command = `symposium agent attach ${userInfo().username}/${watch.present(agent).name}`;
  const copy = t('Copy Command');
  // The command is what the other user needs, and a notification cuts long texts: it goes to the clipboard by the button.
  void vscode.window.showInformationMessage(noLinks(t('{0} is shared with {1}. Send them: {2}', name, oneLine(wanted.user), oneLine(command))), copy).then((chosen) => {
    if (chosen === copy) void vscode.env.clipboard.writeText(command);
  });
}

export async function unshare(client: Client, agent: Agent): Promise<void> {
  const ended = sharesFrom(await client.json(['agent', 'unshare', agent.name]));
  void vscode.window.showInformationMessage(noLinks(unshared(oneLine(agent.name), ended)));
}
