// The only file that runs the binary, and the only one that starts programs. Never through a shell: a program and its
// arguments, texts on standard input. Knows nothing of VS Code.

import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { unreadableIn } from '../rules/binary/unreadable';
import { forPrograms } from '../rules/binary/childEnvironment';
import type { How } from '../rules/terminals/attachedTerminals';
import { type Agent, type Asked, type Check, type Listed, type Failure, type Kind, type Recap, type Restored, type Share, type Spec, type Task, type TaskDetails, type Taskspace, type RemovalPreview } from './types';
import { agentFrom, checksFrom, failureFrom, kindOf, kindsFrom, listedFrom, recapFrom, restoredFrom, screenFrom, sharesOf, specsFrom, taskDetailsFrom, taskFrom, tasksFrom, taskspacesFrom, removalPreviewFrom, warningIn, workspaceFrom } from './types';

/** Where the binary is and which environment it is to look at. */
export interface Place {
  path: string;
  home: string;
}

/** A command that failed, with what it said. */
export class CommandError extends Error {
  readonly code: string;
  readonly saw: string[];
  readonly hints: string[];

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'CommandError';
    this.code = failure.code;
    this.saw = failure.saw;
    this.hints = failure.hints;
  }
}

export interface Ran {
  stdout: string;
  stderr: string;
}

/** What a command may be given beside its arguments. */
export interface Given {
  stdin?: string;
  cwd?: string;
  timeout?: number;
}

/** Longer than the longest of the binary's own time bounds, that of `agent send`. */
const TIMEOUT = 60_000;

/** For what makes or deletes files, or starts many: the setup of a worktree may install for minutes. The binary has bounds of
 *  its own for each part, and one that is ended in between leaves half of it behind. */
export const PATIENT: Given = { timeout: 0 };

/** What is kept of an output: a transcript may be long. */
const MOST_OUTPUT = 64 * 1024 * 1024;

/** Places of installations that an editor started from a desktop does not have in its PATH. */
const usual = () => [join(homedir(), '.cargo/bin'), join(homedir(), '.local/bin'), '/usr/local/bin', '/opt/homebrew/bin'];

/** The files that a name may mean, in the order in which they are looked for. */
function candidates(path: string, env: NodeJS.ProcessEnv): string[] {
  const home = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  if (isAbsolute(home)) return [home];
  if (home.includes('/')) return [];
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute), ...usual()];
  return [...new Set(folders.map((folder) => join(folder, home)))];
}

/** The file that a name means; undefined when there is none that can be run. */
export function findBinary(path: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  return candidates(path, env).find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return statSync(candidate).isFile();
    } catch {
      return false;
    }
  });
}

export class Client {
  constructor(
    private readonly place: () => Place,
    private readonly log: (line: string) => void = () => undefined,
    private readonly timeout = TIMEOUT,
  ) {}

  /** The program and arguments of a terminal on an agent. */
  attachCommand(name: string, how: How): { shellPath: string; shellArgs: string[] } {
    const option = { driver: [], observer: ['--observe'], taker: ['--take'] }[how];
    return { shellPath: this.binary(), shellArgs: [...this.where(), 'agent', 'attach', name, ...option] };
  }

  /** The program and arguments of the MCP server; undefined when there is no binary. */
  mcpCommand(): { path: string; args: string[] } | undefined {
    const path = findBinary(this.place().path);
    return path === undefined ? undefined : { path, args: [...this.where(), 'mcp'] };
  }

  async version(): Promise<string> {
    return (await this.run(['--version'], { timeout: 10_000 })).stdout.trim();
  }

  async agents(): Promise<Asked> {
    const { value, warnings } = await this.heard(['agent', 'list']);
    return { ...listedFrom(value), unreadable: warnings.flatMap((line) => unreadableIn(line) ?? []) };
  }

  async tasks(which: 'open' | 'all' = 'open'): Promise<Task[]> {
    return tasksFrom(await this.json(['task', 'list', ...(which === 'all' ? ['--all'] : [])]));
  }

  async task(id: number): Promise<Task> {
    return taskFrom(await this.json(['task', 'show', String(id)]));
  }

  async taskDetails(id: number): Promise<TaskDetails> {
    return taskDetailsFrom(await this.json(['task', 'show', String(id)]));
  }

  /** The tasks of an agent that are over: the newest, and the one with this number when that is over too. Of an agent that is
   *  gone there is only that one. */
  async tasksOver(name: string, wanted?: number): Promise<Task[]> {
    const newest = await this.newestOver(name).catch((error: unknown) => {
      if (wanted === undefined) throw error;
      return [];
    });
    if (wanted === undefined || newest.some(({ id }) => id === wanted)) return newest;
    const task = await this.task(wanted);
    return task.state === 'done' || task.state === 'failed' ? [...newest, task] : newest;
  }

