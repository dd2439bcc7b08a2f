// Tells people what rules/notices finds: what comes together is told as one, and nothing is told twice.

import * as vscode from 'vscode';
import { folders } from './folders';
import type { Mutes } from './mutes';
import { type Notice, combinedText, isTold, isToldOnReturn, noticeText, transitions } from './rules/notices';
import { isHere } from './rules/place';
import { settings } from './settings';
import type { Terminals } from './terminals';
import type { Agent } from './types';
import type { Watch } from './watch';
import { t } from './words';

/** What happens within this is told as one. */
const TOGETHER = 300;

const run = (command: string, ...args: unknown[]) => void vscode.commands.executeCommand(`symposium.${command}`, ...args);

/** What of the changes between two lists this window tells, as it is now. */
export type Decide = (before: readonly Agent[], after: readonly Agent[]) => Notice[];

export function decision(terminals: Terminals, mutes: Mutes): Decide {
  return (before, after) => {
    const here = folders();
    const situation = {
      mode: settings.notifications(),
      focused: vscode.window.state.focused,
      hasFolders: here.length > 0,
      isHere: (agent: Agent) => isHere(agent, here),
      isMuted: (agent: Agent) => mutes.has(agent),
      isLookedAt: (agent: Agent) => terminals.isLookedAt(agent),
    };
    return transitions(before, after).filter((notice) => isTold(notice, situation));
  };
}

export function notifications(watch: Watch, decide: Decide): vscode.Disposable {
  let gathered: Notice[] = [];
  let missed = new Map<string, Notice>();
  let leftAt = vscode.window.state.focused ? undefined : Date.now();
  let timer: NodeJS.Timeout | undefined;

  const tell = () => {
    const notices = gathered;
    gathered = [];
    timer = undefined;
    const [only] = notices;
    if (notices.length === 1 && only !== undefined) tellOne(only);
    else if (notices.length > 1) tellSeveral(notices);
  };

  return vscode.Disposable.from(
    watch.onAgents(({ before, after }) => {
      if (!vscode.window.state.focused) for (const notice of transitions(before, after)) missed.set(notice.agent.id, notice);
      const told = decide(before, after);
      if (told.length === 0) return;
      gathered.push(...told);
      timer ??= setTimeout(tell, TOGETHER);
    }),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (!focused) {
        leftAt ??= Date.now();
        return;
      }
      const away = leftAt === undefined ? 0 : Date.now() - leftAt;
      const news = [...missed.values()];
      leftAt = undefined;
      missed = new Map();
      void watch.look();
      if (isToldOnReturn(away, news, settings.notifications())) tellReturned(news);
    }),
    { dispose: () => { clearTimeout(timer); } },
  );
}

function tellOne(notice: Notice): void {
  const { kind, agent } = notice;
  const attach = t('Attach');
  const recap = t('Show Recap');
  const approve = t('Approve');
  const mute = t('Mute');
  const buttons = kind === 'waiting' && agent.waiting_for === 'approval' ? [approve, attach, mute] : [attach, recap, mute];
  const show = kind === 'crashed' || kind === 'gave-up' ? vscode.window.showErrorMessage : kind === 'waiting' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  void show(noticeText(notice), ...buttons).then((chosen) => {
    // The reason goes along: what is approved is what was shown, or the person is asked anew.
    if (chosen === approve) run('approve', agent, agent.reason);
    else if (chosen === attach) run('attach', agent);
    else if (chosen === recap) run('recap', agent);
    else if (chosen === mute) run('mute', agent);
  });
}

function tellSeveral(notices: readonly Notice[]): void {
  const choose = t('Choose One');
  const bad = notices.some(({ kind }) => kind === 'crashed' || kind === 'gave-up');
  const show = bad ? vscode.window.showErrorMessage : vscode.window.showInformationMessage;
  void show(combinedText(notices), choose).then((chosen) => {
    if (chosen === choose) run('attach');
  });
}

function tellReturned(news: readonly Notice[]): void {
  const recap = t('Show Recap');
  void vscode.window.showInformationMessage(t('While you were away: {0}', combinedText(news)), recap).then((chosen) => {
    if (chosen === recap) for (const notice of news.slice(0, 5)) run('recap', notice.agent);
  });
}
