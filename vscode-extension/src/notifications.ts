// Tells people what rules/notices finds: what comes together is told as one, and nothing is told twice.

import * as vscode from 'vscode';
import { folders } from './folders';
import type { Mutes } from './mutes';
import { type Notice, combinedText, isTold, noticeText, stillSo, transitions } from './rules/notices';
import { isHere } from './rules/place';
import { MOST, asks, seenOf } from './rules/question';
import { settings } from './settings';
import type { Terminals } from './terminals';
import type { Agent } from './types';
import type { Watch } from './watch';
import { t } from './words';

/** What happens within this is told as one. */
const TOGETHER = 300;

const run = (command: string, ...args: unknown[]) => void vscode.commands.executeCommand(`symposium.${command}`, ...args);

/** What of some news this window tells: now, or to somebody who was away from it, whatever was told meanwhile. */
export type Decide = (news: readonly Notice[], to?: 'now' | 'away') => Notice[];

export function decision(terminals: Terminals, mutes: Mutes): Decide {
  return (news, to = 'now') => {
    const here = folders();
    const situation = {
      mode: to === 'away' ? ('always' as const) : settings.notifications(),
      focused: to === 'now' && vscode.window.state.focused,
      hasFolders: here.length > 0,
      isHere: (agent: Agent) => isHere(agent, here),
      isMuted: (agent: Agent) => mutes.has(agent),
      isLookedAt: (agent: Agent) => terminals.isLookedAt(agent),
    };
    return news.filter((notice) => isTold(notice, situation));
  };
}

export function notifications(watch: Watch, decide: Decide): vscode.Disposable {
  let gathered: Notice[] = [];
  let timer: NodeJS.Timeout | undefined;

  const tell = () => {
    const notices = stillSo(gathered, watch.agents);
    gathered = [];
    timer = undefined;
    const [only] = notices;
    if (notices.length === 1 && only !== undefined) tellOne(only);
    else if (notices.length > 1) tellSeveral(notices);
  };

  return vscode.Disposable.from(
    watch.onAgents(({ before, after }) => {
      const told = decide(transitions(before, after));
      if (told.length === 0) return;
      gathered.push(...told);
      timer ??= setTimeout(tell, TOGETHER);
    }),
    { dispose: () => { clearTimeout(timer); } },
  );
}

/** The way to show some notices, by the worst of them. */
function loudness(notices: readonly Notice[]): typeof vscode.window.showInformationMessage {
  const has = (...kinds: Notice['kind'][]) => notices.some(({ kind }) => kinds.includes(kind));
  if (has('crashed', 'gave-up')) return vscode.window.showErrorMessage;
  return has('waiting') ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
}

function tellOne(notice: Notice): void {
  const { agent } = notice;
  const attach = t('Attach');
  const recap = t('Show Recap');
  const seen = seenOf(agent, MOST.notice);
  // What is not shown whole here is read behind the button.
  const approve = seen === undefined || seen.whole ? t('Approve') : t('Approve…');
  const mute = t('Mute');
  const buttons = asks(agent) ? [approve, attach, mute] : [attach, recap, mute];
  void loudness([notice])(noticeText(notice), ...buttons).then((chosen) => {
    // What was seen goes along: it is approved, or the person reads what is asked by then.
    if (chosen === approve) run('approve', agent, seen);
    else if (chosen === attach) run('attach', agent);
    else if (chosen === recap) run('recap', agent);
    else if (chosen === mute) run('mute', agent);
  });
}

function tellSeveral(notices: readonly Notice[]): void {
  const agents = notices.map(({ agent }) => agent);
  const attach = t('Attach');
  const recap = t('Show Recap');
  const approve = t('Approve');
  const buttons = agents.some(asks) ? [approve, attach, recap] : [attach, recap];
  void loudness(notices)(combinedText(notices), ...buttons).then((chosen) => {
    // What each asks for is not in the notice, so a yes is given where it can be read.
    if (chosen === approve) run('approveSome', agents);
    else if (chosen === attach) run('attach', agents);
    else if (chosen === recap) run('recapSome', agents);
  });
}
