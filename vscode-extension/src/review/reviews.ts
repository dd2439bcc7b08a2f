// Reviews of the changes of agents: the diff editor with several files, and comments on lines that are sent to the agent.
// The binary stores the comments. A review ends when its tab is closed.

import * as vscode from 'vscode';
import type { AgentWatch } from '../binary/agentWatch';
import type { Client } from '../binary/client';
import { ReviewClient } from '../binary/reviewClient';
import type { Agent } from '../binary/types';
import { attempt, showError, showMessage } from '../notify/messages';
import { oneLine, withoutIcons } from '../rules/agent/sanitize';
import { pickAgent } from '../views/agentPicker';
import { BASE_SCHEME, baseDocuments } from './baseDocuments';
import { ReviewSession, isTabOf, reviewTitle } from './reviewSession';
import { t } from '../l10n';

/** Whether the active tab is a review; the button of its title depends on it. */
const CONTEXT_KEY = 'symposium.reviewing';

const allTabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);

export class Reviews implements vscode.Disposable {
  private readonly sessions = new Map<string, ReviewSession>();
  private readonly client: ReviewClient;
  private readonly controller = vscode.comments.createCommentController('symposium.review', 'Symposium');
  private readonly parts: vscode.Disposable[];
  private isRestored = false;

  constructor(
    client: Client,
    private readonly watch: AgentWatch,
  ) {
    this.client = new ReviewClient(client);
    this.controller.options = { prompt: t('Comment for the agent'), placeHolder: t('What should the agent change here?') };
    const command = (id: string, act: (...given: never[]) => Promise<unknown>) => vscode.commands.registerCommand(`symposium.${id}`, (...given: never[]) => attempt(() => act(...given)));
    this.parts = [
      this.controller,
      baseDocuments(),
      command('addReviewComment', (reply: vscode.CommentReply) => this.add(reply)),
      command('resolveReviewComment', (thread: vscode.CommentThread) => this.change('resolve', thread)),
      command('removeReviewComment', (thread: vscode.CommentThread) => this.change('remove', thread)),
      command('sendReview', (given: unknown) => this.sendChosen(given)),
      watch.onAgents(({ before, after }) => { this.follow(before, after); }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => { this.tabsChanged(closed); }),
      vscode.window.tabGroups.onDidChangeTabGroups(() => { this.tabsChanged([]); }),
    ];
  }

  /** Opens the changes of an agent in the diff editor. A review that is open already is replaced. */
  async open(agent: Agent): Promise<void> {
    if (agent.host !== null) throw new Error(t('{0} runs on another machine; review its changes there', oneLine(agent.name)));
    const session = await this.begin(agent);
    if (session.resources.length === 0) {
      this.end(session);
      showMessage({ level: 'information', text: t('{0} has changed nothing.', oneLine(agent.name)), choices: [] });
      return;
    }
    const former = allTabs().filter(({ label }) => isTabOf(session.title, label));
    await vscode.commands.executeCommand('vscode.changes', session.title, session.resources);
    if (former.length > 0) await vscode.window.tabGroups.close(former);
    if (session.remarks !== '') showMessage({ level: 'information', text: session.remarks, choices: [] });
    await session.refresh(this.client, agent.name);
  }

  dispose(): void {
    for (const session of this.sessions.values()) session.dispose();
    for (const part of this.parts) part.dispose();
  }

  private async begin(agent: Agent): Promise<ReviewSession> {
    const diff = await this.client.diff(agent.name);
    this.sessions.get(agent.id)?.dispose();
    const session = new ReviewSession(agent, this.controller, diff);
    this.sessions.set(agent.id, session);
    // VS Code asks again for the documents that it shows already.
    this.controller.commentingRangeProvider = { provideCommentingRanges: (document) => this.rangesOf(document) };
    this.showContext();
    return session;
  }

  private end(session: ReviewSession): void {
    session.dispose();
    if (this.sessions.get(session.agent.id) === session) this.sessions.delete(session.agent.id);
    this.showContext();
  }

  private rangesOf(document: vscode.TextDocument): vscode.Range[] {
    if (document.uri.scheme !== 'file' && document.uri.scheme !== BASE_SCHEME) return [];
    const all = new vscode.Range(0, 0, document.lineCount - 1, 0);
    return [...this.sessions.values()].some((session) => session.placeOf(document.uri, all) !== undefined) ? [all] : [];
  }

