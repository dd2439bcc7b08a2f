// The tree of the agents view: projects, their agents, and below an agent its children.

import type { Agent } from '../../binary/types';
import { isHere, ownsWindow } from '../agent/inWorkspace';
import { isDriven } from '../terminals/attachedTerminals';
import { needsPerson, rank } from '../agent/status';

export interface AgentNode {
  type: 'agent';
  agent: Agent;
  children: AgentNode[];
  /** Whether the folder of this window is the workspace of this agent alone. */
  isOpen: boolean;
  /** Set on the copy of a row whose original is in its project. */
  copyIn?: typeof NEEDS_YOU;
}

export interface ProjectNode {
  type: 'project';
  path: string;
  here: boolean;
  children: AgentNode[];
}

/** Orders agents by rank, then by name. An agent that stops working keeps its place, because a row that moves under the
 *  pointer makes a click hit another agent. */
export const byUrgency = (a: Agent, b: Agent, now: number): number => rank(a, now) - rank(b, now) || (a.name < b.name ? -1 : 1);

/** Returns the most urgent rank in a subtree, so that a parent moves up with a child that needs a user. */
const urgency = ({ agent, children }: AgentNode, now: number): number => Math.min(rank(agent, now), ...children.map((child) => urgency(child, now)));

/** Returns the number of agents below a row that wait for a user. The row may be collapsed. */
export const waitingBelow = ({ children }: AgentNode | ProjectNode): number =>
  children.reduce((sum, child) => sum + Number(needsPerson(child.agent)) + waitingBelow(child), 0);

const holdsOpen = ({ isOpen, children }: AgentNode): boolean => isOpen || children.some(holdsOpen);

/** Sorts rows and their children. The agent of this window comes first. */
function sort(nodes: AgentNode[], now: number): void {
  const ranks = new Map(nodes.map((node) => [node, holdsOpen(node) ? -1 : urgency(node, now)]));
  const of = (node: AgentNode) => ranks.get(node) ?? 0;
  nodes.sort((a, b) => of(a) - of(b) || byUrgency(a.agent, b.agent, now));
  for (const { children } of nodes) sort(children, now);
}

/** The path of the group for agents in a scratch folder, which belong to no project. */
export const NO_PROJECT = '';

/** The path of the top group, which repeats the agents that wait for a user. */
export const NEEDS_YOU = 'needs-you';

const groupPath = (agent: Agent, folders: readonly string[]): string =>
  agent.workspace === 'scratch' && !isHere(agent, folders) ? NO_PROJECT : (agent.project ?? agent.working_directory);

/** Returns rows and all rows below them. */
export const flatten = (nodes: readonly AgentNode[]): AgentNode[] => nodes.flatMap((node) => [node, ...flatten(node.children)]);

/** Groups agents by project: projects of this window first, agents without a project last. A child is shown below its
 *  parent even if it works in another project. If there are several projects, a group at the top repeats the agents
 *  that wait for a user, because their own rows may be out of sight. */
export function groupAgents(agents: readonly Agent[], folders: readonly string[], now: number): ProjectNode[] {
  const nodes = new Map<string, AgentNode>();
  for (const agent of agents) nodes.set(agent.name, { type: 'agent', agent, children: [], isOpen: ownsWindow(agent, folders) });
  const projects = new Map<string, ProjectNode>();
  for (const node of nodes.values()) {
    const parent = node.agent.parent === null ? undefined : nodes.get(node.agent.parent);
    if (parent !== undefined && !isBelow(parent, node, nodes)) {
      parent.children.push(node);
      continue;
    }
    const path = groupPath(node.agent, folders);
    const project = projects.get(path) ?? { type: 'project', path, here: false, children: [] };
    projects.set(path, project);
    project.children.push(node);
  }
  for (const project of projects.values()) {
    project.here = project.path !== NO_PROJECT && flatten(project.children).some(({ agent }) => groupPath(agent, folders) === project.path && isHere(agent, folders));
    sort(project.children, now);
  }
  const sorted = [...projects.values()].sort(
    (a, b) => Number(b.here) - Number(a.here) || Number(a.path === NO_PROJECT) - Number(b.path === NO_PROJECT) || (a.path < b.path ? -1 : 1),
  );
  return [...needsYouGroup(sorted), ...sorted];
}

