// The tree of the agents view: projects, in them agents, below them the agents that they spawned.

import type { Agent } from '../../binary/types';
import { isHere, ownsWindow } from '../agent/inWorkspace';
import { isDriven } from '../terminals/attachedTerminals';
import { needsPerson, rank } from '../agent/status';

export interface AgentNode {
  type: 'agent';
  agent: Agent;
  children: AgentNode[];
  /** Whether the folder of this window is the agent's own workspace. */
  isOpen: boolean;
  /** The group that repeats an agent whose row is elsewhere too. */
  copyIn?: typeof NEEDS_YOU;
}

export interface ProjectNode {
  type: 'project';
  path: string;
  here: boolean;
  children: AgentNode[];
}

/** What needs a person first, then by name. An agent that goes from work to rest stays where it is: a row that moves away
 *  under the mouse is a click on another agent. */
export const forPeople = (a: Agent, b: Agent, now: number): number => rank(a, now) - rank(b, now) || (a.name < b.name ? -1 : 1);

/** The most urgent rank in a subtree: a parent stands where those below it need a person, so that they are seen. */
const urgency = ({ agent, children }: AgentNode, now: number): number => Math.min(rank(agent, now), ...children.map((child) => urgency(child, now)));

/** How many agents below a row wait for a person; the row may be collapsed. */
export const waitingBelow = ({ children }: AgentNode | ProjectNode): number =>
  children.reduce((sum, child) => sum + Number(needsPerson(child.agent)) + waitingBelow(child), 0);

const holdsOpen = ({ isOpen, children }: AgentNode): boolean => isOpen || children.some(holdsOpen);

/** Sorts rows and those below them: the agent of this window first. */
function sort(nodes: AgentNode[], now: number): void {
  const ranks = new Map(nodes.map((node) => [node, holdsOpen(node) ? -1 : urgency(node, now)]));
  const of = (node: AgentNode) => ranks.get(node) ?? 0;
  nodes.sort((a, b) => of(a) - of(b) || forPeople(a.agent, b.agent, now));
  for (const { children } of nodes) sort(children, now);
}

/** The path of the group for agents that work in a folder of their own and in no project: each would be a project called
 *  `workspace`. */
export const NO_PROJECT = '';

/** The path of the group at the top that repeats the agents that wait for a person. */
export const NEEDS_YOU = 'needs-you';

const placeOf = (agent: Agent, folders: readonly string[]): string =>
  agent.workspace === 'scratch' && !isHere(agent, folders) ? NO_PROJECT : (agent.project ?? agent.working_directory);

const everyone = (nodes: readonly AgentNode[]): AgentNode[] => nodes.flatMap((node) => [node, ...everyone(node.children)]);

/** Groups agents by project: those that are open in this window first, agents in no project last. A child stands below its
 *  parent, also when it works in another project. Where there are several projects, a group on top repeats the agents that
 *  wait for a person, because their own rows may be out of sight. */
export function group(agents: readonly Agent[], folders: readonly string[], now: number): ProjectNode[] {
  const nodes = new Map<string, AgentNode>();
  for (const agent of agents) nodes.set(agent.name, { type: 'agent', agent, children: [], isOpen: ownsWindow(agent, folders) });
  const projects = new Map<string, ProjectNode>();
  for (const node of nodes.values()) {
    const parent = node.agent.parent === null ? undefined : nodes.get(node.agent.parent);
    if (parent !== undefined && !isBelow(parent, node, nodes)) {
      parent.children.push(node);
      continue;
    }
    const path = placeOf(node.agent, folders);
    const project = projects.get(path) ?? { type: 'project', path, here: false, children: [] };
    projects.set(path, project);
    project.children.push(node);
  }
  for (const project of projects.values()) {
    project.here = project.path !== NO_PROJECT && everyone(project.children).some(({ agent }) => placeOf(agent, folders) === project.path && isHere(agent, folders));
    sort(project.children, now);
  }
  const sorted = [...projects.values()].sort(
    (a, b) => Number(b.here) - Number(a.here) || Number(a.path === NO_PROJECT) - Number(b.path === NO_PROJECT) || (a.path < b.path ? -1 : 1),
  );
  return [...needingPerson(sorted), ...sorted];
}

