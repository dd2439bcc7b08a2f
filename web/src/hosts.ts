// Agents of other hosts. They are shown like those of this machine, with the name of the host before theirs.

import { clock } from "./time.js";
import type { Agent, HostListing, Row } from "./types.js";

/** Returns the name that is shown and that is in the address of the page. */
export function address(agent: Agent): string {
  return agent.host ? `${agent.host}:${agent.name}` : agent.name;
}

/** Returns what tells an agent from others, also from a later one of the same name. */
export function key(agent: Agent): string {
  return `${agent.id} ${address(agent)}`;
}

/** Returns the path of a request about an agent. */
export function agentPath(agent: Agent, rest: string): string {
  const name = encodeURIComponent(agent.name);
  return agent.host ? `api/hosts/${encodeURIComponent(agent.host)}/agents/${name}/${rest}` : `api/agents/${name}/${rest}`;
}

/** Returns the agents of hosts with their rows. Those of a host that does not answer are marked as its last known state. */
export function remotePairs(lists: HostListing[]): [Agent, Row][] {
  return lists.flatMap(({ host, agents, rows, as_of, silence }) => {
    const isStale = silence !== null;
    const note = isStale ? `last known state${as_of ? `, as of ${clock(as_of)}` : ""}: ` : "";
    return agents.map((agent, at): [Agent, Row] => {
      const row = rows[at] ?? { status: agent.status, about: "", location: "" };
      return [{ ...agent, host, isStale }, { ...row, about: note + row.about }];
    });
  });
}

/** Returns why hosts do not answer. */
export function silences(lists: HostListing[]): string[] {
  return lists.flatMap(({ silence, is_connecting }) => (is_connecting ? [] : silence ?? []));
}
