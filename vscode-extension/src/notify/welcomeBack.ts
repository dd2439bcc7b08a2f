// Who comes back after a while is told what happened meanwhile, also when the window was closed in between.

import * as vscode from 'vscode';
import type { Decide } from './notifications';
import { folders } from '../workspaceFolders';
import { type Notice, combinedText, isRestorable, isTold, isToldOnReturn, newsKey, newsOnReturn, remaining, since, stillSo, transitions } from '../rules/notify/notices';
import type { OpenNotices } from '../rules/notify/openNotices';
import { isHere } from '../rules/agent/inWorkspace';
import { settings } from '../settings';
import type { Agent } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import type { Windows } from './windowClaims';
import { t } from '../l10n';

const KEY = 'symposium.lastHere';

/** A window that is closed has no time to write anything down: it was last looked at so long ago, or less. */
const NOTED = 60_000;

/** What returning needs to know. */
export interface Returning {
  watch: Watch;
  decide: Decide;
  windows: Windows;
  open: OpenNotices;
  memory: vscode.Memento;
}

export function returning({ watch, decide, windows, open, memory }: Returning): vscode.Disposable {
  let leftAt = memory.get<number>(KEY) ?? (vscode.window.state.focused ? undefined : Date.now());
  let missed: Notice[] = [];
  let known = false;

  const noteHere = (now = Date.now()) => {
    windows.noteHere(now);
    void memory.update(KEY, now);
  };
  const worthTelling = (news: readonly Notice[]) => news.filter((each) => isTold(decide(each, 'away')));
  const back = () => {
    const left = leftAt ?? Date.now();
    const here = folders();
    const news = newsOnReturn(stillSo(missed, watch.agents), Math.max(left, windows.lastHere()), (agent) => isHere(agent, here));
    leftAt = undefined;
    missed = [];
    noteHere();
    if (!isToldOnReturn(Date.now() - left, news, settings.notifications())) return;
    // The first window that somebody comes back to tells it, and no other does once more.
    // A message about it that is still open here need not be repeated.
    const untold = news.filter((each) => windows.claim(`returned ${newsKey(each)}`) && !open.has(each));
    if (untold.length > 0) tellReturned(untold, remaining(untold, watch.agents), left);
  };
  const timer = setInterval(() => {
    if (vscode.window.state.focused && leftAt === undefined) noteHere();
  }, NOTED);

  return vscode.Disposable.from(
    watch.onAgents(({ before, after }) => {
      const { focused } = vscode.window.state;
      if (!known) {
        known = true;
        if (leftAt !== undefined) missed = worthTelling(since(leftAt, after));
        if (focused) back();
      } else if (!focused) {
        missed = stillSo([...missed, ...worthTelling(transitions(before, after))], after);
      }
    }),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (!focused) {
        leftAt ??= Date.now();
        if (known) noteHere(leftAt);
      } else if (leftAt !== undefined) {
        void watch.look();
        if (known) back();
      }
    }),
    { dispose: () => { clearInterval(timer); } },
  );
}

/** With the recaps of those that are there. */
function tellReturned(news: readonly Notice[], agents: readonly Agent[], left: number): void {
  const recap = t('Show Recap');
  const restore = t('Restore Lost Agents');
  const buttons = [...(isRestorable(news) ? [restore] : []), ...(agents.length > 0 ? [recap] : [])];
  void vscode.window.showInformationMessage(t('While you were away: {0}', combinedText(news)), ...buttons).then((chosen) => {
    if (chosen === restore) void vscode.commands.executeCommand('symposium.restoreAll');
    if (chosen === recap) void vscode.commands.executeCommand('symposium.recapSome', agents, new Date(left).toISOString());
  });
}
