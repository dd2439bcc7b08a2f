// Several questions in one flow, with a way back. Leaving one throws vscode.CancellationError, which nobody is told of.

import * as vscode from 'vscode';
import { writeButton } from './promptEditor';

/** Asks one question; throws BACK when the person wants the one before. */
export type Step = (at: number, of: number) => Promise<void>;

export const BACK = Symbol('back');

export async function steps(list: readonly Step[]): Promise<void> {
  for (let at = 0; at < list.length; ) {
    try {
      await list[at]?.(at + 1, list.length);
      at++;
    } catch (reason) {
      if (reason !== BACK) throw reason;
      at = Math.max(0, at - 1);
    }
  }
}

interface Question {
  title: string;
  placeholder: string;
  at: number;
  of: number;
}

/** One of several; with `typed`, also what is typed and is none of them. */
export function choose<T extends vscode.QuickPickItem>(question: Question, items: readonly T[], typed?: (value: string) => T): Promise<T> {
  const pick = vscode.window.createQuickPick<T>();
  pick.items = items;
  pick.matchOnDescription = true;
  // What was answered before, for who goes through the questions again.
  const before = items.filter(({ picked }) => picked === true);
  if (before.length > 0) pick.activeItems = before;
  if (typed !== undefined) {
    pick.onDidChangeValue((value) => {
      const own = typed(value);
      const known = value === '' || items.some(({ label }) => label === own.label);
      pick.items = known ? items : [...items, own];
    });
  }
  // Who is quick presses Enter before the list holds what was typed.
  return asked(pick, question, () => pick.selectedItems[0] ?? (typed === undefined || pick.value === '' ? undefined : typed(pick.value)));
}

/** A text; `mistake` says what is wrong with it while it is typed. */
export function type(question: Question, value: string, mistake: (value: string) => string | undefined, write?: (title: string, value: string) => Promise<string | undefined>): Promise<string> {
  const box = vscode.window.createInputBox();
  box.value = value;
  const more = write === undefined ? undefined : { button: writeButton(), answer: () => write(question.title, box.value) };
  box.onDidChangeValue((text) => {
    box.validationMessage = mistake(text) ?? '';
  });
  return asked(box, question, () => {
    box.validationMessage = mistake(box.value) ?? '';
    return box.validationMessage === '' ? box.value : undefined;
  }, more);
}

/** A button that answers in another way. */
interface More<T> {
  button: vscode.QuickInputButton;
  answer: () => Promise<T | undefined>;
}

function asked<T>(input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox, question: Question, answer: () => T | undefined, more?: More<T>): Promise<T> {
  input.title = question.title;
  input.placeholder = question.placeholder;
  input.step = question.at;
  input.totalSteps = question.of;
  input.ignoreFocusOut = true;
  input.buttons = [...(question.at > 1 ? [vscode.QuickInputButtons.Back] : []), ...(more === undefined ? [] : [more.button])];
  return new Promise<T>((resolve, reject) => {
    input.onDidTriggerButton((button) => {
      if (button === more?.button) {
        const answered = more.answer();
        hidden = undefined;
        input.hide();
        // An editor that is closed without an answer cancels, as Escape does here.
        answered.then((value) => { if (value === undefined) reject(new vscode.CancellationError()); else resolve(value); }, reject);
        return;
      }
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the way back is no error
      reject(BACK);
      input.hide();
    });
    input.onDidAccept(() => {
      const value = answer();
      if (value === undefined) return;
      resolve(value);
      input.hide();
    });
    let hidden: (() => void) | undefined = () => { reject(new vscode.CancellationError()); };
    input.onDidHide(() => {
      hidden?.();
      input.dispose();
    });
    input.show();
  });
}
