// Runs the symposium binary. Beside this file only baseVersion.ts starts programs. Programs run without a shell; texts go
// to standard input. Does not depend on VS Code.

import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { unreadableFromWarning } from '../rules/binary/unreadable';
import { programEnvironment } from '../rules/binary/childEnvironment';
import type { AttachMode } from '../rules/terminals/attachedTerminals';
import { type Agent, type AgentListReply, type Check, type AgentList, type Failure, type Kind, type Recap, type Restored, type Share, type Spec, type Task, type TaskDetails, type Taskspace, type RemovalPreview } from './types';
import { agentFrom, checksFrom, failureFrom, kindOf, kindsFrom, agentListFrom, recapFrom, restoredFrom, screenFrom, sharesOf, specsFrom, taskDetailsFrom, taskFrom, tasksFrom, taskspacesFrom, removalPreviewFrom, warningIn, workspaceFrom } from './types';
import { type WorkById, workFrom } from './workTypes';

/** The path of the binary and the environment that it uses. */
export interface BinaryLocation {
  path: string;
  home: string;
}

/** The error report of a failed command. */
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

export interface CommandOutput {
  stdout: string;
  stderr: string;
}

/** Options of a command beside its arguments. */
export interface RunOptions {
  stdin?: string;
  cwd?: string;
  timeout?: number;
}

/** Exceeds the longest timeout of the binary itself, which is that of `agent send`. */
const COMMAND_TIMEOUT_MS = 60_000;

/** For commands that create or delete files or start many agents: the setup of a worktree may take minutes. The binary
 *  limits each part itself, and killing it would leave a half-finished result. */
export const NO_TIMEOUT: RunOptions = { timeout: 0 };

/** Limit for the output of a command; a transcript may be long. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Installation folders that are not in the PATH of an editor started from a desktop. */
const usualFolders = () => [join(homedir(), '.cargo/bin'), join(homedir(), '.local/bin'), '/usr/local/bin', '/opt/homebrew/bin'];

/** Returns the files that a path or name may refer to, in the order of the search. */
function candidates(path: string, env: NodeJS.ProcessEnv): string[] {
  const home = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
  if (isAbsolute(home)) return [home];
  if (home.includes('/')) return [];
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute), ...usualFolders()];
  return [...new Set(folders.map((folder) => join(folder, home)))];
}

