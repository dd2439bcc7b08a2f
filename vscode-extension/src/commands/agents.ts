// The commands on agents. Palette, menus, keys, buttons and notifications all run these commands.

import * as vscode from 'vscode';
import { type AgentTree, type Node, ROW_CLICKED } from '../views/agentTree';
import type { Approvals } from './approve';
import { type Client, CommandError } from '../binary/client';
import type { PromptEditor } from './promptEditor';
import type { Documents } from '../views/documents';
import type { Mutes } from '../notify/mutes';
import { type PickOptions, pickAgent } from '../views/agentPicker';
import { removeAgents, removeTaskspace } from './remove';
import type { Reviews } from '../review/reviews';
import { DoubleClickDetector } from '../rules/views/doubleClick';
import { liveDescendants } from '../rules/agent/descendants';
import { noAgentMessage } from '../rules/binary/health';
import { pickEntry, sharedUsers } from '../rules/views/labels';
import { activeShares } from '../rules/views/shares';
import { nameError } from '../rules/agent/agentName';
import { nextWaiting } from '../rules/views/nextWaiting';
import { SingleFlight } from '../rules/commands/singleFlight';
import { needsApproval } from '../rules/agent/question';
import { missingRecapDocument, recapDocument, recapPath, recapsDocument, namesInRecapPath } from '../rules/views/recapDocument';
import { restoreError } from '../rules/commands/restoreSummary';
import { isDriven } from '../rules/terminals/attachedTerminals';
import { hasEnded, canReceivePrompt, isWorking, isAttachable, isLive, isResumable } from '../rules/agent/status';
import { stopQuestion, stopSeveralQuestion } from '../rules/commands/stopQuestion';
import { withoutLinks, oneLine } from '../rules/agent/sanitize';
import { sendPrompt } from './sendPrompt';
import { settings } from '../settings';
import { share, unshare } from './share';
import { type SpawnWizard, type StartedAgent, type SpawnRequest, isSpawnRequest, offerAttach, offerFolder, openFolder } from './spawn';
import { attempt, showMessage, reportRowGone, reportTrouble } from '../notify/messages';
import type { As, Terminals } from '../terminals/terminals';
import { withSpecTrust } from './specTrust';
import type { Agent, Recap } from '../binary/types';
import { completeStep } from '../walkthrough';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

export interface AgentCommandParts {
  client: Client;
  answering: Approvals;
  watch: AgentWatch;
  terminals: Terminals;
  spawning: SpawnWizard;
  documents: Documents;
  mutes: Mutes;
  tree: AgentTree;
  composer: PromptEditor;
  reviews: Reviews;
}

/** The argument of a key binding in the view, which gets no row from VS Code. */
const SELECTION = 'selection';

/** The argument of a command: an agent, several to choose from, a row of the view, the selected rows, a folder of the
 *  explorer, or nothing. */
type CommandArgument = Agent | Agent[] | Node | vscode.Uri | typeof SELECTION | undefined;

const isRow = (given: unknown): given is Node => typeof given === 'object' && given !== null && !(given instanceof vscode.Uri) && !Array.isArray(given) && 'type' in given;

const agentIn = (given: CommandArgument): Agent | undefined => {
  if (isRow(given)) return given.type === 'agent' ? given.agent : undefined;
  return given === SELECTION || given instanceof vscode.Uri || Array.isArray(given) ? undefined : given;
};

/** Returns the agents of the selected rows, which VS Code passes as the second argument. */
const agentsOfRows = (rows: unknown): Agent[] =>
  Array.isArray(rows) ? [...new Map(rows.filter(isRow).flatMap((row) => (row.type === 'agent' ? [[row.agent.id, row.agent]] : []))).values()] : [];

/** What a command does with one agent, and with several selected agents. */
interface Verb {
  one: (agent: Agent, ...rest: unknown[]) => Promise<unknown>;
  several?: (agents: Agent[]) => Promise<unknown>;
  /** Whether the command ends agents. Then the keyboard focus stays in the view. */
  after?: 'it has ended';
}

