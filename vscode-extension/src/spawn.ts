// Starting agents and taskspaces: questions in one flow, then one command.

import * as vscode from 'vscode';
import type { Client } from './client';
import { folders } from './folders';
import { nameMistake } from './rules/names';
import { specLine } from './rules/labels';
import { folderName } from './rules/place';
import { noIcons, noLinks, oneLine } from './rules/text';
import { settings } from './settings';
import { choose, steps, type } from './steps';
import type { Agent } from './types';
import type { Watch } from './watch';
import { t } from './words';

/** What the questions are about; as arguments of the command they answer it without asking. */
export interface Wanted {
  dir: string;
  spec: string;
  name: string;
  task: string;
  workspace: 'in-place' | 'worktree' | 'scratch';
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
  ) {}

  /** Asks, starts, and returns the agent. */
  async agent(folder?: string): Promise<Agent> {
    const wanted = this.blank(await this.folder(folder));
    const title = t('Spawn Agent');
    await steps([
      (at, of) => this.askSpec(wanted, { title, at, of }),
      (at, of) => this.askName(wanted, { title, at, of }, 'optional'),
      (at, of) => askTask(wanted, { title, at, of }, 'optional'),
      (at, of) => askWorkspace(wanted, { title, at, of }),
    ]);
    return this.spawn(wanted);
  }

  /** Starts what was told, without a question. */
  async asTold(told: Partial<Wanted>): Promise<Agent> {
    return this.spawn({ ...this.blank(told.dir ?? (await this.folder())), ...told });
  }

  private spawn(wanted: Wanted): Promise<Agent> {
    const args = ['agent', 'spawn', specOf(wanted), '--dir', wanted.dir, '--workspace', wanted.workspace];
    if (wanted.name !== '') args.push('--name', wanted.name);
    if (wanted.task !== '') args.push('--task', '-');
    return this.start(args, wanted.task);
  }

  /** The same for a worktree, an agent and its task. */
  async taskspace(folder?: string): Promise<Agent> {
    const wanted = this.blank(await this.folder(folder));
    const title = t('New Taskspace');
    await steps([
      (at, of) => this.askName(wanted, { title, at, of }, 'needed'),
      (at, of) => askTask(wanted, { title, at, of }, 'needed'),
      (at, of) => this.askSpec(wanted, { title, at, of }),
    ]);
    return this.start(['taskspace', 'new', wanted.name, specOf(wanted), '--dir', wanted.dir, '--task', '-'], wanted.task);
  }

  private start(args: string[], stdin: string): Promise<Agent> {
    const progress = { location: vscode.ProgressLocation.Notification, title: t('Starting the agent') };
    return vscode.window.withProgress(progress, async () => {
      const agent = await this.client.started(args, stdin);
      await this.watch.look();
      return agent;
    }) as Promise<Agent>;
  }

  private blank(dir: string): Wanted {
    return { dir, spec: settings.defaultSpec() || 'default', name: '', task: '', workspace: 'in-place' };
  }

  private async folder(given?: string): Promise<string> {
    if (given !== undefined) return given;
    const open = folders();
    if (open.length === 1 && open[0] !== undefined) return open[0];
    if (open.length > 1) {
      const items = open.map((path) => ({ label: noIcons(folderName(path)), description: noIcons(path), path }));
      return (await choose({ title: t('Spawn Agent'), placeholder: t('Where it works'), at: 1, of: 1 }, items)).path;
    }
    const chosen = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, title: t('Where it works') });
    const path = chosen?.[0]?.fsPath;
    if (path === undefined) throw new vscode.CancellationError();
    return path;
  }

  private async askSpec(wanted: Wanted, step: { title: string; at: number; of: number }): Promise<void> {
    // An older binary does not tell its kinds; one that is typed works with it too.
    const [specs, kinds] = await Promise.all([this.client.specs(wanted.dir), this.client.kinds(wanted.dir).catch(() => [])]);
    const item = (name: string, description: string) => ({ label: noIcons(name), description: noIcons(oneLine(description)), name });
    const items = specs.map((spec) => item(spec.name, specLine(spec)));
    const known = (name: string) => items.some((each) => each.name === name);
    for (const kind of kinds.filter(({ name, installed }) => installed && name !== 'demo' && !known(name))) items.push(item(kind.name, t('an agent CLI that is installed here')));
    if (!known('demo')) items.push(item('demo', t('a stand-in, to try everything without an agent CLI')));
    const first = items.findIndex(({ name }) => name === wanted.spec);
    if (first > 0) items.unshift(...items.splice(first, 1));
    else if (first < 0) items.unshift(item(wanted.spec, t('from the settings')));
    const placeholder = t('A spec, or type a kind such as claude or codex, or a path');
    wanted.spec = (await choose({ ...step, placeholder }, items, (value) => item(value, t('as typed')))).name;
  }

  private async askName(wanted: Wanted, step: { title: string; at: number; of: number }, need: 'needed' | 'optional'): Promise<void> {
    const taken = this.watch.agents.map((agent) => agent.name);
    const placeholder = need === 'needed' ? t('Its name, and that of its branch') : t('Its name; empty: one is made up');
    wanted.name = await type({ ...step, placeholder }, wanted.name, (name) =>
      name === '' && need === 'optional' ? undefined : nameMistake(name, taken),
    );
  }
}

function specOf({ spec }: Wanted): string {
  // The binary would take it for an option.
  if (spec.startsWith('-')) throw new Error(t('{0} cannot be a spec', oneLine(spec)));
  return spec;
}

async function askTask(wanted: Wanted, step: { title: string; at: number; of: number }, need: 'needed' | 'optional'): Promise<void> {
  const placeholder = need === 'needed' ? t('What it is to do') : t('What it is to do; empty: it waits for a prompt');
  wanted.task = await type({ ...step, placeholder }, wanted.task, (text) =>
    text.trim() === '' && need === 'needed' ? t('say what it is to do') : undefined,
  );
}

async function askWorkspace(wanted: Wanted, step: { title: string; at: number; of: number }): Promise<void> {
  const items = [
    { label: t('This folder'), description: noIcons(wanted.dir), workspace: 'in-place' as const },
    { label: t('A git worktree'), description: t('a branch and folder of its own'), workspace: 'worktree' as const },
    { label: t('An empty folder'), description: t('that goes with the agent'), workspace: 'scratch' as const },
  ];
  wanted.workspace = (await choose({ ...step, placeholder: t('Where it works') }, items)).workspace;
}

/** Offers to open the folder of a new taskspace. */
export async function offerFolder(agent: Agent): Promise<void> {
  const open = t('Open in New Window');
  const text = noLinks(t('{0} works in a worktree of its own', oneLine(agent.name)));
  if ((await vscode.window.showInformationMessage(text, open)) === open) await openFolder(agent);
}

export async function openFolder(agent: Agent): Promise<void> {
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(agent.working_directory), { forceNewWindow: true });
}
