// What the server sends. The agents are those of `agent list --json`, of which the page uses these fields.

export interface Question {
  id: string;
  text: string;
  extent: "whole" | "cut" | "brief";
  options?: string[];
}

export interface Agent {
  name: string;
  /** The host of an agent on another machine. */
  host?: string | null;
  /** Whether its host does not answer, so that this is the last known state. */
  isStale?: boolean;
  id: string;
  title: string | null;
  kind: string;
  status: string;
  waiting_for: "approval" | "question" | "setup" | "limit" | null;
  status_since: string;
  reason: string;
  question: Question | null;
  working_directory: string;
  project: string | null;
  branch: string | null;
  created_at: string;
  parent: string | null;
  clients: Client[];
  task: { id: number; title: string; progress: { percent: number; note: string } | null } | null;
  tasks: { queued: number; running: number; done: number; failed: number };
}

/** A terminal that is attached to an agent. */
export interface Client {
  tty: string;
  user: string | null;
  observer: boolean;
  driver: boolean;
}

/** A device that was paired recently. */
export interface Device {
  id: string;
  name: string;
  paired_at: string;
  /** Whether the server has paired it. A device that was written into the file is refused. */
  is_admitted: boolean;
}

/** The words that the dashboard shows for an agent. */
export interface Row {
  status: string;
  about: string;
  location: string;
}

export interface Listing {
  agents: Agent[];
  rows: Row[];
  /** Why the status of agents is not known. */
  silence: string | null;
  /** The limits of this device, if it is one of a guest. */
  access?: Access;
}

/** The agents of another host. */
export interface HostListing {
  host: string;
  agents: Agent[];
  rows: Row[];
  as_of: string | null;
  /** Why the host does not answer. */
  silence: string | null;
  /** Whether the host was not asked yet. */
  is_connecting?: boolean;
}

export interface Access {
  permission: "watch" | "type";
  expires_at: string;
}

export interface Task {
  id: number;
  text: string;
  status: string;
  state: string;
  waits_for: string | null;
  result: string | null;
  progress: { percent: number; note: string } | null;
  changed_at: string;
}

export interface Message {
  id: number;
  at: string;
  from: string;
  to: string | null;
  text: string;
  state: string;
}

export interface SpawnOption {
  name: string;
  description: string | null;
  /** Why it cannot be started. */
  problem: string | null;
  params: { name: string; param: { type: "string" | "int" | "bool" | "choice"; choices?: string[]; default: string | number | boolean | null; description: string | null } }[];
}

export interface SpawnOptions {
  options: SpawnOption[];
  last: { spec: string | null; workspace: string | null; params: Record<string, string> } | null;
}

export interface SpawnPreview {
  spec: string;
  kind: string;
  directory: string;
  workspace: string;
  /** The program with the arguments of the spec. */
  command: string[];
  /** The same with the arguments for hooks and tools. */
  command_line: string[];
  task: string | null;
  variables: string[];
  warnings: string[];
  digest: string;
}

export interface DiffAnswer {
  diff: {
    agent: string;
    base: { name: string | null; commit: string | null };
    files: { path: string; old_path: string | null; kind: string; added: number | null; removed: number | null }[];
    remarks: string[];
  };
  patch: string;
  is_cut: boolean;
}

export type Color = number | [number, number, number];

export interface Run {
  text: string;
  fg?: Color;
  bg?: Color;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
}

export interface Screen {
  width: number;
  cursor: [number, number] | null;
  lines: Run[][];
}