  async specs(dir: string): Promise<Spec[]> {
    return specsFrom(await this.json(['spec', 'list', '--dir', dir]));
  }

  async kinds(dir: string): Promise<Kind[]> {
    return kindsFrom(await this.json(['spec', 'list', '--kinds', '--dir', dir]));
  }

  /** Where an agent of a spec works unless told otherwise. */
  async workspaceOf(spec: string, dir: string): Promise<Agent['workspace']> {
    return workspaceFrom(await this.json(['spec', 'show', '--dir', dir, '--', spec]));
  }

  /** The agent CLI that a spec starts. */
  async kindOf(spec: string, dir: string): Promise<string | null> {
    return kindOf(await this.json(['spec', 'show', '--dir', dir, '--', spec]));
  }

  async taskspaces(): Promise<Taskspace[]> {
    return taskspacesFrom(await this.json(['taskspace', 'list']));
  }

  async recap(name: string, since?: string): Promise<Recap> {
    return recapFrom(await this.json(['agent', 'recap', name, ...(since === undefined ? [] : ['--since', since])]));
  }

  /** With whom an agent is shared. */
  async shares(name: string): Promise<Share[]> {
    return sharesOf(await this.json(['agent', 'show', name]));
  }

  /** Says what removing an agent would lose, and changes nothing. */
  async removalPreview(name: string): Promise<RemovalPreview> {
    return removalPreviewFrom(await this.json(['agent', 'rm', '--dry-run', name]));
  }

  async screen(name: string): Promise<string[]> {
    return screenFrom(await this.json(['agent', 'peek', name]));
  }

  async transcript(name: string): Promise<string> {
    return (await this.run([...this.where(), 'agent', 'logs', '--plain', name])).stdout;
  }

  /** The checks of `doctor`, of which one may be bad. */
  async doctor(): Promise<Check[]> {
    return checksFrom((await this.rows(['doctor'])).value);
  }

  /** Brings back those that were lost: who is back, and who could not be brought back. */
  async restoreLost(): Promise<{ back: Restored[]; failed: Restored[] }> {
    const { value, isAllWell } = await this.rows(['agent', 'restore', '--all'], PATIENT);
    const all = restoredFrom(value);
    // One that was back already is not restored either.
    return isAllWell ? { back: all, failed: [] } : { back: all.filter(({ restored }) => restored), failed: all.filter(({ restored }) => !restored) };
  }

  /** Starts an agent or a taskspace; a task goes in on standard input. */
  async started(args: readonly string[], task: string): Promise<Agent> {
    return agentFrom(await this.json(args, { ...PATIENT, stdin: task }));
  }

  /** Runs a verb with `--json` and returns what it printed. */
  async json(args: readonly string[], given: Given = {}): Promise<unknown> {
    return (await this.heard(args, given)).value;
  }

  /** Follows `agent list --watch` until it is disposed of or ends by itself; `ended` is called once. */
  watch(on: { agents: (listed: Listed) => void; warning: (text: string) => void; ended: (error: Error) => void }): { dispose: () => void } {
    let child: ChildProcessWithoutNullStreams;
    let over = false;
    const end = (error: Error) => {
      if (over) return;
      over = true;
      on.ended(error);
    };
    try {
      child = spawn(this.binary(), [...this.where(), '--json', 'agent', 'list', '--watch'], { shell: false, env: forPrograms(process.env) });
    } catch (error) {
      queueMicrotask(() => { end(error as Error); });
      return { dispose: () => { over = true; } };
    }
    // Its end is how the binary knows that nobody reads any more.
    child.stdin.end();
    let said = '';
    lines(child.stdout, (line) => {
      if (over) return;
      let listed;
      try {
        listed = listedFrom(JSON.parse(line));
      } catch (error) {
        // What comes next would not be understood either: another one is started, after a while.
        child.kill();
        end(new CommandError({ code: 'unreadable', message: `agent list --watch: ${(error as Error).message}`, saw: [line.slice(0, 200)], hints: [] }));
        return;
      }
      on.agents(listed);
    });
    lines(child.stderr, (line) => {
      said = `${said}\n${line}`.slice(-65_536);
      const warning = warningIn(line);
      if (!over && warning !== undefined) on.warning(warning);
    });
    child.on('error', (error: NodeJS.ErrnoException) => { end(asMissing(error)); });
    child.on('close', (code) => {
      end(new CommandError(failureFrom(said) ?? { code: 'ended', message: `agent list --watch ended with ${code ?? 'a signal'}`, saw: [said.trim()], hints: [] }));
    });
    return {
      dispose: () => {
        over = true;
        child.kill();
      },
    };
  }

