// Starts agents and taskspaces after a sequence of questions.

import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import type { PromptEditor } from './promptEditor';
import { openFolders } from '../workspaceFolders';
import { askUntilDone } from '../rules/commands/retryPrompt';
import { type SpecMistake, specMistake } from '../rules/commands/specMistake';
import { nameError } from '../rules/agent/agentName';
import { folderName } from '../rules/agent/inWorkspace';
import { type Spawnable, spawnable, resolveSpec, withKind } from '../rules/commands/spawnable';
import { escapeQuickPick, withoutLinks, oneLine } from '../rules/agent/sanitize';
import { needsTrust } from '../rules/commands/needsTrust';
import { workspaceFile } from '../rules/commands/workspaceFile';
import { settings } from '../settings';
import { type Step, choose, runSteps, askText } from './wizard';
import { attempt, showMessage, showError } from '../notify/messages';
import { withSpecTrust } from './specTrust';
import type { Agent } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

/** The answers to the questions. A key binding can pass them as the argument of the command. */
export interface SpawnRequest {
  dir: string;
  spec: string;
  name: string;
  task: string;
  /** Undefined: the default of the spec. */
  workspace?: Agent['workspace'];
}

/** After this time the user is likely to be typing elsewhere. */
const LATE_AFTER_MS = 10_000;

/** An agent that was started, and whether the start took long. */
export interface StartedAgent {
  agent: Agent;
  isLate: boolean;
}

/** Returns whether the argument of a command is a request, as a key binding may pass it, and not a row or a folder. */
export const isSpawnRequest = (given: unknown): given is Partial<SpawnRequest> => {
  if (typeof given !== 'object' || given === null || given instanceof vscode.Uri) return false;
  const texts = Object.entries(given).filter(([key]) => ['dir', 'spec', 'name', 'task', 'workspace'].includes(key));
  return 'spec' in given && texts.length === Object.keys(given).length && texts.every(([, value]) => typeof value === 'string');
};

export class SpawnWizard {
  constructor(
    private readonly client: Client,
    private readonly watch: AgentWatch,
    private readonly composer: PromptEditor,
  ) {}

  /** Asks for an agent and starts it. */
  async agent(folder?: string): Promise<StartedAgent> {
    const title = t('Spawn Agent');
    const { wanted, first } = await this.initialRequest(title, folder);
    let usual = Promise.resolve<Agent['workspace']>('in-place');
    const questions: Step[] = [
      ...first,
      async (at, of) => {
        await this.askSpec(wanted, { title, at, of });
        // Read in advance: between two questions, keys would go to the editor.
        usual = this.defaultWorkspace(wanted);
      },
      (at, of) => this.askName(wanted, { title, at, of }, 'optional'),
      (at, of) => this.askTask(wanted, { title, at, of }, 'optional'),
      async (at, of) => askWorkspace(wanted, await usual, { title, at, of }),
    ];
    return askAndStart(questions, () => this.spawn(wanted));
  }

  /** Starts an agent without questions. */
  async spawnAs(given: Partial<SpawnRequest>): Promise<StartedAgent> {
    const { wanted, first } = await this.initialRequest(t('Spawn Agent'), given.dir);
    await runSteps(first);
    return this.spawn({ ...wanted, ...given });
  }

  private async spawn(wanted: SpawnRequest): Promise<StartedAgent> {
    await this.checkTrust(wanted);
    const args = ['agent', 'spawn', specOf(wanted), '--dir', wanted.dir];
    if (wanted.workspace !== undefined) args.push('--workspace', wanted.workspace);
    if (wanted.name !== '') args.push('--name', wanted.name);
    if (wanted.task !== '') args.push('--task', '-');
    return this.start(args, wanted.task);
  }

  /** Asks for a taskspace, which is a worktree with an agent and its task, and starts it. */
  async taskspace(folder?: string): Promise<StartedAgent> {
    const title = t('New Taskspace');
    const { wanted, first } = await this.initialRequest(title, folder);
    const questions: Step[] = [
      ...first,
      (at, of) => this.askName(wanted, { title, at, of }, 'needed'),
      (at, of) => this.askTask(wanted, { title, at, of }, 'needed'),
      (at, of) => this.askSpec(wanted, { title, at, of }),
    ];
    return askAndStart(questions, async () => {
      await this.checkTrust(wanted);
      return this.start(['taskspace', 'new', wanted.name, specOf(wanted), '--dir', wanted.dir, '--task', '-'], wanted.task);
    });
  }

