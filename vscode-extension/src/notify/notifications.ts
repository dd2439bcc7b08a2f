// Tells people what rules/notices finds: what comes together is told as one, and nothing is told twice, be it by two windows.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { folders } from '../workspaceFolders';
import type { Mutes } from './mutes';
import { type Notice, type Turn, asTask, combinedText, departures, isRestorable, isTold, newsKey, noticeText, remaining, stillSo, transitions, turnOf } from '../rules/notify/notices';
import type { OpenNotices } from '../rules/notify/openNotices';
import { isHere } from '../rules/agent/inWorkspace';
import { MOST, asks, seenOf } from '../rules/agent/question';
import { hasEnded } from '../rules/agent/status';
import { settings } from '../settings';
import { AFTER, onceSeen } from './windowVisible';
import type { Terminals } from '../terminals/terminals';
import type { Agent } from '../binary/types';
import type { Watch } from '../binary/agentWatch';
import type { Windows } from './windowClaims';
import { t } from '../l10n';

/** What happens within this is told as one. */
const TOGETHER = 300;

const run = (command: string, ...args: unknown[]) => void vscode.commands.executeCommand(`symposium.${command}`, ...args);

/** Whether this window tells some news, and when: now, or to somebody who was away from it, whatever was told meanwhile. */
export type Decide = (news: Notice, to?: 'now' | 'away') => Turn;

export function decision(terminals: Terminals, mutes: Mutes): Decide {
  return (news, to = 'now') => {
    const here = folders();
    return turnOf(news, {
      about: settings.notifyAbout(),
      mode: to === 'away' ? 'always' : settings.notifications(),
      focused: to === 'now' && vscode.window.state.focused,
      isHere: (agent: Agent) => isHere(agent, here),
      isMuted: (agent: Agent) => mutes.has(agent),
      isLookedAt: (agent: Agent) => terminals.isLookedAt(agent),
    });
  };
}

/** What notifications are made of. */
export interface Told {
  client: Client;
  watch: Watch;
  decide: Decide;
  windows: Windows;
  open: OpenNotices;
}

export function notifications({ client, watch, decide, windows, open }: Told): vscode.Disposable {
  const gathered = new Map<keyof typeof AFTER, Notice[]>();
  const timers = new Set<NodeJS.Timeout>();

  /** An end with the task that it was of, as far as that can be had. */
  const exactly = async (news: Notice): Promise<Notice> => {
    const { agent, end } = news;
    if (end === undefined || (end.at === undefined && agent.tasks.done + agent.tasks.failed === 0)) return news;
    return asTask(news, await client.tasksOver(agent.name, end.at).catch(() => []));
  };

  const settle = async (news: Notice) => {
    const exact = await exactly(news);
    await onceSeen(() => windows.claim(newsKey(exact)));
  };

  const tell = async (turn: keyof typeof AFTER) => {
    const news = gathered.get(turn) ?? [];
    gathered.delete(turn);
    const exact = await Promise.all(news.map(exactly));
    await onceSeen(() => {
      const notices = stillSo(exact, watch.agents).filter((each) => windows.claim(newsKey(each)));
      const [only] = notices;
      const there = remaining(notices, watch.agents);
      if (notices.length === 1 && only !== undefined) open.until((there.length === 1 ? tellOne : tellOver)(only), notices);
      else if (notices.length > 1) open.until(tellSeveral(notices, there), notices);
    });
  };

  const gather = (turn: keyof typeof AFTER, news: Notice) => {
    const already = gathered.get(turn);
    if (already !== undefined) {
      already.push(news);
      return;
    }
    gathered.set(turn, [news]);
    const timer = setTimeout(() => {
      timers.delete(timer);
      void tell(turn);
    }, TOGETHER + AFTER[turn]);
    timers.add(timer);
  };

  return vscode.Disposable.from(
    watch.onAgents(({ before, after }) => {
      for (const news of [...transitions(before, after), ...departures(before, after)]) {
        const turn = decide(news);
        if (isTold(turn)) gather(turn, news);
        else if (turn === 'settled') void settle(news);
      }
    }),
    { dispose: () => { for (const timer of timers) clearTimeout(timer); } },
  );
}

/** The way to show some notices, by the worst of them. */
function loudness(notices: readonly Notice[]): typeof vscode.window.showInformationMessage {
  const has = (...kinds: Notice['kind'][]) => notices.some(({ kind }) => kinds.includes(kind));
  if (has('crashed', 'gave-up')) return vscode.window.showErrorMessage;
  return has('waiting', 'failed', 'lost') ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
}

function tellOne(notice: Notice): PromiseLike<void> {
  const { agent } = notice;
  const attach = t('Attach');
  const recap = t('Show Recap');
  const seen = seenOf(agent, MOST.notice);
  // What is not shown whole here is read behind the button.
  const approve = seen === undefined || seen.whole ? t('Approve') : t('Approve…');
  const mute = t('Mute');
  const restore = t('Restore Lost Agents');
  const deny = seen === undefined || seen.whole ? t('Deny') : t('Deny…');
  const resume = t('Resume');
  const review = t('Review');
  const buttons = asks(agent) ? [approve, deny, attach, mute] : isRestorable([notice]) ? [restore, recap, mute] : hasEnded(agent) ? [resume, attach, recap, mute] : notice.kind === 'finished' ? [attach, review, recap, mute] : [attach, recap, mute];
  return loudness([notice])(noticeText(notice), ...buttons).then((chosen) => {
    // What was seen goes along: it is approved, or the person reads what is asked by then.
    if (chosen === approve) run('approve', agent, seen);
    else if (chosen === deny) run('deny', agent, seen);
    else if (chosen === resume) run('resume', agent);
    else if (chosen === review) run('review', agent);
    else if (chosen === attach) run('attach', agent);
    else if (chosen === recap) run('recap', agent);
    else if (chosen === restore) run('restoreAll');
    else if (chosen === mute) run('mute', agent);
  });
}

/** Tells what came of a task whose agent has gone with it: nobody is there to attach to, and no recap can be had. */
function tellOver(notice: Notice): PromiseLike<void> {
  const task = notice.end?.task;
  const show = t('Show Task');
  return loudness([notice])(noticeText(notice), ...(task === undefined ? [] : [show])).then((chosen) => {
    if (chosen === show) run('showTask', task);
  });
}

/** Several as one, with buttons for those agents that are there. */
function tellSeveral(notices: readonly Notice[], agents: Agent[]): PromiseLike<void> {
  const attach = t('Attach');
  const recap = t('Show Recap');
  const approve = t('Approve');
  const restore = t('Restore Lost Agents');
  const buttons = [...(isRestorable(notices) ? [restore] : []), ...(agents.some(asks) ? [approve] : []), ...(agents.length > 0 ? [attach, recap] : [])];
  return loudness(notices)(combinedText(notices), ...buttons).then((chosen) => {
    // What each asks for is not in the notice, so a yes is given where it can be read.
    if (chosen === approve) run('approveSome', agents);
    else if (chosen === attach) run('attach', agents);
    else if (chosen === recap) run('recapSome', agents);
    else if (chosen === restore) run('restoreAll');
  });
}
