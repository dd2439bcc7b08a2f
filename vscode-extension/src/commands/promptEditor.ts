// Asks for a text that may have several lines: in an input box, or in an editor that its button opens.

import * as vscode from 'vscode';
import { attempt } from '../notify/messages';
import { t } from '../l10n';

/** The context key that lists the editors in which a text is written for an agent. */
const COMPOSING = 'symposium.composing';

/** Opens an editor in place of an input box. */
export const writeButton = (): vscode.QuickInputButton => ({ iconPath: new vscode.ThemeIcon('edit'), tooltip: t('Write Several Lines in an Editor') });

export class Composer implements vscode.Disposable {
  private readonly waiting = new Map<string, (text: string | undefined) => void>();
  private readonly parts: vscode.Disposable[];

  constructor() {
    this.parts = [
      vscode.commands.registerCommand('symposium.useText', () => attempt(() => this.use())),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => { this.end(uri, undefined); }),
    ];
  }

  /** Asks in an input box whose button continues in an editor. Returns undefined when it was cancelled or empty. */
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

  /** Opens an editor with a text, and returns what it holds when it is used; undefined when it is closed instead. */
  async write(title: string, text: string): Promise<string | undefined> {
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: text });
    await vscode.window.showTextDocument(document, { preview: false });
    const written = new Promise<string | undefined>((resolve) => { this.waiting.set(document.uri.toString(), resolve); });
    this.tellContext();
    vscode.window.setStatusBarMessage(`$(edit) ${t('{0}: Ctrl+Enter uses this text, closing the editor cancels', title)}`, 15_000);
    return written;
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  /** Uses the text of the editor in front, and closes it. */
  private async use(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || !this.waiting.has(document.uri.toString())) return;
    const text = document.getText();
    this.end(document.uri, text);
    // The document is discarded without a question about saving it.
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }

  private end(uri: vscode.Uri, text: string | undefined): void {
    const resolve = this.waiting.get(uri.toString());
    if (resolve === undefined) return;
    this.waiting.delete(uri.toString());
    this.tellContext();
    resolve(text);
  }

  private tellContext(): void {
    void vscode.commands.executeCommand('setContext', COMPOSING, [...this.waiting.keys()]);
  }
}
