// The types of the output of `symposium … --json` and their shapes. tests/supervisor/editor.rs compares the binary with
// the files in test/golden, and the tests of the shapes use the same files.

import { type JsonShape, flag, list, number, object, optional, orNull, text, word } from './jsonShapes';

export type Status =
  | 'starting'
  | 'working'
  | 'waiting'
  | 'idle'
  | 'exited'
  | 'crashed'
  | 'stopped'
  | 'hibernated'
  | 'lost'
  | 'unknown';

export interface Progress {
  percent: number;
  note: string;
}

/** One agent of `agent list`. Names only the fields that the extension reads. */
export interface Agent {
  name: string;
  id: string;
  title: string | null;
  /** The last prompt; older binaries do not print it. */
  prompt?: string | null | undefined;
  spec: string;
  kind: string;
  status: Status;
  waiting_for: 'approval' | 'question' | 'setup' | 'limit' | null;
  status_since: string;
  reason: string;
  /** The failed turn that the status is about; older binaries do not print it. */
  failure?: FailedTurn | null | undefined;
  question: Question | null;
  exit: { code: number | null; signal: number | null } | null;
  working_directory: string;
  project: string | null;
  branch: string | null;
  directory_gone: string | null;
  workspace: 'in-place' | 'worktree' | 'scratch';
  tmux: { socket: string; session: string; pane: string } | null;
  created_at: string;
  last_activity: string | null;
  last_attached: string | null;
  clients: AttachedClient[];
  /** The users that the agent is shared with; binaries that do not print it are asked by `agent show`. */
  shares?: Share[] | undefined;
  conversation: { id: string | null; name: string | null; forked_from: string | null };
  parent: string | null;
  ephemeral: boolean;
  restart: { policy: string; count: number; next_at: string | null };
  tasks: { queued: number; running: number; done: number; failed: number };
  task: { id: number; title: string; progress: Progress | null } | null;
  host: string | null;
}

/** A turn that ended with an error. */
export interface FailedTurn {
  cause: 'login' | 'credit' | 'limit' | 'error';
  at: string;
  /** Until when the agent gets no task; null means until the user acts. */
  held_until: string | null;
  /** Whether the agent CLI continues the turn by itself. */
  paused?: boolean | undefined;
}

/** What a waiting agent asks for. */
export interface Question {
  /** Identifies the question; an argument of `agent approve --if-asks`. */
  id: string;
  /** The complete text, or the part that the binary keeps. */
  text: string;
  /** With `brief` the question was read from the screen, and the dialog there may say more. */
  extent: 'whole' | 'cut' | 'brief';
}

/** A parsed list, with the agents that could not be parsed. */
export interface AgentList {
  agents: Agent[];
  broken: UnreadableAgent[];
}

/** The reply to a single request, with the agents that the binary could not read. */
export interface AgentListReply extends AgentList {
  unreadable: UnreadableAgent[];
}

export interface UnreadableAgent {
  name: string;
  why: string;
}

export interface AttachedClient {
  user: string | null;
  tty: string;
  observer: boolean;
  driver: boolean;
  guest: boolean;
  since: string | null;
  from: string | null;
  pid: number | null;
  focused: boolean;
}

export type TaskState = 'queued' | 'dispatched' | 'running' | 'done' | 'failed' | 'cancelled';

/** One task of `task list`. */
export interface Task {
  id: number;
  agent: string | null;
  pool: string | null;
  text: string;
  priority: string;
  state: TaskState;
  created_at: string;
  changed_at: string;
  /** The tasks that must be done before this one. */
  after: number[];
  /** The number of those tasks that are not done yet. */
  blocked: number;
  progress: Progress | null;
  why: string;
  result: string | null;
}

/** A task with its history, as `task show` prints it. */
export interface TaskDetails extends Task {
  steps: { at: string; state: TaskState; attempt: number; why: string }[];
}

/** The output of `agent recap`. */
export interface Recap {
  name: string;
  since: string;
  until: string;
  status: Status;
  reason: string;
  changes: { at: string; from: Status | null; to: Status; why: string }[];
  spent: { status: Status; seconds: number }[];
  prompts: number;
  restarts: number;
  gave_up: boolean;
  done: { id: number; title: string; why: string }[];
  failed: { id: number; title: string; why: string }[];
  /** The failed turn that the status is about; older binaries do not print it. */
  failure?: FailedTurn | null | undefined;
  /** The turns that failed; older binaries do not print them. */
  failed_turns?: { at: string; why: string }[] | undefined;
  messages: { id: number; at: string; from: string; to: string | null; text: string }[];
  commits: { id: string; subject: string; at: string }[] | null;
  uncommitted: { files: { kind: string; path: string }[]; insertions: number; deletions: number } | null;
  last_prompt: string | null;
  last_words: string | null;
  asks: string | null;
}