  /** Cancels the start of a project's spec in an untrusted workspace, and offers to trust the workspace. */
  private async checkTrust({ spec, dir }: SpawnRequest): Promise<void> {
    if (vscode.workspace.isTrusted || !needsTrust(spec, await this.client.specs(dir))) return;
    showMessage({
      level: 'warning',
      text: t('{0} is a spec of this folder and names commands to run. Trust the folder to start it.', oneLine(spec)),
      choices: [{ title: t('Manage Trust'), command: 'workbench.trust.manage' }],
    });
    throw new vscode.CancellationError();
  }

  private start(args: string[], stdin: string): Promise<StartedAgent> {
    const began = Date.now();
    const progress = { location: vscode.ProgressLocation.Notification, title: t('Starting the agent') };
    return vscode.window.withProgress(progress, async () => {
      const agent = await withSpecTrust((options) => this.client.start([...args, ...options], stdin));
      await this.watch.refresh();
      return { agent, isLate: Date.now() - began > LATE_AFTER_MS };
    }) as Promise<StartedAgent>;
  }

  /** Returns the defaults, and the question for the folder if several folders are open. */
  private async initialRequest(title: string, given?: string): Promise<{ wanted: SpawnRequest; first: Step[] }> {
    const [one, ...others] = given === undefined ? openFolders() : [given];
    const wanted: SpawnRequest = { dir: one ?? (await chooseFolder()), spec: settings.defaultSpec() || 'default', name: '', task: '' };
    return { wanted, first: others.length === 0 ? [] : [(at, of) => askFolder(wanted, { title, at, of })] };
  }

  /** Asks for a spec. If the chosen one has a mistake, shows it and asks again. */
  private async askSpec(wanted: SpawnRequest, step: { title: string; at: number; of: number }): Promise<void> {
    for (;;) {
      wanted.spec = await this.chooseSpec(wanted, step);
      // Read again, because the file may have been corrected while the list was open.
      const chosen = (await this.client.specs(wanted.dir)).find(({ name }) => name === wanted.spec);
      const mistake = chosen === undefined ? undefined : specMistake(chosen);
      if (mistake === undefined) {
        await this.checkTrust(wanted);
        return;
      }
      void showMistake(mistake);
      // Preselects another spec, so that Enter does not repeat the mistake.
      wanted.spec = wanted.spec === 'default' ? 'demo' : 'default';
    }
  }

  private async chooseSpec(wanted: SpawnRequest, step: { title: string; at: number; of: number }): Promise<string> {
    // An older binary does not list its kinds; the user can still type one.
    const [listed, kinds, kind] = await Promise.all([this.client.specs(wanted.dir), this.client.kinds(wanted.dir).catch(() => []), this.client.kindOf('default', wanted.dir).catch(() => null)]);
    const specs = withKind(listed, kind);
    const item = ({ name, description }: Spawnable) => ({ label: escapeQuickPick(name), description: escapeQuickPick(description), name });
    const items = spawnable(specs, kinds, { name: wanted.spec, bySetting: settings.defaultSpec() }).map(item);
    const placeholder = t('A spec, or type a kind such as claude or codex, or a path');
    return (await choose({ ...step, placeholder }, items, (name) => item({ name, description: t('as typed') }))).name;
  }

  private async askName(wanted: SpawnRequest, step: { title: string; at: number; of: number }, need: 'needed' | 'optional'): Promise<void> {
    const taken = this.watch.agents.map((agent) => agent.name);
    const placeholder = need === 'needed' ? t('Its name, and that of its branch') : t('Its name; empty: a generated name');
    wanted.name = await askText({ ...step, placeholder }, wanted.name, (name) =>
      name === '' && need === 'optional' ? undefined : nameError(name, taken),
    );
  }

  private async askTask(wanted: SpawnRequest, step: { title: string; at: number; of: number }, need: 'needed' | 'optional'): Promise<void> {
    const placeholder = need === 'needed' ? t('Its task') : t('Its task; empty: it waits for a prompt');
    const mistake = (text: string) => (text.trim() === '' && need === 'needed' ? t('enter a task') : undefined);
    wanted.task = await askText({ ...step, placeholder }, wanted.task, mistake, (title, value) => this.composer.write(title, value));
  }

  /** Returns the default workspace of the spec. A mistake in the spec is reported by the spawn. */
  private async defaultWorkspace(wanted: SpawnRequest): Promise<Agent['workspace']> {
    try {
      return await this.client.workspaceOf(specOf(wanted), wanted.dir);
    } catch {
      return 'in-place';
    }
  }
}

