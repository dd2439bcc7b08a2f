// Shows the notices of rules/notify/notices. Combines simultaneous notices, and shows each one in a single window.

import * as vscode from 'vscode';
import type { Client } from '../binary/client';
import { openFolders } from '../workspaceFolders';
import type { Mutes } from './mutes';
import { type Notice, type NotifyTurn, withTask, combinedText, departures, isRestorable, isShown, noticeKey, noticeText, attachableAgents, stillValid, transitions, notifyTurn } from '../rules/notify/notices';
import type { OpenNotices } from '../rules/notify/openNotices';
import { isHere } from '../rules/agent/inWorkspace';
import { QUESTION_LENGTH, needsApproval, seenOf } from '../rules/agent/question';
import { hasEnded } from '../rules/agent/status';
import { settings } from '../settings';
import { TURN_DELAY_MS, whenWindowAnswers } from './windowVisible';
import type { Terminals } from '../terminals/terminals';
import type { Agent } from '../binary/types';
import type { AgentWatch } from '../binary/agentWatch';
import type { WindowClaims } from './windowClaims';
import { t } from '../l10n';

/** Notices within this time are combined. */
const COMBINE_WITHIN_MS = 300;

const run = (command: string, ...args: unknown[]) => void vscode.commands.executeCommand(`symposium.${command}`, ...args);

/** Decides whether and when this window shows a notice, now or to a user who returns to the window. */
export type DecideTurn = (notice: Notice, to?: 'now' | 'away') => NotifyTurn;

export function turnDecision(terminals: Terminals, mutes: Mutes): DecideTurn {
  return (notice, to = 'now') => {
    const here = openFolders();
    return notifyTurn(notice, {
      about: settings.notifyAbout(),
      mode: to === 'away' ? 'always' : settings.notifications(),
      focused: to === 'now' && vscode.window.state.focused,
      isHere: (agent: Agent) => isHere(agent, here),
      isMuted: (agent: Agent) => mutes.has(agent),
      isLookedAt: (agent: Agent) => terminals.isLookedAt(agent),
    });
  };
}

/** The parts that notifications depend on. */
export interface NotificationParts {
  client: Client;
  watch: AgentWatch;
  decide: DecideTurn;
  windows: WindowClaims;
  open: OpenNotices;
}

export function notifications({ client, watch, decide, windows, open }: NotificationParts): vscode.Disposable {
  const pending = new Map<keyof typeof TURN_DELAY_MS, Notice[]>();
  const timers = new Set<NodeJS.Timeout>();

  /** Adds the finished task to a notice, if it can be read. */
  const withFinishedTask = async (notice: Notice): Promise<Notice> => {
    const { agent, end } = notice;
    if (end === undefined || (end.at === undefined && agent.tasks.done + agent.tasks.failed === 0)) return notice;
    return withTask(notice, await client.finishedTasks(agent.name, end.at).catch(() => []));
  };

  const suppress = async (notice: Notice) => {
    const exact = await withFinishedTask(notice);
    await whenWindowAnswers(() => windows.claim(noticeKey(exact)));
  };

  const show = async (turn: keyof typeof TURN_DELAY_MS) => {
    const gathered = pending.get(turn) ?? [];
    pending.delete(turn);
    const exact = await Promise.all(gathered.map(withFinishedTask));
    await whenWindowAnswers(() => {
      const notices = stillValid(exact, watch.agents).filter((each) => windows.claim(noticeKey(each)));
      const [only] = notices;
      const there = attachableAgents(notices, watch.agents);
      if (notices.length === 1 && only !== undefined) open.until((there.length === 1 ? showOne : showFinishedTask)(only), notices);
      else if (notices.length > 1) open.until(showSeveral(notices, there), notices);
    });
  };

  const schedule = (turn: keyof typeof TURN_DELAY_MS, notice: Notice) => {
    const already = pending.get(turn);
    if (already !== undefined) {
      already.push(notice);
      return;
    }
    pending.set(turn, [notice]);
    const timer = setTimeout(() => {
      timers.delete(timer);
      void show(turn);
    }, COMBINE_WITHIN_MS + TURN_DELAY_MS[turn]);
    timers.add(timer);
  };

  return vscode.Disposable.from(
    watch.onAgents(({ before, after }) => {
      for (const notice of [...transitions(before, after), ...departures(before, after)]) {
        const turn = decide(notice);
        if (isShown(turn)) schedule(turn, notice);
        else if (turn === 'settled') void suppress(notice);
      }
    }),
    { dispose: () => { for (const timer of timers) clearTimeout(timer); } },
  );
}

/** Returns the kind of message for notices, by the most severe one. */
function messageLevel(notices: readonly Notice[]): typeof vscode.window.showInformationMessage {
  const has = (...kinds: Notice['kind'][]) => notices.some(({ kind }) => kinds.includes(kind));
  if (has('crashed', 'gave-up')) return vscode.window.showErrorMessage;
  return has('waiting', 'failed', 'lost') ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
}

function showOne(notice: Notice): PromiseLike<void> {
  const { agent } = notice;
  const attach = t('Attach');
  const recap = t('Show Recap');
  const seen = seenOf(agent, QUESTION_LENGTH.notice);
  // A question that does not fit is shown in full after the button is pressed.
  const approve = seen === undefined || seen.whole ? t('Approve') : t('Approve…');
  const mute = t('Mute');
  const restore = t('Restore Lost Agents');
  const deny = seen === undefined || seen.whole ? t('Deny') : t('Deny…');
  const resume = t('Resume');
  const review = t('Review');
  const buttons = needsApproval(agent) ? [approve, deny, attach, mute] : isRestorable([notice]) ? [restore, recap, mute] : hasEnded(agent) ? [resume, attach, recap, mute] : notice.kind === 'finished' ? [attach, review, recap, mute] : [attach, recap, mute];
  return messageLevel([notice])(noticeText(notice), ...buttons).then((chosen) => {
    // Passes what the user was shown, so that another question is shown first.
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

/** Shows the result of a task whose agent was removed with it. There is no terminal and no recap. */
function showFinishedTask(notice: Notice): PromiseLike<void> {
  const task = notice.end?.task;
  const show = t('Show Task');
  return messageLevel([notice])(noticeText(notice), ...(task === undefined ? [] : [show])).then((chosen) => {
    if (chosen === show) run('showTask', task);
  });
}

/** Shows several notices as one, with buttons for the agents that still exist. */
function showSeveral(notices: readonly Notice[], agents: Agent[]): PromiseLike<void> {
  const attach = t('Attach');
  const recap = t('Show Recap');
  const approve = t('Approve');
  const restore = t('Restore Lost Agents');
  const buttons = [...(isRestorable(notices) ? [restore] : []), ...(agents.some(needsApproval) ? [approve] : []), ...(agents.length > 0 ? [attach, recap] : [])];
  return messageLevel(notices)(combinedText(notices), ...buttons).then((chosen) => {
    // The notice does not contain the questions, so they are shown before the approval.
    if (chosen === approve) run('approveSome', agents);
    else if (chosen === attach) run('attach', agents);
    else if (chosen === recap) run('recapSome', agents);
    else if (chosen === restore) run('restoreAll');
  });
}
