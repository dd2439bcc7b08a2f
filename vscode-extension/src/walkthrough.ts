// Marks completed steps of the walkthrough. VS Code checks a step when its context key changes to a value, and ignores
// a key that had the value before the walkthrough was opened. So each key has two accepted values, and switches to the
// other one after an editor was opened that may be the walkthrough.

import * as vscode from 'vscode';
import type { AgentWatch } from './binary/agentWatch';

export type WalkthroughStep = 'installed' | 'spawned' | 'returned' | 'answered';

const KEY = 'symposium.walkthrough';

let done: ((step: WalkthroughStep) => void) | undefined;

/** Marks a step as completed. Called after a command has succeeded. */
export function completeStep(step: WalkthroughStep): void {
  done?.(step);
}

export function walkthrough(watch: AgentWatch, memory: vscode.Memento): vscode.Disposable {
  const steps = new Set(memory.get<WalkthroughStep[]>(KEY) ?? []);
  let value: 'one' | 'other' = 'one';
  const publish = (step: WalkthroughStep) => void vscode.commands.executeCommand('setContext', `symposium.${step}`, value);
  const publishAll = () => { for (const step of steps) publish(step); };
  done = (step) => {
    if (steps.has(step)) return;
    steps.add(step);
    void memory.update(KEY, [...steps]);
    publish(step);
  };
  const isReady = () => { if (watch.health === 'ready') completeStep('installed'); };
  publishAll();
  isReady();
  return vscode.Disposable.from(
    watch.onHealth(isReady),
    vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
      // Editors of VS Code itself, such as the walkthrough, have no input in the API.
      if (!opened.some(({ input }) => input === undefined)) return;
      value = value === 'one' ? 'other' : 'one';
      publishAll();
    }),
  );
}
