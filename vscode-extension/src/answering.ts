// Saying yes or no to what an agent asks for. Only what a person has seen is answered.

import * as vscode from 'vscode';
import { type Client, CommandError } from './client';
import { noIcons, noLinks, oneLine } from './rules/text';
import type { Agent } from './types';
import type { Watch } from './watch';
import { t } from './words';

export const asks = (agent: Agent): boolean => agent.status === 'waiting' && agent.waiting_for === 'approval';

export class Answering {
  constructor(
    private readonly client: Client,
    private readonly watch: Watch,
  ) {}

  /** Answers what was seen: when it asks for something else by now, the person is asked. */
  async answer(verb: 'approve' | 'deny', agent: Agent, seen: unknown): Promise<void> {
    const shown = typeof seen === 'string' ? seen : agent.reason;
    const now = (await this.client.agents()).agents.find(({ id }) => id === agent.id);
    if (now === undefined || !asks(now)) {
      throw new CommandError({ code: 'not-waiting', message: t('{0} asks for nothing any more', oneLine(agent.name)), saw: [], hints: [] });
    }
    if (now.reason !== shown) {
      const yes = verb === 'approve' ? t('Approve') : t('Deny');
      const text = noLinks(t('{0} asks for something else by now: {1}', oneLine(now.name), oneLine(now.reason, 300)));
      if ((await vscode.window.showWarningMessage(text, { modal: true }, yes)) !== yes) return;
    }
    await this.client.json(['agent', verb, now.name]).finally(() => void this.watch.look());
    const done = verb === 'approve' ? t('approved in {0}', now.name) : t('denied in {0}', now.name);
    vscode.window.setStatusBarMessage(`$(check) ${done}`, 5_000);
  }

  /** Shows what several ask for, and says yes to those that are ticked. */
  async approveSome(agents: readonly Agent[]): Promise<void> {
    const ids = new Set(agents.map(({ id }) => id));
    const asking = this.watch.agents.filter((agent) => ids.has(agent.id) && asks(agent));
    const items = asking.map((agent) => ({ label: noIcons(oneLine(agent.name)), detail: noIcons(oneLine(agent.reason, 300)), agent }));
    if (items.length === 0) throw new CommandError({ code: 'not-waiting', message: t('none of them asks for anything any more'), saw: [], hints: [] });
    const chosen = await vscode.window.showQuickPick(items, { title: t('Approve'), placeHolder: t('Say yes to whom?'), canPickMany: true, ignoreFocusOut: true });
    for (const { agent } of chosen ?? []) await this.answer('approve', agent, agent.reason);
  }
}
