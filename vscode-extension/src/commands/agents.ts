// What the commands do: one agent or task, one verb of the binary. Palette, menus, buttons and toasts all come here.

import * as vscode from 'vscode';
import { type AgentTree, type Node, ROW_CLICKED } from '../views/agentTree';
import type { Answering } from './approve';
import { type Client, CommandError } from '../binary/client';
import type { Composer } from './promptEditor';
import type { Documents } from '../views/documents';
import type { Mutes } from '../notify/mutes';
import { type Asking, pickAgent } from '../views/agentPicker';
import { removeAgents, removeTaskspace } from './remove';
import { reviewChanges } from './review';
import { Clicks } from '../rules/views/doubleClick';
import { liveBelow } from '../rules/agent/descendants';
import { nobody } from '../rules/binary/health';
import { pickEntry } from '../rules/views/labels';
import { nameMistake } from '../rules/agent/agentName';
import { nextWaiting } from '../rules/views/nextWaiting';
import { Once } from '../rules/commands/singleFlight';
import { asks } from '../rules/agent/question';
import { noRecap, recapDocument, recapPath, recapsDocument, recapsOf } from '../rules/views/recapDocument';
import { notRestored } from '../rules/commands/restoreSummary';
import { isDriven } from '../rules/terminals/attachedTerminals';
import { hasEnded, hears, isAtWork, isAttachable, isLive, isResumable } from '../rules/agent/status';
import { stopQuestion, stopSeveralQuestion } from '../rules/commands/stopQuestion';
import { noLinks, oneLine } from '../rules/agent/sanitize';
import { sendPrompt } from './sendPrompt';
import { settings } from '../settings';
import { share, unshare } from './share';
import { type Spawning, type Started, type Wanted, isWanted, offerAttach, offerFolder, openFolder } from './spawn';
import { attempt, offer, tellRowGone, tellTrouble } from '../notify/messages';
import type { As, Terminals } from '../terminals/terminals';
import { withSpecTrust } from './specTrust';
import type { Agent, Recap } from '../binary/types';
import { noteDone } from '../walkthrough';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

export interface Parts {
  client: Client;
  answering: Answering;
  watch: Watch;
  terminals: Terminals;
  spawning: Spawning;
  documents: Documents;
  mutes: Mutes;
  tree: AgentTree;
  composer: Composer;
}

/** The argument of a key binding in the view, in place of a row: VS Code gives key bindings no row. */
const SELECTION = 'selection';

/** The argument of a command: an agent, several to choose from, a row of the view, the selected rows, a folder of the
 *  explorer, or nothing. */
type Given = Agent | Agent[] | Node | vscode.Uri | typeof SELECTION | undefined;

const isRow = (given: unknown): given is Node => typeof given === 'object' && given !== null && !(given instanceof vscode.Uri) && !Array.isArray(given) && 'type' in given;

const agentIn = (given: Given): Agent | undefined => {
  if (isRow(given)) return given.type === 'agent' ? given.agent : undefined;
  return given === SELECTION || given instanceof vscode.Uri || Array.isArray(given) ? undefined : given;
};

/** The agents of several selected rows, which VS Code gives as the second argument. */
const agentsOfRows = (rows: unknown): Agent[] =>
  Array.isArray(rows) ? [...new Map(rows.filter(isRow).flatMap((row) => (row.type === 'agent' ? [[row.agent.id, row.agent]] : []))).values()] : [];

/** What a command does, and what it does with several selected agents. */
interface Verb {
  one: (agent: Agent, ...rest: unknown[]) => Promise<unknown>;
  several?: (agents: Agent[]) => Promise<unknown>;
  /** Whether agents end by it: then the keyboard stays in the view. */
  after?: 'it has ended';
}

