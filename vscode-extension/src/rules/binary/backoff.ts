// How long to wait before the watcher is started again.

const FIRST = 500;
const LONGEST = 30_000;

/** A watcher that lived so long was well; the next failure is a first one. */
export const HEALTHY = 10_000;

/** The pause before the n-th start in a row, n being 1 after the first failure. */
export const pause = (failures: number): number => Math.min(LONGEST, FIRST * 2 ** Math.max(0, failures - 1));
