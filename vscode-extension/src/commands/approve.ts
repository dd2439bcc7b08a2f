// Approves or denies the question of an agent. A question is answered only if the user was shown all of it: otherwise
// it is shown in a dialog or an editor first. The binary checks that the agent still asks the same question.

import * as vscode from 'vscode';
import { type Client, CommandError } from '../binary/client';
import type { Documents } from '../views/documents';
import { QUESTION_LENGTH, type SeenQuestion, needsApproval, fitsDialog, isSeen, seenInRow, seenOf, shownQuestion } from '../rules/agent/question';
import { wrapLines, escapeQuickPick, withoutIcons, withoutLinks, oneLine, spellOutInvisible } from '../rules/agent/sanitize';
import type { Agent, Question } from '../binary/types';
import { completeStep } from '../walkthrough';
import type { AgentWatch } from '../binary/agentWatch';
import { t } from '../l10n';

type Verb = 'approve' | 'deny';

/** The number of screen lines below a question that was read from the screen. */
const SCREEN_LINES = 18;

const nothingAsked = (message: string) => new CommandError({ code: NOTHING_ASKED, message, saw: [], hints: [] });

/** The error code of the binary for an agent that asks nothing. */
const NOTHING_ASKED = 'nothing-asked';

/** The second click of a double click arrives within this time, after the first one was answered. */
const DOUBLE_CLICK_MS = 1_000;

