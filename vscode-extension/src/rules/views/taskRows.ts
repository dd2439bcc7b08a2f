// Updates the rows of the tasks view. Pure.

import type { Task } from '../../binary/types';

/** Updates rows in place and returns those that have changed. Returns undefined if the rows themselves differ. */
export function updateTaskRows(rows: readonly Task[], fresh: readonly Task[]): Task[] | undefined {
  if (rows.length !== fresh.length || rows.some(({ id }, at) => id !== fresh[at]?.id)) return undefined;
  return rows.filter((row, at) => {
    if (JSON.stringify(row) === JSON.stringify(fresh[at])) return false;
    Object.assign(row, fresh[at]);
    return true;
  });
}

/** Adds recently cancelled tasks to the open ones, in the order of their ids. Forgets those whose time is over and
 *  those that are open again. */
export function withCancelled(open: readonly Task[], cancelled: Map<number, { task: Task; until: number }>, now: number): Task[] {
  for (const [id, { until }] of cancelled) if (until <= now || open.some((task) => task.id === id)) cancelled.delete(id);
  if (cancelled.size === 0) return [...open];
  return [...open, ...[...cancelled.values()].map(({ task }) => task)].sort((a, b) => a.id - b.id);
}
