// What the commands do: one agent or task, one verb of the binary. Palette, menus, buttons and toasts all come here.

import * as vscode from 'vscode';
import { type Node } from './agentTree';
import type { Answering } from './answering';
import type { Client } from './client';
import type { Documents } from './documents';
import type { Mutes } from './mutes';
import { type Asking, pickAgent } from './quickAttach';
import { removeAgent, removeTaskspace } from './removing';
import { nameMistake } from './rules/names';
import { asks } from './rules/question';
import { recapDocument, recapsDocument } from './rules/recap';
import { isDriven } from './rules/seats';
import { hasEnded, hears, isAttachable, isLive, isResumable } from './rules/status';
import { noLinks, oneLine } from './rules/text';
import { share, unshare } from './sharing';
import { type Spawning, type Wanted, isWanted, offerFolder, openFolder } from './spawn';
import { attempt } from './tell';
import type { As, Terminals } from './terminals';
import type { Agent } from './types';
import type { Watch } from './watch';
import { t } from './words';

export interface Parts {
  client: Client;
  answering: Answering;
  watch: Watch;
  terminals: Terminals;
  spawning: Spawning;
  documents: Documents;
  mutes: Mutes;
}

/** What a command is called with: an agent, several to choose from, a row of the view, a folder of the explorer, or
 *  nothing. */
type Given = Agent | Agent[] | Node | vscode.Uri | undefined;

const agentIn = (given: Given): Agent | undefined => {
  if (given === undefined || given instanceof vscode.Uri || Array.isArray(given)) return undefined;
  if ('type' in given) return given.type === 'agent' ? given.agent : undefined;
  return given;
};

export function agentCommands(parts: Parts): vscode.Disposable {
  const { client, answering, watch, terminals, spawning, documents, mutes } = parts;

  /** Registers a command for one agent; without one the person is asked which. */
  const forAgent = (id: string, asking: () => Omit<Asking, 'title'> & { title?: string }, act: (agent: Agent, ...rest: unknown[]) => Promise<unknown>) =>
    vscode.commands.registerCommand(`symposium.${id}`, (given: Given, ...rest: unknown[]) =>
      attempt(async () => {
        const given_ = agentIn(given);
        const among = Array.isArray(given) ? { wanted: ({ id: known }: Agent) => given.some((each) => each.id === known) } : {};
        // What was shown may be older than what is.
        const agent = given_ === undefined ? await pickAgent(watch, { title: t('Agents'), ...asking(), ...among }) : (watch.agents.find(({ id: known }) => known === given_.id) ?? given_);
        if (agent !== undefined) await act(agent, ...rest);
      }),
    );

  const verb = (...args: string[]) => client.json(['agent', ...args]).finally(() => void watch.look());

  const resume = async (agent: Agent, as: As, location?: 'panel' | 'editor') => {
    await verb('resume', agent.name);
    // What was known is that it has no process.
    await watch.look();
    await terminals.show(agent, as, location);
  };

  /** Shows the terminal on an agent. What has ended is not there again by that: it is offered to bring it back, beside its
   *  last screen when there is one. */
  const show = async (agent: Agent, as: As, location?: 'panel' | 'editor') => {
    if (isAttachable(agent)) await terminals.show(agent, as, location);
    if (!hasEnded(agent)) return;
    const yes = t('Resume and Attach');
    const text = noLinks(t('{0} does not run: {1}', oneLine(agent.name), oneLine(agent.reason)));
    // Not waited for: what is shown of it may be all that was wanted.
    void vscode.window.showInformationMessage(text, yes).then((chosen) => {
      if (chosen === yes) void attempt(() => resume(agent, as, location));
    });
  };

  const live = (placeholder: string) => () => ({ placeholder, wanted: isLive });
  const any = (placeholder: string) => () => ({ placeholder });

  return vscode.Disposable.from(
    forAgent('attach', () => ({ title: t('Attach to Agent'), placeholder: t('Which agent? Its terminal is shown'), actions: 'actions' }), (agent) => show(agent, 'driver')),
    forAgent('attachInEditor', any(t('Which agent? Its terminal opens in the editor area')), (agent) => show(agent, 'driver', 'editor')),
    forAgent('observe', () => ({ placeholder: t('Watch whom?'), wanted: isAttachable }), (agent) => show(agent, 'observer')),
    forAgent('takeOver', () => ({ placeholder: t('Take over whom? Who drives now watches then'), wanted: isDriven }), (agent) => terminals.takeOver(agent)),
    terminals.onWatching(offerTakeOver),
    forAgent('send', () => ({ placeholder: t('Send a prompt to whom?'), wanted: hears }), async (agent) => {
      const text = await vscode.window.showInputBox({ title: t('Send to {0}', agent.name), placeHolder: t('The prompt'), ignoreFocusOut: true });
      if (text === undefined || text.trim() === '') return;
      const progress = { location: vscode.ProgressLocation.Window, title: t('Sending to {0}', agent.name) };
      await vscode.window.withProgress(progress, () => client.json(['agent', 'send', agent.name, '-'], { stdin: text }));
      vscode.window.setStatusBarMessage(`$(check) ${t('delivered to {0}', agent.name)}`, 5_000);
    }),
    forAgent('approve', () => ({ placeholder: t('Say yes to whom?'), wanted: asks }), (agent, seen) => answering.answer('approve', agent, seen)),
    forAgent('deny', () => ({ placeholder: t('Say no to whom?'), wanted: asks }), (agent, seen) => answering.answer('deny', agent, seen)),
    forAgent('interrupt', live(t('Interrupt whom?')), (agent) => verb('interrupt', agent.name)),
    forAgent('stop', live(t('Stop whom?')), (agent) => stop(parts, agent)),
    forAgent('restart', live(t('Restart whom?')), (agent) => verb('restart', agent.name)),
    forAgent('resume', () => ({ placeholder: t('Bring back whom?'), wanted: isResumable }), (agent) => resume(agent, 'driver')),
    forAgent('hibernate', () => ({ placeholder: t('Put whom to sleep?'), wanted: ({ status }) => status === 'idle' }), (agent) => verb('hibernate', agent.name)),
    forAgent('rename', any(t('Rename whom?')), async (agent) => {
      const taken = watch.agents.map(({ name }) => name);
      const wanted = await vscode.window.showInputBox({
        title: t('Rename {0}', agent.name),
        value: agent.name,
        validateInput: (name) => (name === agent.name ? undefined : nameMistake(name, taken)),
      });
      if (wanted !== undefined && wanted !== agent.name) await verb('rename', agent.name, wanted);
    }),
    forAgent('share', live(t('Share whom?')), (agent) => share(client, agent)),
    forAgent('unshare', any(t('Stop sharing whom?')), (agent) => unshare(client, agent)),
    forAgent('remove', any(t('Remove whom?')), (agent) => removeAgent(client, watch, agent)),
    forAgent('peek', () => ({ placeholder: t('Look at whose screen?'), wanted: isAttachable }), async (agent) =>
      documents.showText(`/screen/${agent.name}.txt`, (await client.screen(agent.name)).join('\n')),
    ),
    forAgent('logs', any(t('Whose transcript?')), async (agent) => documents.showText(`/transcript/${agent.name}.log`, await client.transcript(agent.name), 'end')),
    forAgent('recap', any(t('Whose recap?')), async (agent) => documents.showMarkdown(`/recap/${agent.name}.md`, recapDocument(await client.recap(agent.name)))),
    vscode.commands.registerCommand('symposium.approveSome', (agents: readonly Agent[]) => attempt(() => answering.approveSome(agents))),
    vscode.commands.registerCommand('symposium.recapSome', (agents: readonly Agent[], since?: string) => attempt(() => recapSome(parts, agents, since))),
    forAgent('openFolder', any(t('Whose folder?')), openFolder),
    forAgent('mute', () => ({ placeholder: t('Mute whom?'), wanted: (agent) => !mutes.has(agent) }), (agent) => mutes.set(agent, 'muted')),
    forAgent('unmute', () => ({ placeholder: t('Unmute whom?'), wanted: (agent) => mutes.has(agent) }), (agent) => mutes.set(agent, 'told')),
    vscode.commands.registerCommand('symposium.spawn', (given?: Given | Partial<Wanted>) =>
      attempt(async () => {
        const agent = isWanted(given) ? await spawning.asTold(given) : await spawning.agent(folderIn(given));
        await terminals.show(agent, 'driver');
      }),
    ),
    vscode.commands.registerCommand('symposium.newTaskspace', (given?: Given) =>
      attempt(async () => {
        const agent = await spawning.taskspace(folderIn(given));
        await terminals.show(agent, 'driver');
        void offerFolder(agent);
      }),
    ),
    vscode.commands.registerCommand('symposium.deleteTaskspace', () => attempt(() => removeTaskspace(client, watch))),
    vscode.commands.registerCommand('symposium.restoreAll', () => attempt(() => verb('restore', '--all'))),
  );
}

