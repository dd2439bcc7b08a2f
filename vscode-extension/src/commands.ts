// What the commands do: one agent or task, one verb of the binary. Palette, menus, buttons and toasts all come here.

import * as vscode from 'vscode';
import { type Node } from './agentTree';
import type { Answering } from './answering';
import { type Client, CommandError } from './client';
import type { Documents } from './documents';
import type { Mutes } from './mutes';
import { type Asking, pickAgent } from './quickAttach';
import { removeAgents, removeTaskspace } from './removing';
import { liveBelow } from './rules/family';
import { nobody } from './rules/health';
import { nameMistake } from './rules/names';
import { Once } from './rules/once';
import { asks } from './rules/question';
import { noRecap, recapDocument, recapPath, recapsDocument, recapsOf } from './rules/recap';
import { notRestored } from './rules/restored';
import { isDriven } from './rules/seats';
import { hasEnded, hears, isAtWork, isAttachable, isLive, isResumable } from './rules/status';
import { stopQuestion } from './rules/stop';
import { noLinks, oneLine } from './rules/text';
import { share, unshare } from './sharing';
import { type Spawning, type Started, type Wanted, isWanted, offerAttach, offerFolder, openFolder } from './spawn';
import { attempt, noteDone, offer, tellRowGone, tellTrouble } from './tell';
import type { As, Terminals } from './terminals';
import type { Agent, Recap } from './types';
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

const isRow = (given: Given): given is Node => given !== undefined && !(given instanceof vscode.Uri) && !Array.isArray(given) && 'type' in given;

const agentIn = (given: Given): Agent | undefined => {
  if (isRow(given)) return given.type === 'agent' ? given.agent : undefined;
  return given instanceof vscode.Uri || Array.isArray(given) ? undefined : given;
};