  /** Stores a new comment as a draft. VS Code has already cleared the input, so a failure offers to try again. */
  private async add({ thread, text }: vscode.CommentReply): Promise<void> {
    for (const session of this.sessions.values()) {
      const place = session.placeOf(thread.uri, thread.range);
      if (place === undefined) continue;
      const again = t('Try Again');
      let isStored = false;
      while (!isStored) {
        try {
          await this.client.add(this.watch.current(session.agent).name, place, text);
          isStored = true;
        } catch (error) {
          if ((await showError(error, again)) !== again) break;
        }
      }
      thread.dispose();
      await this.refresh(session);
      return;
    }
    throw new Error(t('This file is not part of a review.'));
  }

  private async change(verb: 'resolve' | 'remove', thread: vscode.CommentThread): Promise<void> {
    for (const session of this.sessions.values()) {
      const id = session.idOf(thread);
      if (id === undefined) continue;
      await this.client[verb](this.watch.current(session.agent).name, id).finally(() => void attempt(() => this.refresh(session)));
      return;
    }
  }

  /** Sends the drafts of the review of a thread or of the active tab, otherwise those of an agent that the user chooses. */
  private async sendChosen(given: unknown): Promise<void> {
    const label = vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '';
    const all = [...this.sessions.values()];
    const session = all.find((each) => each.idOf(given as vscode.CommentThread) !== undefined) ?? all.find(({ title }) => isTabOf(title, label));
    const agent = session?.agent ?? (await pickAgent(this.watch, { title: t('Send Review Comments'), placeholder: t('Send the review comments of which agent?') }));
    if (agent !== undefined) await this.send(this.watch.current(agent));
  }

  /** Sends all drafts of an agent, and reports the confirmed delivery in the status bar. */
  private async send({ id, name }: Agent): Promise<void> {
    const shown = oneLine(name);
    const progress = { location: vscode.ProgressLocation.Window, title: t('Sending review comments to {0}', shown) };
    try {
      const { sent } = await vscode.window.withProgress(progress, () => this.client.send(name));
      if (sent.length === 0) {
        showMessage({ level: 'information', text: t('{0} has no drafts.', shown), choices: [] });
        return;
      }
      const text = sent.length === 1 ? t('1 review comment delivered to {0}', shown) : t('{0} review comments delivered to {1}', sent.length, shown);
      vscode.window.setStatusBarMessage(`$(check) ${withoutIcons(text)}`, 5_000);
    } finally {
      const session = this.sessions.get(id);
      if (session !== undefined) void attempt(() => this.refresh(session));
    }
  }

  private refresh(session: ReviewSession): Promise<void> {
    return session.refresh(this.client, this.watch.current(session.agent).name);
  }

  /** Updates the comments after an agent has done something: it may have moved their lines or resolved them. */
  private follow(before: readonly Agent[], after: readonly Agent[]): void {
    if (!this.isRestored && this.watch.health === 'ready') {
      this.isRestored = true;
      this.restore(after);
    }
    for (const session of this.sessions.values()) {
      const [was, now] = [before, after].map((agents) => agents.find(({ id }) => id === session.agent.id));
      if (now === undefined) this.end(session);
      else if (was?.status_since !== now.status_since || was.status !== now.status) void this.refresh(session).catch(() => undefined);
    }
  }

  /** Shows the comments of reviews whose tabs VS Code restored after a reload. */
  private restore(agents: readonly Agent[]): void {
    const tabs = allTabs();
    for (const agent of agents.filter(({ host }) => host === null)) {
      if (!tabs.some(({ label }) => isTabOf(reviewTitle(agent), label))) continue;
      void attempt(async () => (await this.begin(agent)).refresh(this.client, agent.name));
    }
  }

  private tabsChanged(closed: readonly vscode.Tab[]): void {
    const tabs = allTabs();
    for (const session of this.sessions.values()) {
      const isOf = ({ label }: vscode.Tab) => isTabOf(session.title, label);
      if (closed.some(isOf) && !tabs.some(isOf)) this.end(session);
    }
    this.showContext();
  }

  private showContext(): void {
    const label = vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '';
    const isReview = [...this.sessions.values()].some(({ title }) => isTabOf(title, label));
    void vscode.commands.executeCommand('setContext', CONTEXT_KEY, isReview);
  }
}
