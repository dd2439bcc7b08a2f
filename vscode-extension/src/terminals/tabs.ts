// Where a terminal is and what runs in it, as far as VS Code tells: it has a list of the editor area's tabs, and of the
// panel nothing.

import * as vscode from 'vscode';
import { isActive } from '../rules/terminals/activeTerminal';
import { oneLine } from '../rules/agent/sanitize';
import { t } from '../l10n';

/** Longer than VS Code takes to open a tab. */
const OPENED_BY = 10_000;

/** Longer than VS Code takes to start a process, on a busy machine too. */
const STARTED_BY = 5_000;

/** Longer than VS Code takes to show a terminal that is there. */
const SHOWN_BY = 5_000;

const isOf = (tab: vscode.Tab | undefined, terminal: vscode.Terminal): boolean =>
  tab !== undefined && tab.input instanceof vscode.TabInputTerminal && tab.label === terminal.name;

/** A tab does not say whose it is; by its name that is certain only when no other terminal has the same. */
const isAlone = (terminal: vscode.Terminal): boolean => vscode.window.terminals.every((each) => each === terminal || each.name !== terminal.name);

/** Whether it is a tab of the editor area. */
export const inEditor = (terminal: vscode.Terminal): boolean => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some((tab) => isOf(tab, terminal)));

/** Whether it is a tab of the editor area that no other one covers. */
export const isInFront = (terminal: vscode.Terminal): boolean => isAlone(terminal) && vscode.window.tabGroups.all.some(({ activeTab }) => isOf(activeTab, terminal));

/** Shows a terminal that was just opened in the editor area, again when its tab is there: the first time an area that was
 *  empty has nothing to give the focus to. */
export async function showOpened(terminal: vscode.Terminal): Promise<void> {
  const groups = vscode.window.tabGroups;
  if (!inEditor(terminal)) {
    await new Promise<void>((resolve) => {
      const end = () => {
        changing.dispose();
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, OPENED_BY);
      const changing = groups.onDidChangeTabs(() => {
        if (inEditor(terminal)) end();
      });
    });
  }
  await processOf(terminal);
  terminal.show(false);
}

/** The process of a terminal, when it has one soon: one that never starts would be waited for without end. */
export async function processOf(terminal: vscode.Terminal): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(() => { resolve(undefined); }, STARTED_BY); });
  return Promise.race([terminal.processId, late]).finally(() => { clearTimeout(timer); });
}

/** Takes a terminal of the panel to the editor area. VS Code moves the one that is active, whichever that is, so when
 *  another one stays active none is moved. */
export async function toEditor(terminal: vscode.Terminal): Promise<void> {
  terminal.show(false);
  if (!(await isActive(vscode.window, terminal, SHOWN_BY))) {
    throw new Error(t('{0} stays where it is: another terminal came in between', oneLine(terminal.name)));
  }
  await vscode.commands.executeCommand('workbench.action.terminal.moveToEditor');
  terminal.show(false);
}
