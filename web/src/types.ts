// What the server sends. The agents are those of `agent list --json`, of which the page uses these fields.

export interface Question {
  id: string;
  text: string;
  extent: "whole" | "cut" | "brief";
  options?: string[];
}

export interface Agent {
  name: string;
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
