// Starting agents and taskspaces: questions in one flow, then one command.

import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import type { Composer } from './promptEditor';
import { folders } from '../workspaceFolders';
import { untilDone } from '../rules/commands/retryPrompt';
import { type Mistake, mistakeIn } from '../rules/commands/specMistake';
import { nameMistake } from '../rules/agent/agentName';
import { folderName } from '../rules/agent/inWorkspace';
import { type Spawnable, spawnable, specIn, withKind } from '../rules/commands/spawnable';
import { inPick, noLinks, oneLine } from '../rules/agent/sanitize';
import { needsTrust } from '../rules/commands/needsTrust';
import { workspaceFile } from '../rules/commands/workspaceFile';
import { settings } from '../settings';
import { type Step, choose, steps, type } from './wizard';
import { attempt, offer, tellError } from '../notify/messages';
import { withSpecTrust } from './specTrust';
import type { Agent } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

/** What the questions are about; as arguments of the command they answer it without asking. */
export interface Wanted {
  dir: string;
  spec: string;
  name: string;
  task: string;
  /** None: as the spec says. */
  workspace?: Agent['workspace'];
}

/** Who takes longer than this to start finds the person at something else. */
const LATE = 10_000;

/** An agent that was started. */
export interface Started {
  agent: Agent;
  isLate: boolean;
}

/** Whether a command was given what to spawn, as a key binding may, and not a row or a folder. */
export const isWanted = (given: unknown): given is Partial<Wanted> => {
  if (typeof given !== 'object' || given === null || given instanceof vscode.Uri) return false;
  const texts = Object.entries(given).filter(([key]) => ['dir', 'spec', 'name', 'task', 'workspace'].includes(key));
  return 'spec' in given && texts.length === Object.keys(given).length && texts.every(([, value]) => typeof value === 'string');
};

export class Spawning {
  constructor(
    private readonly client: Client,
    private readonly watch: Watch,
    private readonly composer: Composer,
  ) {}

  /** Asks, starts, and returns the agent. */
  async agent(folder?: string): Promise<Started> {
    const title = t('Spawn Agent');
    const { wanted, first } = await this.begun(title, folder);
    let usual = Promise.resolve<Agent['workspace']>('in-place');
    const questions: Step[] = [
      ...first,
      async (at, of) => {
        await this.askSpec(wanted, { title, at, of });
        // Known when it is asked: between two questions what is typed goes elsewhere.
        usual = this.usualWorkspace(wanted);
      },
      (at, of) => this.askName(wanted, { title, at, of }, 'optional'),
      (at, of) => this.askTask(wanted, { title, at, of }, 'optional'),
      async (at, of) => askWorkspace(wanted, await usual, { title, at, of }),
    ];
    return ask(questions, () => this.spawn(wanted));
  }

  /** Starts what was told, without a question. */
  async asTold(told: Partial<Wanted>): Promise<Started> {
    const { wanted, first } = await this.begun(t('Spawn Agent'), told.dir);
    await steps(first);
    return this.spawn({ ...wanted, ...told });
  }

  private async spawn(wanted: Wanted): Promise<Started> {
    await this.checkTrust(wanted);
    const args = ['agent', 'spawn', specOf(wanted), '--dir', wanted.dir];
    if (wanted.workspace !== undefined) args.push('--workspace', wanted.workspace);
    if (wanted.name !== '') args.push('--name', wanted.name);
    if (wanted.task !== '') args.push('--task', '-');
    return this.start(args, wanted.task);
  }

  /** The same for a worktree, an agent and its task. */
  async taskspace(folder?: string): Promise<Started> {
    const title = t('New Taskspace');
    const { wanted, first } = await this.begun(title, folder);
    const questions: Step[] = [
      ...first,
      (at, of) => this.askName(wanted, { title, at, of }, 'needed'),
      (at, of) => this.askTask(wanted, { title, at, of }, 'needed'),
      (at, of) => this.askSpec(wanted, { title, at, of }),
    ];
    return ask(questions, async () => {
      await this.checkTrust(wanted);
      return this.start(['taskspace', 'new', wanted.name, specOf(wanted), '--dir', wanted.dir, '--task', '-'], wanted.task);
    });
  }

