// Which tasks hold up another one, and in which state they are. Pure.

import type { Task, TaskState } from '../../binary/types';

/** A task that must be done before another one starts. */
export interface Blocker {
  id: number;
  /** Undefined when it could not be read. */
  state: TaskState | undefined;
}

/** The numbers of tasks that hold up others and are not among these, such as cancelled ones. */
export function unlistedBlockers(tasks: readonly Task[]): number[] {
  const listed = new Set(tasks.map(({ id }) => id));
  return [...new Set(tasks.filter(isHeldUp).flatMap(({ after }) => after))].filter((id) => !listed.has(id));
}

const isHeldUp = ({ state, blocked }: Task): boolean => state === 'queued' && blocked > 0;

/** The tasks that hold up this one, given the states of others. */
export function blockersOf(task: Task, states: ReadonlyMap<number, TaskState>): Blocker[] {
  if (!isHeldUp(task)) return [];
  return task.after.map((id) => ({ id, state: states.get(id) })).filter(({ state }) => state !== 'done');
}

/** Whether a task never starts unless this one is retried. */
export const isStuck = ({ state }: Blocker): boolean => state === 'cancelled' || state === 'failed';