export function agentCommands(parts: AgentCommandParts): vscode.Disposable {
  const { client, answering, watch, terminals, spawning, documents, mutes, tree, composer, reviews } = parts;

  /** Registers a command for an agent. Without an argument the user chooses one. The view may be out of date, so the
   *  agents are looked up again. */
  const forAgent = (id: string, asking: () => Omit<PickOptions, 'title'> & { title?: string }, act: Verb | Verb['one']) => {
    const { one, several, after }: Verb = typeof act === 'function' ? { one: act } : act;
    return vscode.commands.registerCommand(`symposium.${id}`, (given: CommandArgument, ...rest: unknown[]) =>
      attempt(async () => {
        if (reportRowGone(given, rest)) return;
        pendingClick.cancel();
        if (given === SELECTION) clicks.forget();
        const isFromView = isRow(given) || given === SELECTION;
        const selected = given === SELECTION ? tree.selected : isRow(given) ? agentsOfRows(rest[0]) : [];
        const agents = selected.length > 1 && several !== undefined ? selected.map((agent) => watch.current(agent)) : [];
        const run = (those: readonly Agent[], act: () => Promise<unknown>) =>
          after === 'it has ended' && isFromView ? terminals.stayInView(those.flatMap((agent) => [agent, ...liveDescendants(agent, watch.agents)]), act) : act();
        if (several !== undefined && agents.length > 1) {
          await run(agents, () => several(agents));
          return;
        }
        const shown = given === SELECTION ? selected[0] : agentIn(given);
        // On the row of a project the key has its meaning in VS Code.
        if (given === SELECTION && shown === undefined) {
          if (id === 'attach') await vscode.commands.executeCommand('list.toggleExpand');
          return;
        }
        const among = Array.isArray(given) ? { wanted: ({ id: known }: Agent) => given.some((forEachAgent) => forEachAgent.id === known) } : {};
        const agent = shown === undefined ? await pickAgent(watch, { title: t('Agents'), ...asking(), ...among }) : watch.current(shown);
        if (agent !== undefined) await run([agent], () => one(agent, ...rest));
      }),
    );
  };

  const pendingClick = new PendingClick();
  const clicks = new DoubleClickDetector();
  let visited: string | undefined;

  const verb = (...args: string[]) => client.json(['agent', ...args]).finally(() => void watch.refresh());

  /** Agents that are being resumed. The second click of a double click must not report that the agent runs already. */
  const resuming = new SingleFlight();

  const resume = (agent: Agent, as: As, location?: 'panel' | 'editor') =>
    resuming.run(agent.id, async () => {
      await verb('resume', agent.name);
      // The known state has no process yet.
      await watch.refresh();
      await terminals.show(agent, as, location);
    });

  /** Shows the terminal of an agent. For an agent that has ended, this is its last screen, with an offer to resume it. */
  const show = async (agent: Agent, as: As, location?: 'panel' | 'editor') => {
    if (isAttachable(agent)) {
      await terminals.show(agent, as, location);
      completeStep('returned');
    }
    if (!hasEnded(agent)) return;
    const yes = t('Resume and Attach');
    const text = withoutLinks(t('{0} is not running: {1}', oneLine(agent.name), oneLine(agent.reason)));
    // The last screen may be all that the user wanted, so the offer does not block.
    void vscode.window.showInformationMessage(text, yes).then((chosen) => {
      if (chosen === yes) void attempt(async () => resume(watch.current(agent), as, location));
    });
  };

  /** Asks what to start and shows the terminal. Asks nothing if the start would fail. */
  const begin = (ask: () => Promise<StartedAgent>, then: (agent: Agent) => void = () => undefined) =>
    attempt(async () => {
      if (reportTrouble(watch)) return;
      // The binary may be missing by now.
      await client.version();
      const { agent, isLate } = await ask();
      completeStep('spawned');
      if (isLate) offerAttach(agent);
      else await terminals.show(agent, 'driver');
      then(agent);
    });

  const live = (placeholder: string) => () => ({ placeholder, wanted: isLive, none: t('No agent is running.') });
  const any = (placeholder: string) => () => ({ placeholder });

  return vscode.Disposable.from(
    forAgent('attach', () => ({ title: t('Attach to Agent'), placeholder: t('Which agent? Its terminal is shown'), actions: 'actions' }), (agent) => show(agent, 'driver')),
    forAgent('attachInEditor', any(t('Which agent? Its terminal opens in the editor area')), (agent) => show(agent, 'driver', 'editor')),
    forAgent('observe', () => ({ placeholder: t('Watch which agent?'), wanted: isAttachable, none: t('No agent is running.') }), (agent) => show(agent, 'observer')),
    forAgent('takeOver', () => ({ placeholder: t('Take over which agent? Its present driver will only watch'), wanted: isDriven }), (agent) => terminals.takeOver(agent)),
    terminals.onWatching(offerTakeOver),
    forAgent('send', () => ({ placeholder: t('Send a prompt to which agent?'), wanted: canReceivePrompt, none: t('No agent is running.') }), async (agent) => {
      const text = await composer.ask(t('Send to {0}', agent.name), t('The prompt'));
      if (text !== undefined) await sendPrompt(client, watch.current(agent), text);
    }),
    forAgent('approve', () => ({ placeholder: t('Approve for which agent?'), wanted: needsApproval, none: t('No agent asks for an approval.') }), { one: (agent, seen) => answering.answer('approve', agent, seen), several: (agents) => answering.approveSome(agents) }),
    forAgent('deny', () => ({ placeholder: t('Deny for which agent?'), wanted: needsApproval, none: t('No agent asks for an approval.') }), (agent, seen) => answering.answer('deny', agent, seen)),
    forAgent('interrupt', () => ({ placeholder: t('Interrupt which agent?'), wanted: isWorking, none: t('No agent is working.') }), { one: (agent) => verb('interrupt', agent.name), several: (agents) => each(agents.filter(isWorking), ({ name }) => verb('interrupt', name)) }),
    forAgent('stop', live(t('Stop which agent?')), { one: (agent) => stop(parts, agent), several: (agents) => stopSeveral(parts, agents.filter(isLive)), after: 'it has ended' }),
    forAgent('restart', live(t('Restart which agent?')), (agent) => withSpecTrust((options) => verb('restart', agent.name, ...options))),
    forAgent('resume', () => ({ placeholder: t('Resume which agent?'), wanted: isResumable, none: t('All agents are running.') }), { one: (agent) => resume(agent, 'driver'), several: (agents) => each(agents.filter(isResumable), ({ name }) => verb('resume', name)) }),
    forAgent('hibernate', () => ({ placeholder: t('Hibernate which agent?'), wanted: ({ status }) => status === 'idle' }), { one: (agent) => verb('hibernate', agent.name), several: (agents) => each(agents.filter(({ status }) => status === 'idle'), ({ name }) => verb('hibernate', name)) }),
    forAgent('rename', any(t('Rename which agent?')), async (agent) => {
      const taken = watch.agents.map(({ name }) => name);
      const wanted = await vscode.window.showInputBox({
        title: t('Rename {0}', agent.name),
        value: agent.name,
        validateInput: (name) => (name === agent.name ? undefined : nameError(name, taken)),
      });
      if (wanted === undefined || wanted === agent.name) return;
      await verb('rename', watch.current(agent).name, wanted);
    }),
    forAgent('share', live(t('Share which agent?')), (agent) => share(client, watch, agent)),
    forAgent('unshare', () => ({ placeholder: t('Stop sharing which agent?'), wanted: (agent) => sharedUsers(agent, activeShares(agent, Date.now())).length > 0, none: t('No agent is shared.') }), (agent) => unshare(client, agent)),
    forAgent('remove', any(t('Remove which agent?')), { one: (agent) => removeAgents(client, watch, [agent]), several: (agents) => removeAgents(client, watch, agents), after: 'it has ended' }),
    vscode.commands.registerCommand('symposium.prune', () => attempt(() => prune(parts))),
    forAgent('peek', () => ({ placeholder: t('Show the screen of which agent?'), wanted: isAttachable }), async (agent) =>
      documents.showText(`/screen/${agent.name}/${t('{0} screen', agent.name)}.txt`, (await client.screen(agent.name)).join('\n')),
    ),
    vscode.commands.registerCommand('symposium.peekAgain', (given?: unknown) =>
      attempt(async () => {
        const name = given instanceof vscode.Uri ? given.path.split('/')[2] : undefined;
        const agent = name === undefined ? undefined : watch.agent(name);
        if (agent === undefined) showMessage({ level: 'information', text: t('This agent no longer exists.'), choices: [] });
        else await vscode.commands.executeCommand('symposium.peek', agent);
      }),
    ),
    forAgent('review', any(t('Review the changes of which agent?')), (agent) => reviews.open(agent)),
    forAgent('logs', any(t('Show the transcript of which agent?')), async (agent) => documents.showText(`/transcript/${agent.name}/${t('{0} transcript', agent.name)}.log`, await client.transcript(agent.name), 'end')),
    forAgent('recap', any(t('Show the recap of which agent?')), {
      one: async (agent) => documents.showMarkdown(recapPath([agent.name]), recapDocument(await client.recap(agent.name))),
      several: (agents) => showRecaps(parts, agents),
    }),
    vscode.commands.registerCommand('symposium.approveSome', (agents: readonly Agent[]) => attempt(() => answering.approveSome(agents))),
    vscode.commands.registerCommand('symposium.recapSome', (agents: readonly Agent[], since?: string) => attempt(() => showRecaps(parts, agents, since))),
    forAgent('openFolder', any(t('Open the folder of which agent?')), (agent) => openFolder(agent)),
    forAgent('openWorktree', () => ({ placeholder: t('Open the worktree of which agent?'), wanted: ({ workspace }) => workspace === 'worktree', none: t('No agent has a worktree.') }), (agent) => openFolder(agent)),
    forAgent('mute', () => ({ placeholder: t('Mute which agent?'), wanted: (agent) => !mutes.has(agent) }), { one: (agent) => mutes.set(agent, 'muted'), several: (agents) => each(agents, (agent) => mutes.set(agent, 'muted')) }),
    forAgent('unmute', () => ({ placeholder: t('Unmute which agent?'), wanted: (agent) => mutes.has(agent) }), { one: (agent) => mutes.set(agent, 'unmuted'), several: (agents) => each(agents, (agent) => mutes.set(agent, 'unmuted')) }),
    vscode.commands.registerCommand('symposium.spawn', (given?: CommandArgument | Partial<SpawnRequest>) =>
      begin(() => (isSpawnRequest(given) ? spawning.spawnAs(given) : spawning.agent(folderIn(given))), (agent) => {
        if (agent.workspace === 'worktree') void offerFolder(agent);
      }),
    ),
    vscode.commands.registerCommand('symposium.newTaskspace', (given?: CommandArgument) =>
      begin(() => spawning.taskspace(folderIn(given)), (agent) => void offerFolder(agent)),
    ),
    vscode.commands.registerCommand('symposium.deleteTaskspace', () => attempt(() => removeTaskspace(client, watch))),
    vscode.commands.registerCommand(ROW_CLICKED, (id: string) => {
      const open = () => void vscode.commands.executeCommand('symposium.attach', watch.agents.find((agent) => agent.id === id));
      // Delayed for double clicks too: a click that is followed by F2 or Delete looks like one, because the key selects the row.
      if (settings.openOnClick() === 'singleClick' || clicks.isDouble(id, Date.now())) pendingClick.soon(open);
    }),
    vscode.commands.registerCommand('symposium.nextWaiting', () =>
      attempt(async () => {
        if (reportTrouble(watch)) return;
        const agent = nextWaiting(watch.agents, visited);
        visited = agent?.id;
        if (agent === undefined) showMessage(noAgentMessage(watch.agents.length, t('No agent needs you.')));
        else await show(agent, 'driver');
      }),
    ),
    pendingClick,
    vscode.commands.registerCommand('symposium.restoreAll', () => attempt(() => restoreLost(parts))),
  );
}