/** Returns the top group, if there are several projects and a waiting agent. */
function needsYouGroup(projects: readonly ProjectNode[]): ProjectNode[] {
  if (projects.length < 2) return [];
  const waiting = projects.flatMap(({ children }) => flatten(children)).filter(({ agent }) => needsPerson(agent));
  // The longest waiting agent first, so that a new row does not move the others.
  waiting.sort((a, b) => (a.agent.status_since === b.agent.status_since ? Number(a.agent.name > b.agent.name) * 2 - 1 : a.agent.status_since < b.agent.status_since ? -1 : 1));
  if (waiting.length === 0) return [];
  return [{ type: 'project', path: NEEDS_YOU, here: false, children: waiting.map(({ agent, isOpen }) => ({ type: 'agent', agent, children: [], isOpen, copyIn: NEEDS_YOU })) }];
}

/** Returns whether `node` is an ancestor of `start`. Reused names could form a cycle. */
function isBelow(start: AgentNode, node: AgentNode, nodes: ReadonlyMap<string, AgentNode>): boolean {
  const seen = new Set<AgentNode>();
  for (let at: AgentNode | undefined = start; at !== undefined && !seen.has(at); ) {
    if (at === node) return true;
    seen.add(at);
    at = at.agent.parent === null ? undefined : nodes.get(at.agent.parent);
  }
  return false;
}

/** Returns the id of a row in VS Code. A row without children stays collapsed as long as its id is the same, so the
 *  first child changes the id. */
export const rowId = ({ agent, children, copyIn }: AgentNode): string => `${copyIn ?? 'agent'}:${agent.id}${children.length > 0 ? ':parent' : ''}`;

/** Describes the rows of a project and their order. */
function outline({ children }: ProjectNode): string {
  const ids = (nodes: readonly AgentNode[]): unknown => nodes.map((node) => [node.agent.id, node.isOpen, ids(node.children)]);
  return JSON.stringify(ids(children));
}

/** Updates a tree in place and returns the rows to redraw, each with its children. Returns undefined and changes
 *  nothing if the whole tree must be redrawn. */
export function updateTree(old: readonly ProjectNode[], fresh: readonly ProjectNode[]): (ProjectNode | AgentNode)[] | undefined {
  const heads = (projects: readonly ProjectNode[]) => JSON.stringify(projects.map(({ path, here }) => [path, here]));
  if (heads(old) !== heads(fresh) || changedProject(old, fresh)) return undefined;
  return old.flatMap((project, at): (ProjectNode | AgentNode)[] => {
    const now = fresh[at] ?? project;
    const waited = waitingBelow(project);
    if (outline(project) === outline(now)) {
      const differing = updateRows(project.children, now.children);
      return waitingBelow(project) === waited ? differing : [project];
    }
    project.children = now.children;
    return [project];
  });
}

/** Returns whether an agent has moved to another project. VS Code rejects two rows with the same id, and both projects
 *  would contain it until both are redrawn. */
function changedProject(old: readonly ProjectNode[], fresh: readonly ProjectNode[]): boolean {
  const ids = (nodes: readonly AgentNode[]): string[] => nodes.flatMap(({ agent, children }) => [agent.id, ...ids(children)]);
  const places = (projects: readonly ProjectNode[]) => projects.filter(({ path }) => path !== NEEDS_YOU).flatMap(({ path, children }) => ids(children).map((id) => [id, path] as const));
  const before = new Map(places(old));
  return places(fresh).some(([id, path]) => (before.get(id) ?? path) !== path);
}

/** Updates the agents of rows in place and returns the rows that look different now. */
function updateRows(old: readonly AgentNode[], fresh: readonly AgentNode[]): AgentNode[] {
  return old.flatMap((node, at) => {
    const now = fresh[at];
    if (now === undefined) return [];
    const differs = fingerprint([node.agent]) !== fingerprint([now.agent]) || waitingBelow(node) !== waitingBelow(now);
    node.agent = now.agent;
    return [...(differs ? [node] : []), ...updateRows(node.children, now.children)];
  });
}

/** Returns everything that the view shows of the agents. The view is redrawn when it changes. */
export const fingerprint = (agents: readonly Agent[]): string =>
  JSON.stringify(
    agents.map((a) => [
      a.id, a.name, a.title, a.prompt, a.conversation.name, a.status, a.waiting_for, a.status_since, a.reason, a.failure, a.question?.id, a.project, a.branch, a.parent,
      a.working_directory, a.tasks, a.task, a.tmux !== null, a.clients.length, a.clients.some(({ guest }) => guest), isDriven(a), a.workspace, a.shares, a.directory_gone, a.restart.next_at,
    ]),
  );
