// Whether an agent runs, and the terminal that drives it.

import type { Agent } from "./types.js";

/** Describes the attached terminal that may type, if there is one. */
export function driverOf(agent: Agent): string | undefined {
  const driver = agent.clients.find((client) => client.driver);
  return driver && [driver.user, driver.tty.replace(/^\/dev\//, "")].filter(Boolean).join(" on ");
}

/** Checks whether an agent has a screen, as far as the page knows. */
export function isLive(agent: Agent): boolean {
  return ["starting", "working", "waiting", "idle", "unknown"].includes(agent.status);
}
