// Who comes back after a while is told what happened meanwhile, also when the window was closed in between.

import * as vscode from 'vscode';
import type { Decide } from './notifications';
import { type Notice, combinedText, isToldOnReturn, since, stillSo, transitions } from './rules/notices';
import { settings } from './settings';
import type { Watch } from './watch';
import { t } from './words';

const KEY = 'symposium.lastHere';

/** A window that is closed has no time to write anything down: it was last looked at so long ago, or less. */
const NOTED = 60_000;

export function returning(watch: Watch, decide: Decide, memory: vscode.Memento): vscode.Disposable {
  let leftAt = memory.get<number>(KEY) ?? (vscode.window.state.focused ? undefined : Date.now());
  let missed: Notice[] = [];
  let known = false;

  const noteHere = () => void memory.update(KEY, Date.now());
  const back = () => {
    const left = leftAt ?? Date.now();
    const news = stillSo(missed, watch.agents);
    leftAt = undefined;
    missed = [];
    noteHere();
    if (isToldOnReturn(Date.now() - left, news, settings.notifications())) tellReturned(news, left);
  };
  const timer = setInterval(() => {
    if (vscode.window.state.focused && leftAt === undefined) noteHere();
  }, NOTED);

  return vscode.Disposable.from(
    watch.onAgents(({ before, after }) => {
      const { focused } = vscode.window.state;
      if (!known) {
        known = true;
        if (leftAt !== undefined) missed = decide(since(leftAt, after), 'away');
        if (focused) back();
      } else if (!focused) {
        missed = stillSo([...missed, ...decide(transitions(before, after), 'away')], after);
      }
    }),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (!focused) {
        leftAt ??= Date.now();
        if (known) void memory.update(KEY, leftAt);
      } else if (leftAt !== undefined) {
        void watch.look();
        if (known) back();
      }
    }),
    { dispose: () => { clearInterval(timer); } },
  );
}

function tellReturned(news: readonly Notice[], left: number): void {
  const recap = t('Show Recap');
  void vscode.window.showInformationMessage(t('While you were away: {0}', combinedText(news)), recap).then((chosen) => {
    if (chosen === recap) void vscode.commands.executeCommand('symposium.recapSome', news.map(({ agent }) => agent), new Date(left).toISOString());
  });
}