  private async newestOver(name: string): Promise<Task[]> {
    return tasksFrom(await this.json(['task', 'list', '--agent', name, '--state', 'done', '--state', 'failed', '--limit', '20']));
  }

  private binary(): string {
    const { path } = this.place();
    const found = findBinary(path);
    if (found === undefined) throw missing(path);
    return found;
  }

  private where(): string[] {
    const { home } = this.place();
    return home === '' ? [] : ['--home', homeOf(home)];
  }

  private async heard(args: readonly string[], given: Given = {}): Promise<{ value: unknown; warnings: string[] }> {
    const { stdout, stderr } = await this.run([...this.where(), '--json', ...args], given);
    const warnings = stderr.split('\n').filter(Boolean).map((line) => warningIn(line) ?? line);
    for (const line of warnings) this.log(line);
    return { value: stdout.trim() === '' ? null : (JSON.parse(stdout) as unknown), warnings };
  }

  /** The list that a verb prints, which it also does when it exits 1 because of one of them. */
  private async rows(args: readonly string[], given: Given = {}): Promise<{ value: unknown; isAllWell: boolean }> {
    try {
      return { value: await this.json(args, given), isAllWell: true };
    } catch (error) {
      if (error instanceof CommandError && error.saw[0]?.startsWith('[')) return { value: JSON.parse(error.saw[0]), isAllWell: false };
      throw error;
    }
  }

  private async run(args: readonly string[], given: Given = {}): Promise<Ran> {
    const binary = this.binary();
    const options = { timeout: given.timeout ?? this.timeout, maxBuffer: MOST_OUTPUT, shell: false, env: forPrograms(process.env), ...(given.cwd === undefined ? {} : { cwd: given.cwd }) };
    return new Promise((resolve, reject) => {
      const child = execFile(binary, args, options, (error, stdout, stderr) => {
        if (error === null) {
          resolve({ stdout, stderr });
          return;
        }
        const failure = failureFrom(stderr);
        const saw = [stdout.trim(), stderr.trim()].filter(Boolean);
        reject(failure === undefined ? asMissing(error, saw) : new CommandError(failure));
      });
      // A program that ends before it has read everything is told by its exit, not by a broken pipe.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(given.stdin ?? '');
    });
  }
}

/** What the setting means, in one place: terminals run the binary in another directory than we do, and no shell is there that
 *  knows `~`. */
function homeOf(home: string): string {
  if (home.startsWith('@') || isAbsolute(home)) return home;
  if (home === '~' || home.startsWith('~/')) return join(homedir(), home.slice(1));
  throw new CommandError({ code: 'state', message: `symposium.home cannot be ${home}`, saw: ['a directory begins with / or ~/, an environment with @'], hints: ['say in the setting symposium.home where it is'] });
}

/** Nothing to run, with all the places that were looked at: an editor often has another PATH than a shell. */
function missing(path: string): CommandError {
  const tried = candidates(path, process.env);
  const saw = tried.length === 0 ? ['a path with a slash begins with / or ~/'] : ['none of these is a program that can be run:', ...tried];
  return new CommandError({ code: 'missing-binary', message: `cannot run ${path}`, saw, hints: ['install symposium, or say in the setting symposium.path where it is'] });
}

function asMissing(error: Error & { code?: string | number | null | undefined }, saw: string[] = []): CommandError {
  const gone = error.code === 'ENOENT' || error.code === 'EACCES';
  return new CommandError({ code: gone ? 'missing-binary' : 'failed', message: error.message, saw, hints: [] });
}

/** Calls for each whole line of a stream. */
function lines(stream: NodeJS.ReadableStream, each: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    // A line that does not end is none: what is kept of it will not be understood.
    rest = (parts.pop() ?? '').slice(0, MOST_OUTPUT);
    parts.filter(Boolean).forEach(each);
  });
}

/** The terminal that a process has: by it a tmux client in a shell is known. Asks the kernel first; containers often have
 *  no `ps`. */
export async function ttyOf(pid: number): Promise<string | undefined> {
  const opened = await readlink(`/proc/${pid}/fd/0`).catch(() => '');
  if (opened.startsWith('/dev/pts/')) return opened;
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'tty=', '-p', String(pid)], { timeout: 5_000 }, (error, stdout) => {
      const name = stdout.trim();
      resolve(error !== null || name === '' || name.startsWith('?') ? undefined : `/dev/${name}`);
    });
  });
}