export function agentCommands(parts: Parts): vscode.Disposable {
  const { client, answering, watch, terminals, spawning, documents, mutes, tree, composer } = parts;

  /** Registers a command for an agent; without one the person is asked which. What was shown may be older than what is, so
   *  the agents are looked up again. */
  const forAgent = (id: string, asking: () => Omit<Asking, 'title'> & { title?: string }, act: Verb | Verb['one']) => {
    const { one, several, after }: Verb = typeof act === 'function' ? { one: act } : act;
    return vscode.commands.registerCommand(`symposium.${id}`, (given: Given, ...rest: unknown[]) =>
      attempt(async () => {
        if (tellRowGone(given, rest)) return;
        pendingClick.cancel();
        const isFromView = isRow(given) || given === SELECTION;
        const selected = given === SELECTION ? tree.selected : isRow(given) ? agentsOfRows(rest[0]) : [];
        const agents = selected.length > 1 && several !== undefined ? selected.map((agent) => watch.present(agent)) : [];
        const run = (those: readonly Agent[], act: () => Promise<unknown>) =>
          after === 'it has ended' && isFromView ? terminals.stayInView(those.flatMap((agent) => [agent, ...liveBelow(agent, watch.agents)]), act) : act();
        if (several !== undefined && agents.length > 1) {
          await run(agents, () => several(agents));
          return;
        }
        const shown = given === SELECTION ? selected[0] : agentIn(given);
        // A key on the row of a project is meant for VS Code.
        if (given === SELECTION && shown === undefined) {
          if (id === 'attach') await vscode.commands.executeCommand('list.toggleExpand');
          return;
        }
        const among = Array.isArray(given) ? { wanted: ({ id: known }: Agent) => given.some((each) => each.id === known) } : {};
        const agent = shown === undefined ? await pickAgent(watch, { title: t('Agents'), ...asking(), ...among }) : watch.present(shown);
        if (agent !== undefined) await run([agent], () => one(agent, ...rest));
      }),
    );
  };

  const pendingClick = new PendingClick();
  const clicks = new Clicks();
  let visited: string | undefined;

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
      noteDone('returned');
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
      noteDone('spawned');
      if (isLate) offerAttach(agent);
      else await terminals.show(agent, 'driver');
      then(agent);
    });

  const live = (placeholder: string) => () => ({ placeholder, wanted: isLive, none: t('No agent runs.') });
  const any = (placeholder: string) => () => ({ placeholder });

  return vscode.Disposable.from(
    forAgent('attach', () => ({ title: t('Attach to Agent'), placeholder: t('Which agent? Its terminal is shown'), actions: 'actions' }), (agent) => show(agent, 'driver')),
    forAgent('attachInEditor', any(t('Which agent? Its terminal opens in the editor area')), (agent) => show(agent, 'driver', 'editor')),
    forAgent('observe', () => ({ placeholder: t('Watch which agent?'), wanted: isAttachable, none: t('No agent runs.') }), (agent) => show(agent, 'observer')),
    forAgent('takeOver', () => ({ placeholder: t('Take over which agent? The terminal that drives it now only watches then'), wanted: isDriven }), (agent) => terminals.takeOver(agent)),
    terminals.onWatching(offerTakeOver),
    forAgent('send', () => ({ placeholder: t('Send a prompt to which agent?'), wanted: hears, none: t('No agent runs.') }), async (agent) => {
      const text = await composer.ask(t('Send to {0}', agent.name), t('The prompt'));
      if (text !== undefined) await sendPrompt(client, watch.present(agent), text);
    }),
    forAgent('approve', () => ({ placeholder: t('Approve for which agent?'), wanted: asks, none: t('No agent asks for an approval.') }), { one: (agent, seen) => answering.answer('approve', agent, seen), several: (agents) => answering.approveSome(agents) }),
    forAgent('deny', () => ({ placeholder: t('Deny for which agent?'), wanted: asks, none: t('No agent asks for an approval.') }), (agent, seen) => answering.answer('deny', agent, seen)),
    forAgent('interrupt', () => ({ placeholder: t('Interrupt which agent?'), wanted: isAtWork, none: t('No agent works.') }), { one: (agent) => verb('interrupt', agent.name), several: (agents) => each(agents.filter(isAtWork), ({ name }) => verb('interrupt', name)) }),
    forAgent('stop', live(t('Stop which agent?')), { one: (agent) => stop(parts, agent), several: (agents) => stopSeveral(parts, agents.filter(isLive)), after: 'it has ended' }),
    forAgent('restart', live(t('Restart which agent?')), (agent) => withSpecTrust((options) => verb('restart', agent.name, ...options))),
    forAgent('resume', () => ({ placeholder: t('Resume which agent?'), wanted: isResumable, none: t('All agents run.') }), { one: (agent) => resume(agent, 'driver'), several: (agents) => each(agents.filter(isResumable), ({ name }) => verb('resume', name)) }),
    forAgent('hibernate', () => ({ placeholder: t('Hibernate which agent?'), wanted: ({ status }) => status === 'idle' }), { one: (agent) => verb('hibernate', agent.name), several: (agents) => each(agents.filter(({ status }) => status === 'idle'), ({ name }) => verb('hibernate', name)) }),
    forAgent('rename', any(t('Rename which agent?')), async (agent) => {
      const taken = watch.agents.map(({ name }) => name);
      const wanted = await vscode.window.showInputBox({
        title: t('Rename {0}', agent.name),
        value: agent.name,
        validateInput: (name) => (name === agent.name ? undefined : nameMistake(name, taken)),
      });
      if (wanted === undefined || wanted === agent.name) return;
      await verb('rename', watch.present(agent).name, wanted);
    }),
    forAgent('share', live(t('Share which agent?')), (agent) => share(client, watch, agent)),
    forAgent('unshare', any(t('Stop sharing which agent?')), (agent) => unshare(client, agent)),
    forAgent('remove', any(t('Remove which agent?')), { one: (agent) => removeAgents(client, watch, [agent]), several: (agents) => removeAgents(client, watch, agents), after: 'it has ended' }),
    vscode.commands.registerCommand('symposium.prune', () => attempt(() => prune(parts))),
    forAgent('peek', () => ({ placeholder: t('Show the screen of which agent?'), wanted: isAttachable }), async (agent) =>
      documents.showText(`/screen/${agent.name}/${t('{0} screen', agent.name)}.txt`, (await client.screen(agent.name)).join('\n')),
    ),
    vscode.commands.registerCommand('symposium.peekAgain', (given?: unknown) =>
      attempt(async () => {
        const name = given instanceof vscode.Uri ? given.path.split('/')[2] : undefined;
        const agent = name === undefined ? undefined : watch.agent(name);
        if (agent === undefined) offer({ level: 'information', text: t('There is no agent of this name any more.'), choices: [] });
        else await vscode.commands.executeCommand('symposium.peek', agent);
      }),
    ),
    forAgent('review', any(t('Review the changes of which agent?')), (agent) => reviewChanges(agent)),
    forAgent('logs', any(t('Show the transcript of which agent?')), async (agent) => documents.showText(`/transcript/${agent.name}/${t('{0} transcript', agent.name)}.log`, await client.transcript(agent.name), 'end')),
    forAgent('recap', any(t('Show the recap of which agent?')), {
      one: async (agent) => documents.showMarkdown(recapPath([agent.name]), recapDocument(await client.recap(agent.name))),
      several: (agents) => recapSome(parts, agents),
    }),
    vscode.commands.registerCommand('symposium.approveSome', (agents: readonly Agent[]) => attempt(() => answering.approveSome(agents))),
    vscode.commands.registerCommand('symposium.recapSome', (agents: readonly Agent[], since?: string) => attempt(() => recapSome(parts, agents, since))),
    forAgent('openFolder', any(t('Open the folder of which agent?')), (agent) => openFolder(agent)),
    forAgent('mute', () => ({ placeholder: t('Mute which agent?'), wanted: (agent) => !mutes.has(agent) }), { one: (agent) => mutes.set(agent, 'muted'), several: (agents) => each(agents, (agent) => mutes.set(agent, 'muted')) }),
    forAgent('unmute', () => ({ placeholder: t('Unmute which agent?'), wanted: (agent) => mutes.has(agent) }), { one: (agent) => mutes.set(agent, 'told'), several: (agents) => each(agents, (agent) => mutes.set(agent, 'told')) }),
    vscode.commands.registerCommand('symposium.spawn', (given?: Given | Partial<Wanted>) =>
      begin(() => (isWanted(given) ? spawning.asTold(given) : spawning.agent(folderIn(given))), (agent) => {
        if (agent.workspace === 'worktree') void offerFolder(agent);
      }),
    ),
    vscode.commands.registerCommand('symposium.newTaskspace', (given?: Given) =>
      begin(() => spawning.taskspace(folderIn(given)), (agent) => void offerFolder(agent)),
    ),
    vscode.commands.registerCommand('symposium.deleteTaskspace', () => attempt(() => removeTaskspace(client, watch))),
    vscode.commands.registerCommand(ROW_CLICKED, (id: string) => {
      const open = () => void vscode.commands.executeCommand('symposium.attach', watch.agents.find((agent) => agent.id === id));
      if (settings.openOnClick() === 'singleClick') pendingClick.soon(open);
      else if (clicks.isDouble(id, Date.now())) open();
    }),
    vscode.commands.registerCommand('symposium.nextWaiting', () =>
      attempt(async () => {
        if (tellTrouble(watch)) return;
        const agent = nextWaiting(watch.agents, visited);
        visited = agent?.id;
        if (agent === undefined) offer(nobody(watch.agents.length, t('No agent needs you.')));
        else await show(agent, 'driver');
      }),
    ),
    pendingClick,
    vscode.commands.registerCommand('symposium.restoreAll', () => attempt(() => restoreLost(parts))),
  );
}

