// What `symposium … --json` prints, field by field as the binary names it. Types and their guards only: no logic.

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

/** One agent of `agent list`. Only what the extension reads is named; the rest of the contract may be there too. */
export interface Agent {
  name: string;
  id: string;
  title: string | null;
  spec: string;
  kind: string;
  status: Status;
  waiting_for: 'approval' | 'question' | 'setup' | null;
  status_since: string;
  reason: string;
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
  clients: Client[];
  conversation: { id: string | null; name: string | null };
  parent: string | null;
  ephemeral: boolean;
  restart: { policy: string; count: number; next_at: string | null };
  tasks: { queued: number; running: number; done: number; failed: number };
  task: { id: number; title: string; progress: Progress | null } | null;
  host: string | null;
}

export interface Client {
  user: string | null;
  tty: string;
  observer: boolean;
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
  blocked: number;
  progress: Progress | null;
  why: string;
  result: string | null;
}

/** What `agent recap` tells. */
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
  messages: { id: number; at: string; from: string; to: string | null; text: string }[];
  commits: { id: string; subject: string; at: string }[] | null;
  uncommitted: { files: { kind: string; path: string }[]; insertions: number; deletions: number } | null;
  last_words: string | null;
  asks: string | null;
}

/** One spec of `spec list`. */
export interface Spec {
  name: string;
  description: string | null;
  kind: string | null;
  role: string | null;
  found_in: string;
  wrong: unknown[];
}

/** One taskspace of `taskspace list`. */
export interface Taskspace {
  id: string;
  name: string;
  description: string;
}

/** One line of `doctor`. */
export interface Check {
  what: string;
  health: 'good' | 'note' | 'bad';
  saw: string;
  advice: string | null;
}

/** What is on standard error when a command fails. */
export interface Failure {
  code: string;
  message: string;
  saw: string[];
  hints: string[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === 'string';

/** The agents of one line of `agent list`; anything else is refused whole, so that half a list is never shown. */
export function agentsFrom(value: unknown): Agent[] {
  if (!Array.isArray(value)) throw new Error('expected an array of agents');
  return value.map((entry: unknown) => {
    const whole =
      isObject(entry) &&
      ['name', 'id', 'status', 'status_since', 'reason', 'working_directory'].every((key) => isText(entry[key])) &&
      Array.isArray(entry['clients']) &&
      isObject(entry['tasks']) &&
      isObject(entry['restart']);
    if (!whole) throw new Error('an agent lacks what every agent has');
    return entry as unknown as Agent;
  });
}

/** The failure in what a command wrote on standard error, when it wrote one. */
export function failureFrom(stderr: string): Failure | undefined {
  for (const line of stderr.split('\n').reverse()) {
    if (!line.startsWith('{')) continue;
    try {
      const value: unknown = JSON.parse(line);
      if (isObject(value) && isObject(value['error'])) {
        const { code, message, saw, hints } = value['error'];
        const texts = (list: unknown) => (Array.isArray(list) ? list.filter(isText) : []);
        return {
          code: isText(code) ? code : 'unknown',
          message: isText(message) ? message : line,
          saw: texts(saw),
          hints: texts(hints),
        };
      }
    } catch {
      // Not the line we look for.
    }
  }
  return undefined;
}
