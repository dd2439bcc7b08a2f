// The styles of xterm.js. It writes them into <style> elements, which the policy of the page forbids. The build replaces
// these elements by the one that is defined here: it puts its text into a style sheet of the document.

class TerminalStyle extends HTMLElement {
  private readonly sheet = new CSSStyleSheet();

  override get textContent(): string {
    return "";
  }

  override set textContent(text: string) {
    this.sheet.replaceSync(text);
  }

  connectedCallback(): void {
    document.adoptedStyleSheets.push(this.sheet);
  }

  disconnectedCallback(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
  }
}

customElements.define("terminal-style", TerminalStyle);
