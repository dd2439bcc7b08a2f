// Keeps the selection of a list that changes while it is open. Pure.

/** The selected agent, deliberately none, or the first row because the user has not moved yet. */
export type Selection = { id: string } | 'none' | 'first';

/** Returns the selection after a redraw. If the selected agent has disappeared, nothing is selected: Enter must not
 *  choose another agent. */
export function nextSelection(before: Selection, active: string | undefined, ids: readonly string[]): Selection {
  if (active === undefined) return before === 'none' ? 'none' : 'first';
  return ids.includes(active) ? { id: active } : 'none';
}
