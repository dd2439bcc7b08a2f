// Asks for a text of one or several lines, in an input box or in an editor.

import * as vscode from 'vscode';
import { attempt } from '../notify/messages';
import { t } from '../l10n';

/** The context key with the editors that hold a prompt. */
const OPEN_EDITORS_KEY = 'symposium.composing';

/** The button that opens an editor in place of the input box. */
export const writeButton = (): vscode.QuickInputButton => ({ iconPath: new vscode.ThemeIcon('edit'), tooltip: t('Write Several Lines in an Editor') });

export class PromptEditor implements vscode.Disposable {
  private readonly pending = new Map<string, (text: string | undefined) => void>();
  private readonly parts: vscode.Disposable[];

  constructor() {
    this.parts = [
      vscode.commands.registerCommand('symposium.useText', () => attempt(() => this.use())),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => { this.end(uri, undefined); }),
    ];
  }

  /** Asks in an input box whose button continues in an editor. Returns undefined if the text is empty or was cancelled. */
  async ask(title: string, placeholder: string): Promise<string | undefined> {
    const box = vscode.window.createInputBox();
    Object.assign(box, { title, placeholder, ignoreFocusOut: true, buttons: [writeButton()] });
    const text = await new Promise<string | undefined>((resolve) => {
      let value: Promise<string | undefined> | string | undefined;
      box.onDidTriggerButton(() => {
        value = this.write(title, box.value);
        box.hide();
      });
      box.onDidAccept(() => {
        value = box.value;
        box.hide();
      });
      box.onDidHide(() => {
        box.dispose();
        void Promise.resolve(value).then(resolve);
      });
      box.show();
    });
    return text === undefined || text.trim() === '' ? undefined : text;
  }

  /** Opens an editor with a text. Returns its content after the user submits it, or undefined after the user closes it. */
  async write(title: string, text: string): Promise<string | undefined> {
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: text });
    await vscode.window.showTextDocument(document, { preview: false });
    const written = new Promise<string | undefined>((resolve) => { this.pending.set(document.uri.toString(), resolve); });
    this.updateContext();
    vscode.window.setStatusBarMessage(`$(edit) ${t('{0}: Ctrl+Enter uses this text, closing the editor cancels', title)}`, 15_000);
    return written;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  /** Submits the text of the active editor and closes it. */
  private async use(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || !this.pending.has(document.uri.toString())) return;
    const text = document.getText();
    this.end(document.uri, text);
    // Discards the document without a question about saving it.
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }

  private end(uri: vscode.Uri, text: string | undefined): void {
    const resolve = this.pending.get(uri.toString());
    if (resolve === undefined) return;
    this.pending.delete(uri.toString());
    this.updateContext();
    resolve(text);
  }

  private updateContext(): void {
    void vscode.commands.executeCommand('setContext', OPEN_EDITORS_KEY, [...this.pending.keys()]);
  }
}