/** Returns the executable file that a path or name refers to, or undefined. */
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
    private readonly location: () => BinaryLocation,
    private readonly log: (line: string) => void = () => undefined,
    private readonly timeout = COMMAND_TIMEOUT_MS,
  ) {}

  /** Returns the program and arguments of a terminal attached to an agent. */
  attachCommand(name: string, how: AttachMode): { shellPath: string; shellArgs: string[] } {
    const option = { driver: [], observer: ['--observe'], taker: ['--take'] }[how];
    return { shellPath: this.binary(), shellArgs: [...this.homeOption(), 'agent', 'attach', name, ...option] };
  }

  /** Returns the program and arguments of the MCP server, or undefined when the binary is missing. */
  mcpCommand(): { path: string; args: string[] } | undefined {
    const path = findBinary(this.location().path);
    return path === undefined ? undefined : { path, args: [...this.homeOption(), 'mcp'] };
  }

  async version(): Promise<string> {
    return (await this.run(['--version'], { timeout: 10_000 })).stdout.trim();
  }

  async agents(): Promise<AgentListReply> {
    const { value, warnings } = await this.runJson(['agent', 'list']);
    return { ...agentListFrom(value), unreadable: warnings.flatMap((line) => unreadableFromWarning(line) ?? []) };
  }

  /** Returns the work of all agents, with their pull requests. Runs git, and at most once a minute `gh`. */
  async work(): Promise<WorkById> {
    return workFrom(await this.json(['agent', 'list', '--work']));
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

  /** Returns the finished tasks of an agent: the newest ones, and the one with the given number if it has finished. For
   *  an agent that was removed only that one is known. */
  async finishedTasks(name: string, wanted?: number): Promise<Task[]> {
    const newest = await this.newestFinished(name).catch((error: unknown) => {
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

  /** Returns the workspace mode that a spec uses by default. */
  async workspaceOf(spec: string, dir: string): Promise<Agent['workspace']> {
    return workspaceFrom(await this.json(['spec', 'show', '--dir', dir, '--', spec]));
  }

  /** Returns the agent CLI that a spec starts. */
  async kindOf(spec: string, dir: string): Promise<string | null> {
    return kindOf(await this.json(['spec', 'show', '--dir', dir, '--', spec]));
  }

  async taskspaces(): Promise<Taskspace[]> {
    return taskspacesFrom(await this.json(['taskspace', 'list']));
  }

  async recap(name: string, since?: string): Promise<Recap> {
    return recapFrom(await this.json(['agent', 'recap', name, ...(since === undefined ? [] : ['--since', since])]));
  }

  /** Returns the users that an agent is shared with. */
  async shares(name: string): Promise<Share[]> {
    return sharesOf(await this.json(['agent', 'show', name]));
  }

  /** Returns what removing an agent would lose. Changes nothing. */
  async removalPreview(name: string): Promise<RemovalPreview> {
    return removalPreviewFrom(await this.json(['agent', 'rm', '--dry-run', name]));
  }

  async screen(name: string): Promise<string[]> {
    return screenFrom(await this.json(['agent', 'peek', name]));
  }

  async transcript(name: string): Promise<string> {
    return (await this.run([...this.homeOption(), 'agent', 'logs', '--plain', name])).stdout;
  }

  /** Returns the checks of `doctor`. The command exits with 1 when a check fails. */
  async doctor(): Promise<Check[]> {
    return checksFrom((await this.rows(['doctor'])).value);
  }

  /** Restores all lost agents and reports the result for each. */
  async restoreLost(): Promise<{ back: Restored[]; failed: Restored[] }> {
    const { value, isAllWell } = await this.rows(['agent', 'restore', '--all'], NO_TIMEOUT);
    const all = restoredFrom(value);
    // After a success, an agent with `restored: false` was running already.
    return isAllWell ? { back: all, failed: [] } : { back: all.filter(({ restored }) => restored), failed: all.filter(({ restored }) => !restored) };
  }

  /** Starts an agent or a taskspace. The task goes to standard input. */
  async start(args: readonly string[], task: string): Promise<Agent> {
    return agentFrom(await this.json(args, { ...NO_TIMEOUT, stdin: task }));
  }

  /** Runs a command with `--json` and returns the parsed output. */
  async json(args: readonly string[], given: RunOptions = {}): Promise<unknown> {
    return (await this.runJson(args, given)).value;
  }

  /** Follows `agent list --watch` until it is disposed of or ends by itself. Calls `ended` once. */
  watch(on: { agents: (listed: AgentList) => void; warning: (text: string) => void; ended: (error: Error) => void }): { dispose: () => void } {
    let child: ChildProcessWithoutNullStreams;
    let over = false;
    const end = (error: Error) => {
      if (over) return;
      over = true;
      on.ended(error);
    };
    try {
      child = spawn(this.binary(), [...this.homeOption(), '--json', 'agent', 'list', '--watch'], { shell: false, env: programEnvironment(process.env) });
    } catch (error) {
      queueMicrotask(() => { end(error as Error); });
      return { dispose: () => { over = true; } };
    }
    // The binary ends the watch when its standard input is closed by the end of this process.
    child.stdin.end();
    let stderrText = '';
    lines(child.stdout, (line) => {
      if (over) return;
      let listed;
      try {
        listed = agentListFrom(JSON.parse(line));
      } catch (error) {
        // The following lines would be unreadable too. The caller starts another process after a pause.
        child.kill();
        end(new CommandError({ code: 'unreadable', message: `agent list --watch: ${(error as Error).message}`, saw: [line.slice(0, 200)], hints: [] }));
        return;
      }
      on.agents(listed);
    });
    lines(child.stderr, (line) => {
      stderrText = `${stderrText}\n${line}`.slice(-65_536);
      const warning = warningIn(line);
      if (!over && warning !== undefined) on.warning(warning);
    });
    child.on('error', (error: NodeJS.ErrnoException) => { end(launchError(error)); });
    child.on('close', (code) => {
      end(new CommandError(failureFrom(stderrText) ?? { code: 'ended', message: `agent list --watch ended with ${code ?? 'a signal'}`, saw: [stderrText.trim()], hints: [] }));
    });
    return {
      dispose: () => {
        over = true;
        child.kill();
      },
    };
  }

  private async newestFinished(name: string): Promise<Task[]> {
    return tasksFrom(await this.json(['task', 'list', '--agent', name, '--state', 'done', '--state', 'failed', '--limit', '20']));
  }

  private binary(): string {
    const { path } = this.location();
    const found = findBinary(path);
    if (found === undefined) throw binaryNotFound(path);
    return found;
  }

  private homeOption(): string[] {
    const { home } = this.location();
    return home === '' ? [] : ['--home', expandHome(home)];
  }

  private async runJson(args: readonly string[], given: RunOptions = {}): Promise<{ value: unknown; warnings: string[] }> {
    const { stdout, stderr } = await this.run([...this.homeOption(), '--json', ...args], given);
    const warnings = stderr.split('\n').filter(Boolean).map((line) => warningIn(line) ?? line);
    for (const line of warnings) this.log(line);
    return { value: stdout.trim() === '' ? null : (JSON.parse(stdout) as unknown), warnings };
  }

  /** Returns the JSON list that a command prints, also when it exits with 1 because of one entry. */
  private async rows(args: readonly string[], given: RunOptions = {}): Promise<{ value: unknown; isAllWell: boolean }> {
    try {
      return { value: await this.json(args, given), isAllWell: true };
    } catch (error) {
      if (error instanceof CommandError && error.saw[0]?.startsWith('[')) return { value: JSON.parse(error.saw[0]), isAllWell: false };
      throw error;
    }
  }

  private async run(args: readonly string[], given: RunOptions = {}): Promise<CommandOutput> {
    const binary = this.binary();
    const options = { timeout: given.timeout ?? this.timeout, maxBuffer: MAX_OUTPUT_BYTES, shell: false, env: programEnvironment(process.env), ...(given.cwd === undefined ? {} : { cwd: given.cwd }) };
    return new Promise((resolve, reject) => {
      const child = execFile(binary, args, options, (error, stdout, stderr) => {
        if (error === null) {
          resolve({ stdout, stderr });
          return;
        }
        const failure = failureFrom(stderr);
        const saw = [stdout.trim(), stderr.trim()].filter(Boolean);
        reject(failure === undefined ? launchError(error, saw) : new CommandError(failure));
      });
      // A program that ends before it has read its input is reported by its exit code, not by a broken pipe.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(given.stdin ?? '');
    });
  }
}

/** Expands the setting `symposium.home`. Terminals run the binary in another directory, without a shell that expands
 *  `~`. */
function expandHome(home: string): string {
  if (home.startsWith('@') || isAbsolute(home)) return home;
  if (home === '~' || home.startsWith('~/')) return join(homedir(), home.slice(1));
  throw new CommandError({ code: 'state', message: `symposium.home cannot be ${home}`, saw: ['a directory begins with / or ~/, an environment with @'], hints: ['say in the setting symposium.home where it is'] });
}

/** Builds the error for a missing binary. It lists the searched files, because an editor often has another PATH than a
 *  shell. */
function binaryNotFound(path: string): CommandError {
  const tried = candidates(path, process.env);
  const saw = tried.length === 0 ? ['a path with a slash begins with / or ~/'] : ['none of these is a program that can be run:', ...tried];
  return new CommandError({ code: 'missing-binary', message: `cannot run ${path}`, saw, hints: ['install symposium, or say in the setting symposium.path where it is'] });
}

function launchError(error: Error & { code?: string | number | null | undefined }, saw: string[] = []): CommandError {
  const gone = error.code === 'ENOENT' || error.code === 'EACCES';
  return new CommandError({ code: gone ? 'missing-binary' : 'failed', message: error.message, saw, hints: [] });
}

/** Calls `each` for every complete line of a stream. */
function lines(stream: NodeJS.ReadableStream, each: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    // Bounds an unterminated line. The cut line will not parse.
    rest = (parts.pop() ?? '').slice(0, MAX_OUTPUT_BYTES);
    parts.filter(Boolean).forEach(each);
  });
}

/** Returns the terminal device of a process, which identifies a tmux client inside a shell. Reads /proc first, because
 *  containers often lack `ps`. */
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