  /** Cancels the flow when the workspace is not trusted and the spec comes from it, and offers to trust it. */
  private async checkTrust({ spec, dir }: Wanted): Promise<void> {
    if (vscode.workspace.isTrusted || !needsTrust(spec, await this.client.specs(dir))) return;
    offer({
      level: 'warning',
      text: t('{0} is a spec of this folder and names commands to run. Trust the folder to start it.', oneLine(spec)),
      choices: [{ title: t('Manage Trust'), command: 'workbench.trust.manage' }],
    });
    throw new vscode.CancellationError();
  }

  private start(args: string[], stdin: string): Promise<Started> {
    const began = Date.now();
    const progress = { location: vscode.ProgressLocation.Notification, title: t('Starting the agent') };
    return vscode.window.withProgress(progress, async () => {
      const agent = await withSpecTrust((options) => this.client.started([...args, ...options], stdin));
      await this.watch.look();
      return { agent, isLate: Date.now() - began > LATE };
    }) as Promise<Started>;
  }

  /** What is wanted to begin with, and the question for the folder where several are open. */
  private async begun(title: string, given?: string): Promise<{ wanted: Wanted; first: Step[] }> {
    const [one, ...others] = given === undefined ? folders() : [given];
    const wanted: Wanted = { dir: one ?? (await someFolder()), spec: settings.defaultSpec() || 'default', name: '', task: '' };
    return { wanted, first: others.length === 0 ? [] : [(at, of) => askFolder(wanted, { title, at, of })] };
  }

  /** One with a mistake is asked about again: what is wrong is said before more is typed. */
  private async askSpec(wanted: Wanted, step: { title: string; at: number; of: number }): Promise<void> {
    for (;;) {
      wanted.spec = await this.chooseSpec(wanted, step);
      // Looked at now, since it may have been mended while the list was open.
      const chosen = (await this.client.specs(wanted.dir)).find(({ name }) => name === wanted.spec);
      const mistake = chosen === undefined ? undefined : mistakeIn(chosen);
      if (mistake === undefined) {
        await this.checkTrust(wanted);
        return;
      }
      void tellMistake(mistake);
      // The list comes back with another spec marked: Enter would repeat the mistake.
      wanted.spec = wanted.spec === 'default' ? 'demo' : 'default';
    }
  }

  private async chooseSpec(wanted: Wanted, step: { title: string; at: number; of: number }): Promise<string> {
    // An older binary does not tell its kinds; one that is typed works with it too.
    const [listed, kinds, kind] = await Promise.all([this.client.specs(wanted.dir), this.client.kinds(wanted.dir).catch(() => []), this.client.kindOf('default', wanted.dir).catch(() => null)]);
    const specs = withKind(listed, kind);
    const item = ({ name, description }: Spawnable) => ({ label: inPick(name), description: inPick(description), name });
    const items = spawnable(specs, kinds, { name: wanted.spec, bySetting: settings.defaultSpec() }).map(item);
    const placeholder = t('A spec, or type a kind such as claude or codex, or a path');
    return (await choose({ ...step, placeholder }, items, (name) => item({ name, description: t('as typed') }))).name;
  }

  private async askName(wanted: Wanted, step: { title: string; at: number; of: number }, need: 'needed' | 'optional'): Promise<void> {
    const taken = this.watch.agents.map((agent) => agent.name);
    const placeholder = need === 'needed' ? t('Its name, and that of its branch') : t('Its name; empty: one is made up');
    wanted.name = await type({ ...step, placeholder }, wanted.name, (name) =>
      name === '' && need === 'optional' ? undefined : nameMistake(name, taken),
    );
  }