/** Does something with one agent after the other; a failure with one does not stop the others. */
async function each(agents: readonly Agent[], act: (agent: Agent) => Promise<unknown>): Promise<void> {
  for (const agent of agents) await attempt(() => act(agent));
}

/** A single click opens its row after this many milliseconds. */
const CLICK_OPENS_AFTER = 100;

/** A click that opens its row in a moment: a key that selects a row counts as a click, and its command comes just behind. */
class PendingClick implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;

  soon(open: () => void): void {
    this.cancel();
    this.timer = setTimeout(open, CLICK_OPENS_AFTER);
  }

  cancel(): void {
    clearTimeout(this.timer);
  }

  dispose(): void {
    this.cancel();
  }
}

/** Offers the agents that have ended for removal, those that ended by themselves or were stopped already ticked. */
async function prune({ client, watch }: Parts): Promise<void> {
  const over = watch.agents.filter(hasEnded);
  if (over.length === 0) {
    offer(nobody(watch.agents.length, t('No agent has ended.')));
    return;
  }
  const now = Date.now();
  const items = over.map((agent) => ({ ...pickEntry(agent, now), agent, picked: agent.status === 'exited' || agent.status === 'stopped' }));
  const chosen = await vscode.window.showQuickPick(items, { title: t('Remove Ended Agents'), placeHolder: t('Which ones?'), canPickMany: true, matchOnDescription: true, ignoreFocusOut: true });
  if (chosen !== undefined && chosen.length > 0) await removeAgents(client, watch, chosen.map(({ agent }) => agent));
}

/** Stops several agents after one question. Returns whether they were stopped. */
async function stopSeveral({ client, watch }: Parts, agents: readonly Agent[]): Promise<boolean> {
  const { message, detail, yes } = stopSeveralQuestion(agents);
  if (agents.length === 0 || (await vscode.window.showWarningMessage(message, { modal: true, detail }, yes)) !== yes) return false;
  await each(agents, async (agent) => client.json(['agent', 'kill', watch.present(agent).name]));
  await watch.look();
  return true;
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
