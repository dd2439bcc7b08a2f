// Ticks the steps of the walkthrough that have been done. VS Code ticks a step when a context key changes to a value, and
// ignores one that had the value when the walkthrough was opened. So each step has a key with two values that both count, and
// the key takes the other one after an editor was opened that may be the walkthrough.

import * as vscode from 'vscode';
import type { Watch } from './binary/agentWatch';

export type Step = 'installed' | 'spawned' | 'returned' | 'answered';

const KEY = 'symposium.walkthrough';

let done: ((step: Step) => void) | undefined;

/** Marks a step as done; a command that failed does not. */
export function noteDone(step: Step): void {
  done?.(step);
}

export function walkthrough(watch: Watch, memory: vscode.Memento): vscode.Disposable {
  const steps = new Set(memory.get<Step[]>(KEY) ?? []);
  let value: 'one' | 'other' = 'one';
  const tell = (step: Step) => void vscode.commands.executeCommand('setContext', `symposium.${step}`, value);
  const tellAll = () => { for (const step of steps) tell(step); };
  done = (step) => {
    if (steps.has(step)) return;
    steps.add(step);
    void memory.update(KEY, [...steps]);
    tell(step);
  };
  const isReady = () => { if (watch.health === 'ready') noteDone('installed'); };
  tellAll();
  isReady();
  return vscode.Disposable.from(
    watch.onHealth(isReady),
    vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
      // Editors of VS Code itself, such as the walkthrough, have no input that extensions know.
      if (!opened.some(({ input }) => input === undefined)) return;
      value = value === 'one' ? 'other' : 'one';
      tellAll();
    }),
  );
}
