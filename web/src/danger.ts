// Commands whose effect cannot be undone. They are approved with two taps. The list is a help for tired eyes, not a
// protection: a command that is not in it may do harm as well.

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
];

/** Returns what a command does that cannot be undone, or `undefined`. */
export function danger(text: string): string | undefined {
  return PATTERNS.find(([pattern]) => pattern.test(text))?.[1];
}