/** Whoever attached to type is told why nothing happens then, and what helps. */
function offerTakeOver(agent: Agent): void {
  const take = t('Take Over');
  const text = noLinks(t('You only watch {0}: another terminal drives it.', oneLine(agent.name)));
  void vscode.window.showInformationMessage(text, take).then((chosen) => {
    if (chosen === take) void vscode.commands.executeCommand('symposium.takeOver', agent);
  });
}

const folderIn = (given: Given): string | undefined =>
  given instanceof vscode.Uri && given.scheme === 'file' ? given.fsPath : undefined;

/** At most so many are told in one document; who has more news looks at the view. */
const RECAPS = 10;

/** The recaps of several agents as one document. One that is gone by now has none. */
async function recapSome({ client, documents }: Parts, agents: readonly Agent[], since?: string): Promise<void> {
  const [only, ...others] = agents;
  const recaps = await Promise.allSettled(agents.slice(0, RECAPS).map(({ name }) => client.recap(name, since)));
  const there = recaps.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [failure] = recaps.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (there.length === 0) throw failure;
  const path = only !== undefined && others.length === 0 ? `/recap/${only.name}.md` : '/recap/several.md';
  await documents.showMarkdown(path, recapsDocument(there));
}

/** Ends an agent; its record and conversation stay, so only children are asked about. */
async function stop({ client, watch }: Parts, agent: Agent): Promise<void> {
  const children = watch.agents.filter((other) => other.parent === agent.name && isLive(other));
  const args = ['agent', 'kill', agent.name];
  if (children.length > 0) {
    const all = t('Stop All');
    const one = t('Only {0}', agent.name);
    const names = children.map(({ name }) => oneLine(name)).join(', ');
    const chosen = await vscode.window.showWarningMessage(noLinks(t('{0} has children that run: {1}', agent.name, names)), { modal: true }, all, one);
    if (chosen === undefined) return;
    if (chosen === all) args.push('--with-children');
  }
  const progress = { location: vscode.ProgressLocation.Window, title: t('Stopping {0}', agent.name) };
  await vscode.window.withProgress(progress, () => client.json(args)).then(() => watch.look());
}
