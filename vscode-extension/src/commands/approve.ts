// Saying yes or no to what an agent asks for. Only what a person has seen whole is approved: what did not fit where it was
// shown is read first, and the binary answers that question and no other.

import * as vscode from 'vscode';
import { type Client, CommandError } from '../binary/client';
import type { Documents } from '../views/documents';
import { MOST, type Seen, asks, fitsDialog, isSeen, seenInRow, seenOf, shownQuestion } from '../rules/agent/question';
import { broken, inPick, noIcons, noLinks, oneLine, visible } from '../rules/agent/sanitize';
import type { Agent, Question } from '../binary/types';
import { noteDone } from '../walkthrough';
import type { Watch } from '../binary/agentWatch';
import { t } from '../l10n';

type Verb = 'approve' | 'deny';

/** What of a screen is shown below a question that only the screen told of. */
const SCREEN = 18;

const nothing = (message: string) => new CommandError({ code: NOTHING, message, saw: [], hints: [] });

/** What the binary calls it that an agent asks for nothing. */
const NOTHING = 'nothing-asked';

/** The second click of a double click comes within this, and finds its question answered by the first. */
const DOUBLE = 1_000;

export class Answering {
  /** Answers on their way, by agent, verb and question. One that is still read in an editor is none: it may be out of
   *  sight. */
  private readonly underWay = new Map<string, Promise<void>>();
  /** When an agent was answered last from here. */
  private readonly answered = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly watch: Watch,
    private readonly documents: Documents,
  ) {}

  /** Answers what was seen. When not all of it was, or when it asks for something else by now, the person reads it first.
   *  Who asks for the same while it is done waits for that one. */
  async answer(verb: Verb, agent: Agent, seen: unknown): Promise<void> {
    const known = isSeen(seen) ? seen : seenInRow(agent);
    const key = [agent.id, verb, known?.id ?? ''].join(' ');
    const first = this.underWay.get(key);
    // The first one tells what goes wrong.
    if (first !== undefined) return first.catch(() => undefined);
    const isDone = Date.now() - (this.answered.get(agent.id) ?? -Infinity) < DOUBLE;
    const mine = this.answerOnce(verb, agent, known).catch((error: unknown) => {
      if (!(isDone && error instanceof CommandError && error.code === NOTHING)) throw error;
    });
    this.underWay.set(key, mine);
    return mine.finally(() => {
      if (this.underWay.get(key) === mine) this.underWay.delete(key);
    });
  }

  private async answerOnce(verb: Verb, agent: Agent, seen: Seen | undefined): Promise<void> {
    let known = seen;
    let answer = verb;
    // Only what was shown whole is answered without a dialog: rows move when an agent is answered, and the next click in the
    // same place would answer another agent.
    if (known?.whole === true && (await this.give(answer, agent, known.id))) return;
    for (;;) {
      const { agents } = await this.client.agents();
      const now = agents.find(({ id }) => id === agent.id);
      if (now === undefined || !asks(now) || now.question === null) throw nothing(t('{0} asks for nothing any more', oneLine(agent.name)));
      const isOther = known !== undefined && known.id !== now.question.id;
      const chosen = await this.read(answer, now, now.question, isOther ? 'another' : 'the same');
      if (chosen === undefined) return;
      answer = chosen;
      if (await this.give(answer, now, now.question.id)) return;
      known = { id: now.question.id, whole: true };
    }
  }

  /** Shows what several ask for, and says yes to those that are ticked. */
  async approveSome(agents: readonly Agent[]): Promise<void> {
    const ids = new Set(agents.map(({ id }) => id));
    const asking = this.watch.agents.filter((agent) => ids.has(agent.id) && asks(agent));
    const items = asking.map((agent) => ({ label: inPick(agent.name), detail: inPick(shownQuestion(agent, MOST.tick)), agent, seen: seenOf(agent, MOST.tick) }));
    if (items.length === 0) throw nothing(t('none of them asks for anything any more'));
    const chosen = await vscode.window.showQuickPick(items, { title: t('Approve'), placeHolder: t('Say yes to whom?'), canPickMany: true, ignoreFocusOut: true });
    const failures: [Agent, unknown][] = [];
    // Those that were read go first: what is still to be read may take a while.
    for (const { agent, seen } of [...(chosen ?? [])].sort((a, b) => Number(b.seen?.whole ?? false) - Number(a.seen?.whole ?? false))) {
      await this.answer('approve', agent, seen).catch((error: unknown) => failures.push([agent, error]));
    }
    if (failures.length > 0) throw together(failures);
  }

  /** Answers that question; false when it asks for another by now. */
  private async give(verb: Verb, { id: whose, name }: Agent, id: string): Promise<boolean> {
    try {
      await this.client.json(['agent', verb, name, '--if-asks', id]);
    } catch (error) {
      if (error instanceof CommandError && error.code === 'asks-another') return false;
      throw error;
    } finally {
      void this.watch.look();
    }
    this.answered.set(whose, Date.now());
    noteDone('answered');
    const done = verb === 'approve' ? t('approved in {0}', oneLine(name)) : t('denied in {0}', oneLine(name));
    vscode.window.setStatusBarMessage(`$(check) ${noIcons(done)}`, 5_000);
    return true;
  }

  /** Shows a question whole, and returns the answer; undefined for none. */
  private async read(verb: Verb, agent: Agent, question: Question, which: 'the same' | 'another'): Promise<Verb | undefined> {
    const name = oneLine(agent.name);
    const words: Record<Verb, string> = { approve: t('Approve'), deny: t('Deny') };
    const attach = t('Attach');
    const title = which === 'another' ? t('{0} asks for something else by now', name) : t('{0} asks', name);
    const text = await this.inFull(agent, question);
    const answers = verb === 'approve' ? [words.approve, words.deny] : [words.deny, words.approve];
    // Enter presses the first button. A second Enter of a person who pressed it twice would answer an unread question.
    const buttons = which === 'another' ? [attach, ...answers] : [...answers, attach];
    const chosen = fitsDialog(text)
      ? await vscode.window.showWarningMessage(title, { modal: true, detail: text }, ...buttons)
      : await this.inEditor(agent, broken(text), longQuestion(title, question), ...buttons);
    if (chosen === attach) await vscode.commands.executeCommand('symposium.attach', agent);
    return (['approve', 'deny'] as const).find((each) => words[each] === chosen);
  }

  /** Shows a question in an editor and asks beside it. As an error, because VS Code takes every other notification away
   *  while one reads. */
  private async inEditor(agent: Agent, text: string, ...[words, ...buttons]: [string, ...string[]]): Promise<string | undefined> {
    await this.documents.showText(`/question/${agent.name}/${t('{0} question', agent.name)}.txt`, text);
    for (const key of [...this.underWay.keys()].filter((each) => each.startsWith(`${agent.id} `))) this.underWay.delete(key);
    return vscode.window.showErrorMessage(noLinks(words), ...buttons);
  }

  private async inFull(agent: Agent, { text, extent }: Question): Promise<string> {
    const shown = visible(text);
    switch (extent) {
      case 'whole':
        return shown;
      case 'brief': {
        const screen = (await this.client.screen(agent.name)).map((line) => visible(line).trimEnd()).filter(Boolean);
        return [shown, '', t('Its screen, where all of it may be read:'), ...screen.slice(-SCREEN)].join('\n');
      }
      default:
        return [shown, '', t('… and more: all of it may be read in its terminal only.')].join('\n');
    }
  }
}

const longQuestion = (title: string, { extent }: Question): string =>
  extent === 'cut'
    ? t('{0}: only the beginning of the question is in the editor. Attach to read all of it', title)
    : t('{0}: the question is in the editor. Read it to its end', title);

/** What went wrong with several, as one failure. */
function together(failures: readonly [Agent, unknown][]): unknown {
  const [[, only] = [], ...others] = failures;
  if (others.length === 0) return only;
  const saw = failures.map(([{ name }, error]) => `${oneLine(name)}: ${error instanceof Error ? error.message : String(error)}`);
  return new CommandError({ code: 'several', message: t('{0} were not approved', failures.length), saw, hints: [] });
}
