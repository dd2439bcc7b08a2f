// Documents that are shown and never saved: recap, transcript, screen, task, doctor, error. A text has an address, so that
// showing it again refreshes the one that is open.

import * as vscode from 'vscode';

const SCHEME = 'symposium';

/** A command, so that whoever has only a text can show it. */
export const SHOW_DETAILS = 'symposium.showDetails';

/** So many texts are kept. VS Code tells late that a document was closed, when it may be open again: that is no sign. */
const KEPT = 30;

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly parts: vscode.Disposable[];

  /** `again` gives the text of one that VS Code has brought back and that is known no more. */
  constructor(private readonly again: (path: string) => Promise<string>) {
    this.parts = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.commands.registerCommand(SHOW_DETAILS, (text: string) => this.showText('/error/details.txt', text)),
      this.changed,
    ];
    // A preview is restored before we are there, and has found nothing then.
    const isPreview = ({ input }: vscode.Tab) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('markdown.preview');
    if (vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isPreview))) void vscode.commands.executeCommand('markdown.preview.refresh');
  }

  async provideTextDocumentContent({ path }: vscode.Uri): Promise<string> {
    return this.texts.get(path) ?? (await this.again(path));
  }

  /** As text, at its end when that is where the news are. */
  async showText(path: string, text: string, at: 'begin' | 'end' = 'begin'): Promise<void> {
    const uri = this.put(path, text);
    const document = await vscode.workspace.openTextDocument(uri);
    // One that is open stands where somebody has scrolled to in the text before.
    const line = at === 'end' ? document.lineCount : 0;
    await vscode.window.showTextDocument(document, { preview: true, selection: new vscode.Range(line, 0, line, 0) });
  }

  /** As a Markdown preview, of which VS Code has one. It does not draw anew what it shows already, be it that it could not
   *  find it: a preview is restored before we are there. So each time is another path; its last part is the title. */
  async showMarkdown(path: string, text: string): Promise<void> {
    await vscode.commands.executeCommand('markdown.showPreview', this.put(`/${Date.now()}${path}`, text));
  }

  dispose(): void {
    for (const part of this.parts) part.dispose();
  }

  private put(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    // The one that was shown last is the last to go.
    this.texts.delete(uri.path);
    this.texts.set(uri.path, text);
    for (const oldest of [...this.texts.keys()].slice(0, -KEPT)) this.texts.delete(oldest);
    this.changed.fire(uri);
    return uri;
  }
}
