// A sequence of questions with a back button. Cancelling throws vscode.CancellationError, which is not reported.

import * as vscode from 'vscode';
import { writeButton } from './promptEditor';

/** Asks one question. Throws BACK to return to the previous one. */
export type Step = (at: number, of: number) => Promise<void>;

export const BACK = Symbol('back');

export async function runSteps(list: readonly Step[]): Promise<void> {
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

/** Asks for one of several items. With `typed`, any typed text is accepted too. */
export function choose<T extends vscode.QuickPickItem>(question: Question, items: readonly T[], typed?: (value: string) => T): Promise<T> {
  const pick = vscode.window.createQuickPick<T>();
  pick.items = items;
  pick.matchOnDescription = true;
  // Preselects the previous answer.
  const before = items.filter(({ picked }) => picked === true);
  if (before.length > 0) pick.activeItems = before;
  if (typed !== undefined) {
    pick.onDidChangeValue((value) => {
      const own = typed(value);
      const known = value === '' || items.some(({ label }) => label === own.label);
      pick.items = known ? items : [...items, own];
    });
  }
  // A fast typist presses Enter before the list contains the typed text.
  return ask(pick, question, () => pick.selectedItems[0] ?? (typed === undefined || pick.value === '' ? undefined : typed(pick.value)));
}

/** Asks for a text. `mistake` validates it while it is typed. */
export function askText(question: Question, value: string, mistake: (value: string) => string | undefined, write?: (title: string, value: string) => Promise<string | undefined>): Promise<string> {
  const box = vscode.window.createInputBox();
  box.value = value;
  const more = write === undefined ? undefined : { button: writeButton(), answer: () => write(question.title, box.value) };
  box.onDidChangeValue((text) => {
    box.validationMessage = mistake(text) ?? '';
  });
  return ask(box, question, () => {
    box.validationMessage = mistake(box.value) ?? '';
    return box.validationMessage === '' ? box.value : undefined;
  }, more);
}

/** A button that provides the answer in another way. */
interface ExtraButton<T> {
  button: vscode.QuickInputButton;
  answer: () => Promise<T | undefined>;
}

function ask<T>(input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox, question: Question, answer: () => T | undefined, more?: ExtraButton<T>): Promise<T> {
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
        // Closing the editor cancels, like Escape.
        answered.then((value) => { if (value === undefined) reject(new vscode.CancellationError()); else resolve(value); }, reject);
        return;
      }
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- BACK is a control flow value
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
