// Read-only documents: recap, transcript, screen, task, doctor, error. Each has a URI, so that showing it again
// refreshes the open editor.

import * as vscode from 'vscode';

const SCHEME = 'symposium';

/** Shows a text. A command, so that parts without access to the documents can use it. */
export const SHOW_DETAILS = 'symposium.showDetails';

/** The number of texts to keep. VS Code reports a closed document late, when it may be open again, so closing does not
 *  discard a text. */
const MAX_DOCUMENTS = 30;

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly parts: vscode.Disposable[];

  /** `restore` returns the text of a document that VS Code restored after a reload. */
  constructor(private readonly restore: (path: string) => Promise<string>) {
    this.parts = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.commands.registerCommand(SHOW_DETAILS, (text: string) => this.showText('/error/details.txt', text)),
      this.changed,
    ];
    // VS Code restores a preview before the extension is active, and the preview is empty then.
    const isPreview = ({ input }: vscode.Tab) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('markdown.preview');
    if (vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isPreview))) void vscode.commands.executeCommand('markdown.preview.refresh');
  }

  async provideTextDocumentContent({ path }: vscode.Uri): Promise<string> {
    return this.texts.get(path) ?? (await this.restore(path));
  }

  /** Shows a text in an editor, scrolled to its beginning or end. */
  async showText(path: string, text: string, at: 'begin' | 'end' = 'begin'): Promise<void> {
    const uri = this.put(path, text);
    const document = await vscode.workspace.openTextDocument(uri);
    // An open editor keeps the scroll position of the previous text.
    const line = at === 'end' ? document.lineCount : 0;
    await vscode.window.showTextDocument(document, { preview: true, selection: new vscode.Range(line, 0, line, 0) });
  }

  /** Shows a text as a Markdown preview. VS Code has a single preview and does not redraw a path that it shows already,
   *  even if its text was not found. So each call uses another path; the last part is the title. */
  async showMarkdown(path: string, text: string): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', this.put(`/${Date.now()}${path}`, text));
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private put(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    // The text that was shown last is discarded last.
    this.texts.delete(uri.path);
    this.texts.set(uri.path, text);
    for (const oldest of [...this.texts.keys()].slice(0, -MAX_DOCUMENTS)) this.texts.delete(oldest);
    this.changed.fire(uri);
    return uri;
  }
}