/** One spec of `spec list`. */
export interface Spec {
  name: string;
  description: string | null;
  kind: string | null;
  role: string | null;
  /** `built-in`, or the file by its owner: `{ "project": "…/agents.toml" }`. */
  found_in: string | Record<string, string>;
  wrong: string[];
}

/** One kind of `spec list --kinds`. An agent CLI can be used in place of a spec. */
export interface Kind {
  name: string;
  installed: boolean;
}

/** The result of `agent restore` for one agent. */
export interface Restored {
  name: string;
  restored: boolean;
  remark: string;
}

/** One share of an agent, as `agent show` and `agent unshare` print it. */
export interface Share {
  with: string;
  read_only: boolean;
  until: string | null;
}

/** The output of `agent rm --dry-run`. */
export interface RemovalPreview {
  /** Descriptions of work that exists nowhere else. */
  summary: string[];
}

/** The output of `agent rm` and `taskspace delete`. */
export interface RemovalReport {
  /** Commands that restore the copy of the removed work. */
  recover: string[];
}

/** One taskspace of `taskspace list`. */
export interface Taskspace {
  id: string;
  name: string;
  description: string;
}

/** One check of `doctor`. */
export interface Check {
  what: string;
  health: 'good' | 'note' | 'bad';
  saw: string;
  advice: string | null;
}

/** The error report that a failed command prints to standard error. */
export interface Failure {
  code: string;
  message: string;
  saw: string[];
  hints: string[];
}

/** The output of `agent peek`. */
export interface Screen {
  screen: string[];
}

const progress: JsonShape<Progress> = object<Progress>({ percent: number, note: text });

const client: JsonShape<AttachedClient> = object<AttachedClient>({
  user: orNull(text),
  tty: text,
  observer: flag,
  driver: flag,
  guest: flag,
  since: orNull(text),
  from: orNull(text),
  pid: orNull(number),
  focused: flag,
});

const share: JsonShape<Share> = object<Share>({ with: text, read_only: flag, until: orNull(text) });

const failedTurn: JsonShape<FailedTurn> = object<FailedTurn>({ cause: word(), at: text, held_until: orNull(text), paused: optional(flag) });

const agent: JsonShape<Agent> = object<Agent>({
  name: text,
  id: text,
  title: orNull(text),
  prompt: optional(orNull(text)),
  spec: text,
  kind: text,
  status: word(),
  waiting_for: orNull(word()),
  status_since: text,
  reason: text,
  failure: optional(orNull(failedTurn)),
  question: orNull(object<Question>({ id: text, text, extent: word() })),
  exit: orNull(object({ code: orNull(number), signal: orNull(number) })),
  working_directory: text,
  project: orNull(text),
  branch: orNull(text),
  directory_gone: orNull(text),
  workspace: word(),
  tmux: orNull(object({ socket: text, session: text, pane: text })),
  created_at: text,
  last_activity: orNull(text),
  last_attached: orNull(text),
  clients: list(client),
  shares: optional(list(share)),
  conversation: object({ id: orNull(text), name: orNull(text), forked_from: orNull(text) }),
  parent: orNull(text),
  ephemeral: flag,
  restart: object({ policy: text, count: number, next_at: orNull(text) }),
  tasks: object({ queued: number, running: number, done: number, failed: number }),
  task: orNull(object({ id: number, title: text, progress: orNull(progress) })),
  host: orNull(text),
});

const taskFields = {
  id: number,
  agent: orNull(text),
  pool: orNull(text),
  text,
  priority: text,
  state: word<TaskState>(),
  created_at: text,
  changed_at: text,
  after: list(number),
  blocked: number,
  progress: orNull(progress),
  why: text,
  result: orNull(text),
};

const task: JsonShape<Task> = object<Task>(taskFields);

const taskDetails: JsonShape<TaskDetails> = object<TaskDetails>({
  ...taskFields,
  steps: list(object({ at: text, state: word<TaskState>(), attempt: number, why: text })),
});

const done = list(object({ id: number, title: text, why: text }));

const recap: JsonShape<Recap> = object<Recap>({
  name: text,
  since: text,
  until: text,
  status: word(),
  reason: text,
  changes: list(object({ at: text, from: orNull(word<Status>()), to: word<Status>(), why: text })),
  spent: list(object({ status: word<Status>(), seconds: number })),
  prompts: number,
  restarts: number,
  gave_up: flag,
  done,
  failed: done,
  failure: optional(orNull(failedTurn)),
  failed_turns: optional(list(object({ at: text, why: text }))),
  messages: list(object({ id: number, at: text, from: text, to: orNull(text), text })),
  commits: orNull(list(object({ id: text, subject: text, at: text }))),
  uncommitted: orNull(object({ files: list(object({ kind: text, path: text })), insertions: number, deletions: number })),
  last_prompt: orNull(text),
  last_words: orNull(text),
  asks: orNull(text),
});