/** Runs an action for each agent. A failure with one agent does not stop the others. */
async function each(agents: readonly Agent[], act: (agent: Agent) => Promise<unknown>): Promise<void> {
  for (const agent of agents) await attempt(() => act(agent));
}

/** The delay before a single click opens its row. */
const CLICK_DELAY_MS = 100;

/** The time after the command of a key in which its click may still arrive. */
const LATE_CLICK_MS = 500;

/** A delayed click. A key that selects a row counts as a click too. The command of the key cancels it, whether the click
 *  arrives shortly before the command or, on a busy machine, after it. */
class PendingClick implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private cancelledAt = -Infinity;

  soon(open: () => void): void {
    clearTimeout(this.timer);
    if (performance.now() - this.cancelledAt > LATE_CLICK_MS) this.timer = setTimeout(open, CLICK_DELAY_MS);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.cancelledAt = performance.now();
  }

  dispose(): void {
    this.cancel();
  }
}

/** Offers to remove ended agents. Those that exited or were stopped are preselected. */
async function prune({ client, watch }: AgentCommandParts): Promise<void> {
  const over = watch.agents.filter(hasEnded);
  if (over.length === 0) {
    showMessage(noAgentMessage(watch.agents.length, t('No agent has ended.')));
    return;
  }
  const now = Date.now();
  const items = over.map((agent) => ({ ...pickEntry(agent, now), agent, picked: agent.status === 'exited' || agent.status === 'stopped' }));
  const chosen = await vscode.window.showQuickPick(items, { title: t('Remove Ended Agents'), placeHolder: t('Which ones?'), canPickMany: true, matchOnDescription: true, ignoreFocusOut: true });
  if (chosen !== undefined && chosen.length > 0) await removeAgents(client, watch, chosen.map(({ agent }) => agent));
}

