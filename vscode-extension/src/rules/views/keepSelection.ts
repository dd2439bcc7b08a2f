// Which row of a list that changes under a person's eyes stays marked: theirs or none, never another one. Pure.

/** The agent whose row is marked, none on purpose, or the first because nobody has chosen yet. */
export type Marked = { id: string } | 'none' | 'first';

/** What is marked when the list is drawn anew. Who vanished leaves no mark: Enter would be given to the next one. */
export function markedNext(before: Marked, active: string | undefined, ids: readonly string[]): Marked {
  if (active === undefined) return before === 'none' ? 'none' : 'first';
  return ids.includes(active) ? { id: active } : 'none';
}