/** Asks for a folder when no folder is open. */
async function chooseFolder(): Promise<string> {
  const chosen = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, title: t('Where should it work?') });
  const path = chosen?.[0]?.fsPath;
  if (path === undefined) throw new vscode.CancellationError();
  return path;
}

/** Asks and starts. After a failure the user may change the answers and try again. */
async function askAndStart(questions: readonly Step[], start: () => Promise<StartedAgent>): Promise<StartedAgent> {
  const again = t('Try Again');
  const started = await askUntilDone(() => runSteps(questions), start, async (error) => (await showError(error, again)) === again);
  if (started === undefined) throw new vscode.CancellationError();
  return started;
}

async function showMistake({ text, file }: SpecMistake): Promise<void> {
  const open = t('Open File');
  const chosen = await vscode.window.showErrorMessage(withoutLinks(text), ...(file === undefined ? [] : [open]));
  if (chosen !== open || file === undefined) return;
  const at = new vscode.Position(file.line, file.column);
  await attempt(async () => vscode.window.showTextDocument(vscode.Uri.file(file.path), { selection: new vscode.Range(at, at) }));
}

function specOf({ spec, dir }: SpawnRequest): string {
  // The binary would parse it as an option.
  if (spec.startsWith('-')) throw new Error(t('{0} cannot be a spec', oneLine(spec)));
  return resolveSpec(dir, spec, homedir());
}

async function askFolder(wanted: SpawnRequest, step: { title: string; at: number; of: number }): Promise<void> {
  const items = openFolders().map((path) => ({ label: escapeQuickPick(folderName(path)), description: escapeQuickPick(path), path, picked: path === wanted.dir }));
  wanted.dir = (await choose({ ...step, placeholder: t('Which folder?') }, items)).path;
}

async function askWorkspace(wanted: SpawnRequest, usual: Agent['workspace'], step: { title: string; at: number; of: number }): Promise<void> {
  const marked = wanted.workspace ?? usual;
  const items = [
    { label: t('This folder'), description: escapeQuickPick(wanted.dir), workspace: 'in-place' as const },
    { label: t('A git worktree'), description: t('its own branch and folder'), workspace: 'worktree' as const },
    { label: t('An empty folder'), description: t('deleted with the agent'), workspace: 'scratch' as const },
  ].map((item) => ({ ...item, picked: item.workspace === marked }));
  wanted.workspace = (await choose({ ...step, placeholder: t('Where should it work?') }, items)).workspace;
}

/** Tells that an agent has started. A terminal would take the keyboard focus from the user. */
export function offerAttach(agent: Agent): void {
  const attach = t('Attach');
  void vscode.window.showInformationMessage(withoutLinks(t('{0} has started', oneLine(agent.name))), attach).then((chosen) => {
    if (chosen === attach) void vscode.commands.executeCommand('symposium.attach', agent);
  });
}

/** Offers to open the worktree of an agent in a new window. */
export async function offerFolder(agent: Agent): Promise<void> {
  const open = t('Open in New Window');
  const text = withoutLinks(t('{0} works in its own worktree. The command "Open Worktree in New Window" opens it later', oneLine(agent.name)));
  if ((await vscode.window.showInformationMessage(text, open)) === open) await openFolder(agent);
}

/** Opens the folder of an agent in a new window. The folder of a worktree is called `workspace`, so a workspace file
 *  gives the window the name of the agent. The file lies beside the folder: trusting the folder of all instances covers
 *  it, and it is deleted with the agent. */
export async function openFolder(agent: Agent): Promise<void> {
  const folder = vscode.Uri.file(agent.working_directory);
  await vscode.commands.executeCommand('vscode.openFolder', (await namedWorkspace(agent, folder)) ?? folder, { forceNewWindow: true });
}

async function namedWorkspace(agent: Agent, folder: vscode.Uri): Promise<vscode.Uri | undefined> {
  if (agent.workspace === 'in-place' || folderName(agent.working_directory) !== 'workspace') return undefined;
  const file = vscode.Uri.joinPath(folder, '..', `${agent.name}.code-workspace`);
  const own = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, '.vscode/settings.json')).then((bytes) => Buffer.from(bytes).toString(), () => undefined);
  return vscode.workspace.fs.writeFile(file, Buffer.from(workspaceFile(agent.name, 'workspace', own))).then(() => file, () => undefined);
}