/** Stops several agents after one question. Returns whether they were stopped. */
async function stopSeveral({ client, watch }: AgentCommandParts, agents: readonly Agent[]): Promise<boolean> {
  const { message, detail, yes } = stopSeveralQuestion(agents);
  if (agents.length === 0 || (await vscode.window.showWarningMessage(message, { modal: true, detail }, yes)) !== yes) return false;
  await each(agents, async (agent) => client.json(['agent', 'kill', watch.current(agent).name]));
  await watch.refresh();
  return true;
}

/** Tells a user whose terminal only watches why typing has no effect, and offers to take over. */
function offerTakeOver(agent: Agent): void {
  const take = t('Take Over');
  const text = withoutLinks(t('You are only watching {0}: another terminal drives it.', oneLine(agent.name)));
  void vscode.window.showInformationMessage(text, take).then((chosen) => {
    if (chosen === take) void vscode.commands.executeCommand('symposium.takeOver', agent);
  });
}

const folderIn = (given: CommandArgument): string | undefined =>
  given instanceof vscode.Uri && given.scheme === 'file' ? given.fsPath : undefined;

/** Returns the text of a recap document that VS Code restored after a reload. */
export async function restoreRecap(client: Client, path: string): Promise<string> {
  const names = namesInRecapPath(path);
  const { there, failure } = await readRecaps(client, names);
  if (there.length > 0 || failure === undefined) return recapsDocument(there);
  const isGone = failure instanceof CommandError && failure.code === 'no-such-agent';
  return missingRecapDocument(names.join(', '), isGone ? t('This agent no longer exists.') : failure instanceof Error ? failure.message : t('it could not be read'));
}

