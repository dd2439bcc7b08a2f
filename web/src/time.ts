// Ages as the dashboard shows them: `now`, `12s`, `3m`, `5h`, `12d`.

export function age(since: string, now = Date.now()): string {
  const seconds = Math.floor((now - Date.parse(since)) / 1000);
  if (!(seconds > 0)) return "now";
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86400)}d`;
}

/** Returns the time of day in hours and minutes. */
export function clock(time: string): string {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