export class Approvals {
  /** Running answers by agent, verb and question. An answer that waits for a user who reads an editor is not among
   *  them, because that editor may be out of sight. */
  private readonly running = new Map<string, Promise<void>>();
  /** The time of the last answer to each agent. */
  private readonly lastAnswers = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly watch: AgentWatch,
    private readonly documents: Documents,
  ) {}

  /** Answers a question. If the user was not shown all of it, or if the agent asks another one now, shows it first. A
   *  second call for the same question waits for the first. */
  async answer(verb: Verb, agent: Agent, seen: unknown): Promise<void> {
    const known = isSeen(seen) ? seen : seenInRow(agent);
    const key = [agent.id, verb, known?.id ?? ''].join(' ');
    const first = this.running.get(key);
    // The first call reports the error.
    if (first !== undefined) return first.catch(() => undefined);
    const isDone = Date.now() - (this.lastAnswers.get(agent.id) ?? -Infinity) < DOUBLE_CLICK_MS;
    const mine = this.answerOnce(verb, agent, known).catch((error: unknown) => {
      if (!(isDone && error instanceof CommandError && error.code === NOTHING_ASKED)) throw error;
    });
    this.running.set(key, mine);
    return mine.finally(() => {
      if (this.running.get(key) === mine) this.running.delete(key);
    });
  }

  private async answerOnce(verb: Verb, agent: Agent, seen: SeenQuestion | undefined): Promise<void> {
    let known = seen;
    let answer = verb;
    // Only a question that was shown completely is answered without a dialog. Rows move after an answer, and a second
    // click in the same place would answer another agent.
    if (known?.whole === true && (await this.send(answer, agent, known.id))) return;
    for (;;) {
      const { agents } = await this.client.agents();
      const now = agents.find(({ id }) => id === agent.id);
      if (now === undefined || !needsApproval(now) || now.question === null) throw nothingAsked(t('{0} no longer asks for approval', oneLine(agent.name)));
      const isOther = known !== undefined && known.id !== now.question.id;
      const chosen = await this.askAgain(answer, now, now.question, isOther ? 'another' : 'the same');
      if (chosen === undefined) return;
      answer = chosen;
      if (await this.send(answer, now, now.question.id)) return;
      known = { id: now.question.id, whole: true };
    }
  }

  /** Shows the questions of several agents and approves the selected ones. */
  async approveSome(agents: readonly Agent[]): Promise<void> {
    const ids = new Set(agents.map(({ id }) => id));
    const asking = this.watch.agents.filter((agent) => ids.has(agent.id) && needsApproval(agent));
    const items = asking.map((agent) => ({ label: escapeQuickPick(agent.name), detail: escapeQuickPick(shownQuestion(agent, QUESTION_LENGTH.tick)), agent, seen: seenOf(agent, QUESTION_LENGTH.tick) }));
    if (items.length === 0) throw nothingAsked(t('none of these agents needs approval any more'));
    const chosen = await vscode.window.showQuickPick(items, { title: t('Approve'), placeHolder: t('Approve which agents?'), canPickMany: true, ignoreFocusOut: true });
    const failures: [Agent, unknown][] = [];
    // Questions that were shown completely come first, because reading the others takes a while.
    for (const { agent, seen } of [...(chosen ?? [])].sort((a, b) => Number(b.seen?.whole ?? false) - Number(a.seen?.whole ?? false))) {
      await this.answer('approve', agent, seen).catch((error: unknown) => failures.push([agent, error]));
    }
    if (failures.length > 0) throw combinedError(failures);
  }

  /** Sends the answer. Returns false if the agent asks another question now. */
  private async send(verb: Verb, { id: whose, name }: Agent, id: string): Promise<boolean> {
    try {
      await this.client.json(['agent', verb, name, '--if-asks', id]);
    } catch (error) {
      if (error instanceof CommandError && error.code === 'asks-another') return false;
      throw error;
    } finally {
      void this.watch.refresh();
    }
    this.lastAnswers.set(whose, Date.now());
    completeStep('answered');
    const done = verb === 'approve' ? t('approved in {0}', oneLine(name)) : t('denied in {0}', oneLine(name));
    vscode.window.setStatusBarMessage(`$(check) ${withoutIcons(done)}`, 5_000);
    return true;
  }

  /** Shows a question completely and returns the answer, or undefined without one. */
  private async askAgain(verb: Verb, agent: Agent, question: Question, which: 'the same' | 'another'): Promise<Verb | undefined> {
    const name = oneLine(agent.name);
    const words: Record<Verb, string> = { approve: t('Approve'), deny: t('Deny') };
    const attach = t('Attach');
    const title = which === 'another' ? t('{0} now asks for something else', name) : t('{0} asks', name);
    const text = await this.fullText(agent, question);
    const answers = verb === 'approve' ? [words.approve, words.deny] : [words.deny, words.approve];
    // Enter presses the first button. A second Enter must not answer an unread question.
    const buttons = which === 'another' ? [attach, ...answers] : [...answers, attach];
    const chosen = fitsDialog(text)
      ? await vscode.window.showWarningMessage(title, { modal: true, detail: text }, ...buttons)
      : await this.askInEditor(agent, wrapLines(text), longQuestion(title, question), ...buttons);
    if (chosen === attach) await vscode.commands.executeCommand('symposium.attach', agent);
    return (['approve', 'deny'] as const).find((each) => words[each] === chosen);
  }

  /** Shows a question in an editor, with the buttons in a notification. It is an error message, because VS Code hides
   *  all other notifications after a while. */
  private async askInEditor(agent: Agent, text: string, ...[words, ...buttons]: [string, ...string[]]): Promise<string | undefined> {
    await this.documents.showText(`/question/${agent.name}/${t('{0} question', agent.name)}.txt`, text);
    for (const key of [...this.running.keys()].filter((each) => each.startsWith(`${agent.id} `))) this.running.delete(key);
    return vscode.window.showErrorMessage(withoutLinks(words), ...buttons);
  }

  private async fullText(agent: Agent, { text, extent }: Question): Promise<string> {
    const shown = spellOutInvisible(text);
    switch (extent) {
      case 'whole':
        return shown;
      case 'brief': {
        const screen = (await this.client.screen(agent.name)).map((line) => spellOutInvisible(line).trimEnd()).filter(Boolean);
        return [shown, '', t('Its screen, which may show all of it:'), ...screen.slice(-SCREEN_LINES)].join('\n');
      }
      default:
        return [shown, '', t('… and more. Only the terminal shows all of it.')].join('\n');
    }
  }
}

const longQuestion = (title: string, { extent }: Question): string =>
  extent === 'cut'
    ? t('{0}: only the beginning of the question is in the editor. Attach to read all of it', title)
    : t('{0}: the question is in the editor. Read it completely', title);

/** Combines the errors of several agents. */
function combinedError(failures: readonly [Agent, unknown][]): unknown {
  const [[, only] = [], ...others] = failures;
  if (others.length === 0) return only;
  const saw = failures.map(([{ name }, error]) => `${oneLine(name)}: ${error instanceof Error ? error.message : String(error)}`);
  return new CommandError({ code: 'several', message: t('{0} agents were not approved', failures.length), saw, hints: [] });
}