const place: JsonShape<Spec['found_in']> = (value, at) =>
  typeof value === 'string' ? value : object<Record<string, string>>(Object.fromEntries(Object.keys(value ?? {}).map((key) => [key, text])))(value, at);

const spec: JsonShape<Spec> = object<Spec>({
  name: text,
  description: orNull(text),
  kind: orNull(text),
  role: orNull(text),
  found_in: place,
  wrong: list(text),
});

const taskspace: JsonShape<Taskspace> = object<Taskspace>({ id: text, name: text, description: text });

const check: JsonShape<Check> = object<Check>({ what: text, health: word(), saw: text, advice: orNull(text) });

const failure: JsonShape<Failure> = object<Failure>({ code: text, message: text, saw: list(text), hints: list(text) });

/** These parsers reject a value as a whole. */
export const agentsFrom = (value: unknown): Agent[] => list(agent)(value, 'agents');

/** Parses a list as far as possible: an agent with a missing field does not hide the others. A duplicate id is an error
 *  too, because VS Code rejects a tree with two rows of the same id. */
export function agentListFrom(value: unknown): AgentList {
  const listed: AgentList = { agents: [], broken: [] };
  const owners = new Map<string, string>();
  for (const [at, entry] of list<unknown>((each) => each)(value, 'agents').entries()) {
    try {
      const read = agent(entry, 'agent');
      const owner = owners.get(read.id);
      if (owner !== undefined) throw new Error(`agent.id: it is that of ${owner} too`);
      owners.set(read.id, read.name);
      listed.agents.push(read);
    } catch (error) {
      const name = (entry as { name?: unknown } | null)?.name;
      listed.broken.push({ name: typeof name === 'string' ? name : `#${at + 1}`, why: (error as Error).message });
    }
  }
  return listed;
}
export const agentFrom = (value: unknown): Agent => agent(value, 'agent');
export const tasksFrom = (value: unknown): Task[] => list(task)(value, 'tasks');
export const taskDetailsFrom = (value: unknown): TaskDetails => taskDetails(value, 'task');
export const taskFrom = (value: unknown): Task => task(value, 'task');
export const recapFrom = (value: unknown): Recap => recap(value, 'recap');
export const doneFrom = (value: unknown): Recap['done'] => done(value, 'done');
export const specsFrom = (value: unknown): Spec[] => list(spec)(value, 'specs');
export const workspaceFrom = (value: unknown): Agent['workspace'] => object<{ spec: Pick<Agent, 'workspace'> }>({ spec: object<Pick<Agent, 'workspace'>>({ workspace: word() }) })(value, 'shown').spec.workspace;
export const kindOf = (value: unknown): string | null => object<{ kind: string | null }>({ kind: orNull(text) })(value, 'shown').kind;
export const kindsFrom = (value: unknown): Kind[] => list(object<Kind>({ name: text, installed: flag }))(value, 'kinds');
export const taskspacesFrom = (value: unknown): Taskspace[] => list(taskspace)(value, 'taskspaces');
const shares = list(share);
export const sharesFrom = (value: unknown): Share[] => shares(value, 'shares');
export const sharesOf = (value: unknown): Share[] => object<{ shares: Share[] }>({ shares })(value, 'shown').shares;
export const removalPreviewFrom = (value: unknown): RemovalPreview => object<RemovalPreview>({ summary: list(text) })(value, 'preview');
export const removalReportFrom = (value: unknown): RemovalReport => object<RemovalReport>({ recover: list(text) })(value, 'removal');
export const restoredFrom = (value: unknown): Restored[] => list(object<Restored>({ name: text, restored: flag, remark: text }))(value, 'restored');
export const screenFrom = (value: unknown): string[] => object<Screen>({ screen: list(text) })(value, 'screen').screen;
export const checksFrom = (value: unknown): Check[] => list(check)(value, 'checks');

/** Returns the warning in a line of standard error: an object with `--json`, text from older binaries. Returns
 *  undefined for other lines. */
export function warningIn(line: string): string | undefined {
  if (line.startsWith('warning: ')) return line.slice('warning: '.length);
  if (!line.startsWith('{')) return undefined;
  try {
    return object<{ warning: string }>({ warning: text })(JSON.parse(line), 'line').warning;
  } catch {
    return undefined;
  }
}

/** Returns the error report in the standard error of a command, if there is one. */
export function failureFrom(stderr: string): Failure | undefined {
  for (const line of stderr.split('\n').reverse()) {
    if (!line.startsWith('{')) continue;
    try {
      return object({ error: failure })(JSON.parse(line), 'failure').error;
    } catch {
      // This line is not the report.
    }
  }
  return undefined;
}
