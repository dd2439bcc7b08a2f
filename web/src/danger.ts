// Questions that are approved with two taps: commands whose effect cannot be undone, and questions that are not shown
// completely. The list of commands is a help for tired eyes, not a protection: a command that is not in it may do harm
// as well.

import type { Question } from "./types.js";

const PATTERNS: [RegExp, string][] = [
  [/\brm\s+(-\w*[rf]|--recursive|--force)/, "deletes files"],
  [/\b(shred|mkfs\S*|wipefs|fdisk|parted)\b|\bdd\s+.*\bof=/, "writes to a disk"],
  [/\bgit\s+push\b.*(--force|-f\b|--delete|--mirror)/, "rewrites a remote branch"],
  [/\bgit\s+(reset\s+--hard|clean\s+-\w*f|branch\s+-D|checkout\s+--\s|restore\s|stash\s+(drop|clear))/, "discards work"],
  [/\b(drop|truncate)\s+(table|database|schema|index)\b|\bdelete\s+from\b/i, "deletes data"],
  [/\b(sudo|doas|su)\s/, "runs as another user"],
  [/\b(chmod|chown)\s+(-\w*R|--recursive)/, "changes many files"],
  [/\b(curl|wget)\b[^|;]*\|\s*(sudo\s+)?(ba|z|da)?sh\b/, "runs a download"],
  [/\b(kubectl|helm|terraform|pulumi|docker|podman|aws|gcloud|az)\b.*\b(delete|destroy|uninstall|prune|rm|terminate\S*)\b/, "removes resources"],
  [/\b(shutdown|reboot|poweroff|halt|killall|pkill)\b/, "stops processes or the machine"],
  [/\b(npm|cargo|twine|gem)\s+(publish|upload|push|yank|unpublish)\b/, "publishes"],
  [/>\s*\/(etc|dev|boot)\//, "writes to the system"],
  // The server writes invisible characters in this form. A tab is harmless.
  [/<U\+(?!0009>)[0-9A-F]{4,6}>/, "contains invisible characters"],
];

/** Why a question needs two taps. */
export interface Caution {
  /** The sentence below the question. */
  remark: string;
  /** The label of the button after the first tap. */
  second: string;
}

/** Returns why approving a question needs two taps, or `undefined` if one is enough. */
export function cautionFor(question: Question): Caution | undefined {
  const harm = PATTERNS.find(([pattern]) => pattern.test(question.text))?.[1];
  if (harm) return { remark: `This ${harm}. Approving needs two taps.`, second: `Tap again: it ${harm}` };
  // The part that is not shown may do harm.
  if (question.extent === "whole") return undefined;
  return { remark: "Not all of the question is shown here. Approving needs two taps.", second: "Tap again: not all is shown" };
}
