// Exponential backoff between restarts of the watcher.

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** A failure after this time counts as a first failure again. */
export const HEALTHY_AFTER_MS = 10_000;

/** Returns the pause before the next start, given the number of consecutive failures. */
export const restartPause = (failures: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1));
