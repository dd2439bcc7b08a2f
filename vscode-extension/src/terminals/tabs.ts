// The location and process of a terminal. The API of VS Code lists the tabs of the editor area, and nothing about the
// panel.

import * as vscode from 'vscode';
import { becomesActive } from '../rules/terminals/activeTerminal';
import { oneLine } from '../rules/agent/sanitize';
import { t } from '../l10n';

/** Exceeds the time that VS Code takes to open a tab. */
const OPENED_BY_MS = 10_000;

/** Exceeds the time that VS Code takes to start a process on a busy machine. */
const STARTED_BY_MS = 5_000;

/** Exceeds the time that VS Code takes to show an existing terminal. */
const SHOWN_BY_MS = 5_000;

const isTabOf = (tab: vscode.Tab | undefined, terminal: vscode.Terminal): boolean =>
  tab !== undefined && tab.input instanceof vscode.TabInputTerminal && tab.label === terminal.name;

/** A tab does not identify its terminal, so the name must be unique. */
const hasUniqueName = (terminal: vscode.Terminal): boolean => vscode.window.terminals.every((each) => each === terminal || each.name !== terminal.name);

/** Returns whether a terminal is a tab of the editor area. */
export const inEditor = (terminal: vscode.Terminal): boolean => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some((tab) => isTabOf(tab, terminal)));

/** Returns whether a terminal is the active tab of an editor group. */
export const isInFront = (terminal: vscode.Terminal): boolean => hasUniqueName(terminal) && vscode.window.tabGroups.all.some(({ activeTab }) => isTabOf(activeTab, terminal));

/** Shows a terminal and waits until it has the keyboard focus. `show` alone only requests the focus. */
export async function focusOn(terminal: vscode.Terminal): Promise<void> {
  terminal.show(false);
  // The command moves the focus to the active terminal.
  if (await becomesActive(vscode.window, terminal, SHOWN_BY_MS)) await vscode.commands.executeCommand('workbench.action.terminal.focus');
}

/** Waits until a new terminal of the editor area has a tab and a process. In an empty editor area it cannot get the focus
 *  earlier. */
export async function waitForTab(terminal: vscode.Terminal): Promise<void> {
  const groups = vscode.window.tabGroups;
  if (!inEditor(terminal)) {
    await new Promise<void>((resolve) => {
      const end = () => {
        changing.dispose();
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, OPENED_BY_MS);
      const changing = groups.onDidChangeTabs(() => {
        if (inEditor(terminal)) end();
      });
    });
  }
  await processOf(terminal);
}

/** Returns the process id of a terminal, or undefined if it does not start in time. */
export async function processOf(terminal: vscode.Terminal): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(() => { resolve(undefined); }, STARTED_BY_MS); });
  return Promise.race([terminal.processId, late]).finally(() => { clearTimeout(timer); });
}

/** Moves a terminal from the panel to the editor area. VS Code moves the active terminal, so this fails if another
 *  terminal stays active. */
export async function moveToEditor(terminal: vscode.Terminal): Promise<void> {
  terminal.show(false);
  if (!(await becomesActive(vscode.window, terminal, SHOWN_BY_MS))) {
    throw new Error(t('{0} was not moved: another terminal became active', oneLine(terminal.name)));
  }
  await vscode.commands.executeCommand('workbench.action.terminal.moveToEditor');
}