  private async askTask(wanted: Wanted, step: { title: string; at: number; of: number }, need: 'needed' | 'optional'): Promise<void> {
    const placeholder = need === 'needed' ? t('What it is to do') : t('What it is to do; empty: it waits for a prompt');
    const mistake = (text: string) => (text.trim() === '' && need === 'needed' ? t('say what it is to do') : undefined);
    wanted.task = await type({ ...step, placeholder }, wanted.task, mistake, (title, value) => this.composer.write(title, value));
  }

  /** What the spec says is what Enter takes; what is wrong with one is told by the spawn, after which it can be changed. */
  private async usualWorkspace(wanted: Wanted): Promise<Agent['workspace']> {
    try {
      return await this.client.workspaceOf(specOf(wanted), wanted.dir);
    } catch {
      return 'in-place';
    }
  }
}

/** A folder that is chosen where none is open. */
async function someFolder(): Promise<string> {
  const chosen = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, title: t('Where it works') });
  const path = chosen?.[0]?.fsPath;
  if (path === undefined) throw new vscode.CancellationError();
  return path;
}

/** Asks, and starts what was answered; when that fails the person may change the answers. */
async function ask(questions: readonly Step[], start: () => Promise<Started>): Promise<Started> {
  const again = t('Try Again');
  const started = await untilDone(() => steps(questions), start, async (error) => (await tellError(error, again)) === again);
  if (started === undefined) throw new vscode.CancellationError();
  return started;
}

async function tellMistake({ text, file }: Mistake): Promise<void> {
  const open = t('Open File');
  const chosen = await vscode.window.showErrorMessage(noLinks(text), ...(file === undefined ? [] : [open]));
  if (chosen !== open || file === undefined) return;
  const at = new vscode.Position(file.line, file.column);
  await attempt(async () => vscode.window.showTextDocument(vscode.Uri.file(file.path), { selection: new vscode.Range(at, at) }));
}

function specOf({ spec, dir }: Wanted): string {
  // The binary would take it for an option.
  if (spec.startsWith('-')) throw new Error(t('{0} cannot be a spec', oneLine(spec)));
  return specIn(dir, spec, homedir());
}

async function askFolder(wanted: Wanted, step: { title: string; at: number; of: number }): Promise<void> {
  const items = folders().map((path) => ({ label: inPick(folderName(path)), description: inPick(path), path, picked: path === wanted.dir }));
  wanted.dir = (await choose({ ...step, placeholder: t('Which folder?') }, items)).path;
}

async function askWorkspace(wanted: Wanted, usual: Agent['workspace'], step: { title: string; at: number; of: number }): Promise<void> {
  const marked = wanted.workspace ?? usual;
  const items = [
    { label: t('This folder'), description: inPick(wanted.dir), workspace: 'in-place' as const },
    { label: t('A git worktree'), description: t('a branch and folder of its own'), workspace: 'worktree' as const },
    { label: t('An empty folder'), description: t('that goes with the agent'), workspace: 'scratch' as const },
  ].map((item) => ({ ...item, picked: item.workspace === marked }));
  wanted.workspace = (await choose({ ...step, placeholder: t('Where it works') }, items)).workspace;
}

/** Tells that an agent is there, in the place of a terminal that would take the keyboard from what is typed by then. */
export function offerAttach(agent: Agent): void {
  const attach = t('Attach');
  void vscode.window.showInformationMessage(noLinks(t('{0} has started', oneLine(agent.name))), attach).then((chosen) => {
    if (chosen === attach) void vscode.commands.executeCommand('symposium.attach', agent);
  });
}

/** Offers to open the folder of a new taskspace. */
export async function offerFolder(agent: Agent): Promise<void> {
  const open = t('Open in New Window');
  const text = noLinks(t('{0} works in a worktree of its own', oneLine(agent.name)));
  if ((await vscode.window.showInformationMessage(text, open)) === open) await openFolder(agent);
}

/** Opens an agent's folder in a new window. A workspace of its own is called `workspace` on the disk, so it is opened by a
 *  workspace file that gives window, Explorer and list of recent folders the agent's name. The file lies beside the folder:
 *  trust in the folder of all instances covers it, and it is deleted with the agent. */
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
