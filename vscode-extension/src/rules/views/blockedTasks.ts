// The tasks that block another task. Pure.

import type { Task, TaskState } from '../../binary/types';

/** A task that must be done before another one starts. */
export interface Blocker {
  id: number;
  /** Undefined if the task could not be read. */
  state: TaskState | undefined;
}

/** Returns the ids of blocking tasks that are not in this list, such as cancelled ones. */
export function unlistedBlockers(tasks: readonly Task[]): number[] {
  const listed = new Set(tasks.map(({ id }) => id));
  return [...new Set(tasks.filter(isBlocked).flatMap(({ after }) => after))].filter((id) => !listed.has(id));
}

const isBlocked = ({ state, blocked }: Task): boolean => state === 'queued' && blocked > 0;

/** Returns the tasks that block a task, given the states of all tasks. */
export function blockersOf(task: Task, states: ReadonlyMap<number, TaskState>): Blocker[] {
  if (!isBlocked(task)) return [];
  return task.after.map((id) => ({ id, state: states.get(id) })).filter(({ state }) => state !== 'done');
}

/** Returns whether a blocking task must be retried before the blocked one can start. */
export const needsRetry = ({ state }: Blocker): boolean => state === 'cancelled' || state === 'failed';
