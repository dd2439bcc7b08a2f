// Tells a returning user what happened in the meantime, also if the window was closed.

import * as vscode from 'vscode';
import type { DecideTurn } from './notifications';
import { openFolders } from '../workspaceFolders';
import { type Notice, combinedText, isRestorable, isShown, isShownOnReturn, noticeKey, noticesOnReturn, attachableAgents, noticesSince, stillValid, transitions } from '../rules/notify/notices';
import type { OpenNotices } from '../rules/notify/openNotices';
import { isHere } from '../rules/agent/inWorkspace';
import { settings } from '../settings';
import type { Agent } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import type { WindowClaims } from './windowClaims';
import { t } from '../l10n';

const KEY = 'symposium.lastHere';

/** The interval at which the time of use is stored, because a closing window has no time to write. */
const NOTE_INTERVAL_MS = 60_000;

/** The parts that welcomeBack depends on. */
export interface WelcomeBackParts {
  watch: AgentWatch;
  decide: DecideTurn;
  windows: WindowClaims;
  open: OpenNotices;
  memory: vscode.Memento;
}

export function welcomeBack({ watch, decide, windows, open, memory }: WelcomeBackParts): vscode.Disposable {
  let leftAt = memory.get<number>(KEY) ?? (vscode.window.state.focused ? undefined : Date.now());
  let missed: Notice[] = [];
  let known = false;

  const noteUse = (now = Date.now()) => {
    windows.noteActive(now);
    void memory.update(KEY, now);
  };
  const enabledNotices = (notices: readonly Notice[]) => notices.filter((each) => isShown(decide(each, 'away')));
  const onReturn = () => {
    const left = leftAt ?? Date.now();
    const here = openFolders();
    const notices = noticesOnReturn(stillValid(missed, watch.agents), Math.max(left, windows.lastActive()), (agent) => isHere(agent, here));
    leftAt = undefined;
    missed = [];
    noteUse();
    if (!isShownOnReturn(Date.now() - left, notices, settings.notifications())) return;
    // One window reports each notice. A notice whose message is still open here is not repeated.
    const unreported = notices.filter((each) => windows.claim(`returned ${noticeKey(each)}`) && !open.has(each));
    if (unreported.length > 0) showReturned(unreported, attachableAgents(unreported, watch.agents), left);
  };
  const timer = setInterval(() => {
    if (vscode.window.state.focused && leftAt === undefined) noteUse();
  }, NOTE_INTERVAL_MS);

  return vscode.Disposable.from(
    watch.onAgents(({ before, after }) => {
      const { focused } = vscode.window.state;
      if (!known) {
        known = true;
        if (leftAt !== undefined) missed = enabledNotices(noticesSince(leftAt, after));
        if (focused) onReturn();
      } else if (!focused) {
        missed = stillValid([...missed, ...enabledNotices(transitions(before, after))], after);
      }
    }),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (!focused) {
        leftAt ??= Date.now();
        if (known) noteUse(leftAt);
      } else if (leftAt !== undefined) {
        void watch.refresh();
        if (known) onReturn();
      }
    }),
    { dispose: () => { clearInterval(timer); } },
  );
}

/** Shows the notices, with an offer to show the recaps of existing agents. */
function showReturned(notices: readonly Notice[], agents: readonly Agent[], left: number): void {
  const recap = t('Show Recap');
  const restore = t('Restore Lost Agents');
  const buttons = [...(isRestorable(notices) ? [restore] : []), ...(agents.length > 0 ? [recap] : [])];
  void vscode.window.showInformationMessage(t('While you were away: {0}', combinedText(notices)), ...buttons).then((chosen) => {
    if (chosen === restore) void vscode.commands.executeCommand('symposium.restoreAll');
    if (chosen === recap) void vscode.commands.executeCommand('symposium.recapSome', agents, new Date(left).toISOString());
  });
}