/** Reads the recaps of these agents, and returns the error of one that failed. */
async function readRecaps(client: Client, names: readonly string[], since?: string): Promise<{ there: Recap[]; failure: unknown }> {
  const recaps = await Promise.allSettled(names.map((name) => client.recap(name, since)));
  const there = recaps.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [failure] = recaps.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  return { there, failure };
}

/** The number of recaps in one document. */
const MAX_RECAPS = 10;

/** Shows the recaps of several agents as one document, without agents that were removed. */
async function showRecaps({ client, documents }: AgentCommandParts, agents: readonly Agent[], since?: string): Promise<void> {
  const names = agents.slice(0, MAX_RECAPS).map(({ name }) => name);
  const { there, failure } = await readRecaps(client, names, since);
  if (there.length === 0) throw failure;
  await documents.showMarkdown(recapPath(names), recapsDocument(there));
}

/** Restores lost agents. The rows show the result, so a message appears only when nothing changes. */
async function restoreLost({ client, watch }: AgentCommandParts): Promise<void> {
  const { back, failed } = await client.restoreLost().finally(() => void watch.refresh());
  const failure = restoreError(failed);
  if (failure !== undefined) throw failure;
  if (back.length === 0) showMessage(noAgentMessage(watch.agents.length, t('No agent is lost.')));
}

/** Stops an agent and keeps its record and conversation. Asks before it cuts off a turn; an idle agent is stopped at
 *  once, with an offer to resume it. Returns whether the agent was stopped. */
async function stop({ client, watch }: AgentCommandParts, agent: Agent): Promise<boolean> {
  const below = liveDescendants(agent, watch.agents);
  const question = stopQuestion(agent, below);
  const options: string[] = [];
  if (question !== undefined) {
    const chosen = await vscode.window.showWarningMessage(question.message, { modal: true, detail: question.detail }, ...question.buttons.map(({ title }) => title));
    const taken = question.buttons.find(({ title }) => title === chosen);
    if (taken === undefined) return false;
    options.push(...taken.options);
  }
  const { name } = watch.current(agent);
  const progress = { location: vscode.ProgressLocation.Window, title: t('Stopping {0}', name) };
  await vscode.window.withProgress(progress, () => client.json(['agent', 'kill', name, ...options])).then(() => watch.refresh());
  if (question === undefined) offerResume(agent);
  return true;
}

/** Offers to resume an agent that was stopped without a question. */
function offerResume(agent: Agent): void {
  const resume = t('Resume');
  void vscode.window.showInformationMessage(withoutLinks(t('{0} was stopped. Its conversation is kept.', oneLine(agent.name))), resume).then((chosen) => {
    if (chosen === resume) void vscode.commands.executeCommand('symposium.resume', agent);
  });
}