/** The group on top, when it is of use. */
function needingPerson(projects: readonly ProjectNode[]): ProjectNode[] {
  if (projects.length < 2) return [];
  const waiting = projects.flatMap(({ children }) => everyone(children)).filter(({ agent }) => needsPerson(agent));
  // The one that has waited longest first, so that a new one appears below the pointer and not under it.
  waiting.sort((a, b) => (a.agent.status_since === b.agent.status_since ? Number(a.agent.name > b.agent.name) * 2 - 1 : a.agent.status_since < b.agent.status_since ? -1 : 1));
  if (waiting.length === 0) return [];
  return [{ type: 'project', path: NEEDS_YOU, here: false, children: waiting.map(({ agent, isOpen }) => ({ type: 'agent', agent, children: [], isOpen, copyIn: NEEDS_YOU })) }];
}

/** Whether `node` is among the forebears of `start`: names that were given anew could close a circle. */
function isBelow(start: AgentNode, node: AgentNode, nodes: ReadonlyMap<string, AgentNode>): boolean {
  const seen = new Set<AgentNode>();
  for (let at: AgentNode | undefined = start; at !== undefined && !seen.has(at); ) {
    if (at === node) return true;
    seen.add(at);
    at = at.agent.parent === null ? undefined : nodes.get(at.agent.parent);
  }
  return false;
}

/** By what VS Code knows a row. It keeps a row that had nothing below it closed for as long as it is the same one, so the
 *  first child makes another of it, which is open. */
export const rowId = ({ agent, children, copyIn }: AgentNode): string => `${copyIn ?? 'agent'}:${agent.id}${children.length > 0 ? ':parent' : ''}`;

/** Which rows there are and how they stand, as one text. */
function outline({ children }: ProjectNode): string {
  const ids = (nodes: readonly AgentNode[]): unknown => nodes.map((node) => [node.agent.id, node.isOpen, ids(node.children)]);
  return JSON.stringify(ids(children));
}

/** Makes of one tree another that stands in the same projects, and returns the rows that are to be drawn anew, each with
 *  what is below it. Nothing comes back, and nothing is changed, when the whole tree has to be. */
export function renew(old: readonly ProjectNode[], fresh: readonly ProjectNode[]): (ProjectNode | AgentNode)[] | undefined {
  const heads = (projects: readonly ProjectNode[]) => JSON.stringify(projects.map(({ path, here }) => [path, here]));
  if (heads(old) !== heads(fresh) || haveMoved(old, fresh)) return undefined;
  return old.flatMap((project, at): (ProjectNode | AgentNode)[] => {
    const now = fresh[at] ?? project;
    const waited = waitingBelow(project);
    if (outline(project) === outline(now)) {
      const differing = update(project.children, now.children);
      return waitingBelow(project) === waited ? differing : [project];
    }
    project.children = now.children;
    return [project];
  });
}

/** Whether an agent stands in another project than before: VS Code takes no row twice, and it would be in both until both
 *  are drawn. */
function haveMoved(old: readonly ProjectNode[], fresh: readonly ProjectNode[]): boolean {
  const ids = (nodes: readonly AgentNode[]): string[] => nodes.flatMap(({ agent, children }) => [agent.id, ...ids(children)]);
  const places = (projects: readonly ProjectNode[]) => projects.filter(({ path }) => path !== NEEDS_YOU).flatMap(({ path, children }) => ids(children).map((id) => [id, path] as const));
  const before = new Map(places(old));
  return places(fresh).some(([id, path]) => (before.get(id) ?? path) !== path);
}

/** Puts the agents of rows into others that stand alike, and returns those that look different now. */
function update(old: readonly AgentNode[], fresh: readonly AgentNode[]): AgentNode[] {
  return old.flatMap((node, at) => {
    const now = fresh[at];
    if (now === undefined) return [];
    const differs = shown([node.agent]) !== shown([now.agent]) || waitingBelow(node) !== waitingBelow(now);
    node.agent = now.agent;
    return [...(differs ? [node] : []), ...update(node.children, now.children)];
  });
}

/** All that a view shows of the agents, as one text: it is drawn anew only when this changes. */
export const shown = (agents: readonly Agent[]): string =>
  JSON.stringify(
    agents.map((a) => [
      a.id, a.name, a.title, a.prompt, a.conversation.name, a.status, a.waiting_for, a.status_since, a.reason, a.question?.id, a.project, a.branch, a.parent,
      a.working_directory, a.tasks, a.task, a.tmux !== null, a.clients.length, a.clients.some(({ guest }) => guest), isDriven(a), a.workspace, a.directory_gone, a.restart.next_at,
    ]),
  );
