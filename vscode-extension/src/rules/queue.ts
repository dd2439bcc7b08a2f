// Which rows of the tasks view look different now. Pure.

import type { Task } from '../types';

/** Puts what tasks are now into the rows there are, and gives those that differ; undefined when other rows are to stand there. */
export function renewed(rows: readonly Task[], fresh: readonly Task[]): Task[] | undefined {
  if (rows.length !== fresh.length || rows.some(({ id }, at) => id !== fresh[at]?.id)) return undefined;
  return rows.filter((row, at) => {
    if (JSON.stringify(row) === JSON.stringify(fresh[at])) return false;
    Object.assign(row, fresh[at]);
    return true;
  });
}