export function agentCommands(parts: Parts): vscode.Disposable {
  const { client, answering, watch, terminals, spawning, documents, mutes } = parts;

  /** Registers a command for one agent; without one the person is asked which. One that ends it, and says whether it
   *  did, leaves the keyboard in the view when it is given there. */
  const forAgent = (id: string, asking: () => Omit<Asking, 'title'> & { title?: string }, act: (agent: Agent, ...rest: unknown[]) => Promise<unknown>, after?: 'it has ended') =>
    vscode.commands.registerCommand(`symposium.${id}`, (given: Given, ...rest: unknown[]) =>
      attempt(async () => {
        if (tellRowGone(given, rest)) return;
        const given_ = agentIn(given);
        const among = Array.isArray(given) ? { wanted: ({ id: known }: Agent) => given.some((each) => each.id === known) } : {};
        // What was shown may be older than what is.
        const agent = given_ === undefined ? await pickAgent(watch, { title: t('Agents'), ...asking(), ...among }) : watch.present(given_);
        if (agent === undefined) return;
        if (after === 'it has ended' && isRow(given)) await terminals.stayInView([agent, ...liveBelow(agent, watch.agents)], () => act(agent, ...rest));
        else await act(agent, ...rest);
      }),
    );

  const verb = (...args: string[]) => client.json(['agent', ...args]).finally(() => void watch.look());

  /** Those that are being brought back: the second click of a double one would be told that it runs. */
  const resuming = new Once();

  const resume = (agent: Agent, as: As, location?: 'panel' | 'editor') =>
    resuming.run(agent.id, async () => {
      await verb('resume', agent.name);
      // What was known is that it has no process.
      await watch.look();
      await terminals.show(agent, as, location);
    });

  /** Shows the terminal on an agent. What has ended is not there again by that: it is offered to bring it back, beside its
   *  last screen when there is one. */
  const show = async (agent: Agent, as: As, location?: 'panel' | 'editor') => {
    if (isAttachable(agent)) {
      await terminals.show(agent, as, location);
      noteDone('didReturn');
    }
    if (!hasEnded(agent)) return;
    const yes = t('Resume and Attach');
    const text = noLinks(t('{0} does not run: {1}', oneLine(agent.name), oneLine(agent.reason)));
    // Not waited for: what is shown of it may be all that was wanted.
    void vscode.window.showInformationMessage(text, yes).then((chosen) => {
      if (chosen === yes) void attempt(async () => resume(watch.present(agent), as, location));
    });
  };

  /** Asks what is to be started, and shows it; not when that would be in vain. */
  const begin = (ask: () => Promise<Started>, then: (agent: Agent) => void = () => undefined) =>
    attempt(async () => {
      if (tellTrouble(watch)) return;
      // What was there when it was last looked for may be gone.
      await client.version();
      const { agent, isLate } = await ask();
      noteDone('didSpawn');
      if (isLate) offerAttach(agent);
      else await terminals.show(agent, 'driver');
      then(agent);
    });

  const live = (placeholder: string) => () => ({ placeholder, wanted: isLive, none: t('No agent runs.') });
  const any = (placeholder: string) => () => ({ placeholder });

  return vscode.Disposable.from(
    forAgent('attach', () => ({ title: t('Attach to Agent'), placeholder: t('Which agent? Its terminal is shown'), actions: 'actions' }), (agent) => show(agent, 'driver')),
    forAgent('attachInEditor', any(t('Which agent? Its terminal opens in the editor area')), (agent) => show(agent, 'driver', 'editor')),
    forAgent('observe', () => ({ placeholder: t('Watch whom?'), wanted: isAttachable, none: t('No agent runs.') }), (agent) => show(agent, 'observer')),
    forAgent('takeOver', () => ({ placeholder: t('Take over whom? Who drives now watches then'), wanted: isDriven }), (agent) => terminals.takeOver(agent)),
    terminals.onWatching(offerTakeOver),
    forAgent('send', () => ({ placeholder: t('Send a prompt to whom?'), wanted: hears, none: t('No agent runs.') }), async (agent) => {
      const text = await vscode.window.showInputBox({ title: t('Send to {0}', agent.name), placeHolder: t('The prompt'), ignoreFocusOut: true });
      if (text === undefined || text.trim() === '') return;
      const { name } = watch.present(agent);
      const progress = { location: vscode.ProgressLocation.Window, title: t('Sending to {0}', name) };
      await vscode.window.withProgress(progress, () => client.json(['agent', 'send', name, '-'], { stdin: text }));
      vscode.window.setStatusBarMessage(`$(check) ${t('delivered to {0}', name)}`, 5_000);
    }),
    forAgent('approve', () => ({ placeholder: t('Say yes to whom?'), wanted: asks, none: t('No agent asks for an approval.') }), (agent, seen) => answering.answer('approve', agent, seen)),
    forAgent('deny', () => ({ placeholder: t('Say no to whom?'), wanted: asks, none: t('No agent asks for an approval.') }), (agent, seen) => answering.answer('deny', agent, seen)),
    forAgent('interrupt', () => ({ placeholder: t('Interrupt whom?'), wanted: isAtWork, none: t('No agent works.') }), (agent) => verb('interrupt', agent.name)),
    forAgent('stop', live(t('Stop whom?')), (agent) => stop(parts, agent), 'it has ended'),
    forAgent('restart', live(t('Restart whom?')), (agent) => verb('restart', agent.name)),
    forAgent('resume', () => ({ placeholder: t('Bring back whom?'), wanted: isResumable, none: t('All agents run.') }), (agent) => resume(agent, 'driver')),
    forAgent('hibernate', () => ({ placeholder: t('Put whom to sleep?'), wanted: ({ status }) => status === 'idle' }), (agent) => verb('hibernate', agent.name)),
    forAgent('rename', any(t('Rename whom?')), async (agent) => {
      const taken = watch.agents.map(({ name }) => name);
      const wanted = await vscode.window.showInputBox({
        title: t('Rename {0}', agent.name),
        value: agent.name,
        validateInput: (name) => (name === agent.name ? undefined : nameMistake(name, taken)),
      });
      if (wanted === undefined || wanted === agent.name) return;
      await verb('rename', watch.present(agent).name, wanted);
    }),
    forAgent('share', live(t('Share whom?')), (agent) => share(client, watch, agent)),
    forAgent('unshare', any(t('Stop sharing whom?')), (agent) => unshare(client, agent)),
    forAgent('remove', any(t('Remove whom?')), (agent) => removeAgents(client, watch, [agent]), 'it has ended'),
    forAgent('peek', () => ({ placeholder: t('Look at whose screen?'), wanted: isAttachable }), async (agent) =>
      documents.showText(`/screen/${agent.name}/${t('{0} screen', agent.name)}.txt`, (await client.screen(agent.name)).join('\n')),
    ),
    forAgent('logs', any(t('Whose transcript?')), async (agent) => documents.showText(`/transcript/${agent.name}/${t('{0} transcript', agent.name)}.log`, await client.transcript(agent.name), 'end')),
    forAgent('recap', any(t('Whose recap?')), async (agent) => documents.showMarkdown(recapPath([agent.name]), recapDocument(await client.recap(agent.name)))),
    vscode.commands.registerCommand('symposium.approveSome', (agents: readonly Agent[]) => attempt(() => answering.approveSome(agents))),
    vscode.commands.registerCommand('symposium.recapSome', (agents: readonly Agent[], since?: string) => attempt(() => recapSome(parts, agents, since))),
    forAgent('openFolder', any(t('Whose folder?')), openFolder),
    forAgent('mute', () => ({ placeholder: t('Mute whom?'), wanted: (agent) => !mutes.has(agent) }), (agent) => mutes.set(agent, 'muted')),
    forAgent('unmute', () => ({ placeholder: t('Unmute whom?'), wanted: (agent) => mutes.has(agent) }), (agent) => mutes.set(agent, 'told')),
    vscode.commands.registerCommand('symposium.spawn', (given?: Given | Partial<Wanted>) =>
      begin(() => (isWanted(given) ? spawning.asTold(given) : spawning.agent(folderIn(given)))),
    ),
    vscode.commands.registerCommand('symposium.newTaskspace', (given?: Given) =>
      begin(() => spawning.taskspace(folderIn(given)), (agent) => void offerFolder(agent)),
    ),
    vscode.commands.registerCommand('symposium.deleteTaskspace', () => attempt(() => removeTaskspace(client, watch))),
    vscode.commands.registerCommand('symposium.restoreAll', () => attempt(() => restoreLost(parts))),
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

/** The recaps that were in a document, which VS Code has brought back without its text. */
export async function recapAgain(client: Client, path: string): Promise<string> {
  const names = recapsOf(path);
  const { there, failure } = await recapsNow(client, names);
  if (there.length > 0 || failure === undefined) return recapsDocument(there);
  const isGone = failure instanceof CommandError && failure.code === 'no-such-agent';
  return noRecap(names.join(', '), isGone ? t('There is no agent of this name any more.') : failure instanceof Error ? failure.message : t('it could not be read'));
}

/** The recaps of these agents, and why one has none. */
async function recapsNow(client: Client, names: readonly string[], since?: string): Promise<{ there: Recap[]; failure: unknown }> {
  const recaps = await Promise.allSettled(names.map((name) => client.recap(name, since)));
  const there = recaps.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [failure] = recaps.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  return { there, failure };
}

/** At most so many are told in one document; who has more news looks at the view. */
const RECAPS = 10;

/** The recaps of several agents as one document. One that is gone by now has none. */
async function recapSome({ client, documents }: Parts, agents: readonly Agent[], since?: string): Promise<void> {
  const names = agents.slice(0, RECAPS).map(({ name }) => name);
  const { there, failure } = await recapsNow(client, names, since);
  if (there.length === 0) throw failure;
  await documents.showMarkdown(recapPath(names), recapsDocument(there));
}

/** Brings back what is lost. Rows that change tell of it, so more is said only where none does. */
async function restoreLost({ client, watch }: Parts): Promise<void> {
  const { back, failed } = await client.restoreLost().finally(() => void watch.look());
  const failure = notRestored(failed);
  if (failure !== undefined) throw failure;
  if (back.length === 0) offer(nobody(watch.agents.length, t('No agent is lost.')));
}

/** Ends an agent; its record and conversation stay. A turn is not cut off without a question, and an agent that is ended
 *  without one can be resumed from the message. Returns whether it was ended. */
async function stop({ client, watch }: Parts, agent: Agent): Promise<boolean> {
  const below = liveBelow(agent, watch.agents);
  const question = stopQuestion(agent, below);
  const options: string[] = [];
  if (question !== undefined) {
    const chosen = await vscode.window.showWarningMessage(question.message, { modal: true, detail: question.detail }, ...question.buttons.map(({ title }) => title));
    const taken = question.buttons.find(({ title }) => title === chosen);
    if (taken === undefined) return false;
    options.push(...taken.options);
  }
  const { name } = watch.present(agent);
  const progress = { location: vscode.ProgressLocation.Window, title: t('Stopping {0}', name) };
  await vscode.window.withProgress(progress, () => client.json(['agent', 'kill', name, ...options])).then(() => watch.look());
  if (question === undefined) offerResume(agent);
  return true;
}

/** Offers to undo a stop that was not asked about. Not waited for. */
function offerResume(agent: Agent): void {
  const resume = t('Resume');
  void vscode.window.showInformationMessage(noLinks(t('{0} was stopped. Its conversation is kept.', oneLine(agent.name))), resume).then((chosen) => {
    if (chosen === resume) void vscode.commands.executeCommand('symposium.resume', agent);
  });
}
