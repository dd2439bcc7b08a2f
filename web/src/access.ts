// The limits of this device. A guest uses one agent, and may only be permitted to watch it. The server enforces the
// limits; the page hides what it would refuse.

import type { Access } from "./types.js";

let access: Access | null = null;

export function setAccess(given: Access | null | undefined): void {
  access = given ?? null;
  document.documentElement.classList.toggle("guest", access !== null);
}

export function isGuest(): boolean {
  return access !== null;
}

export function mayType(): boolean {
  return access === null || access.permission === "type";
}

/** Describes the limits, or returns an empty text. */
export function limits(): string {
  if (access === null) return "";
  const until = new Date(access.expires_at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return `${mayType() ? "Guest access" : "Read-only access"} until ${until}`;
}
