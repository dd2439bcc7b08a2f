// Draws the screen of an agent as real text: the browser scrolls and selects it.

import { h } from "./dom.js";
import type { Color, Run, Screen } from "./types.js";

const STEPS = [0, 95, 135, 175, 215, 255];

/** Returns a colour of the 256-colour palette. The first 16 follow the theme of the page. */
function css(color: Color): string {
  if (typeof color !== "number") return `rgb(${color.join(" ")})`;
  if (color < 16) return `var(--ansi-${color})`;
  if (color >= 232) {
    const grey = 8 + (color - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const at = color - 16;
  const parts = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => STEPS[step] ?? 0);
  return `rgb(${parts.join(" ")})`;
}

function span(run: Run): Node {
  const { text, fg, bg, bold, dim, italic, underline, inverse } = run;
  if (Object.keys(run).length === 1) return document.createTextNode(text);
  const names = [bold && "bold", dim && "dim", italic && "italic", underline && "underline", inverse && "inverse"];
  const element = h("span", { class: names.filter(Boolean).join(" ") }, text);
  const [front, back] = inverse ? [bg, fg] : [fg, bg];
  if (front !== undefined) element.style.color = css(front);
  if (back !== undefined) element.style.backgroundColor = css(back);
  return element;
}

/** Splits a line at the cursor, so that the cell below it can be drawn. */
function withCursor(runs: Run[], column: number): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  let drawn = false;
  for (const run of runs) {
    const cells = [...run.text];
    if (!drawn && column < at + cells.length) {
      const split = column - at;
      const part = (from: number, to?: number): Run => ({ ...run, text: cells.slice(from, to).join("") });
      if (split > 0) nodes.push(span(part(0, split)));
      nodes.push(h("span", { class: "cursor" }, cells[split] ?? " "));
      if (split + 1 < cells.length) nodes.push(span(part(split + 1)));
      drawn = true;
    } else nodes.push(span(run));
    at += cells.length;
  }
  if (!drawn) nodes.push(document.createTextNode(" ".repeat(Math.max(0, column - at))), h("span", { class: "cursor" }, " "));
  return nodes;
}

export class ScreenView {
  readonly element = h("div", { class: "screen", tabindex: "0", role: "log", "aria-label": "Screen of the agent", "aria-live": "off" });
  private readonly lines: { key: string; element: HTMLElement }[] = [];

  update(screen: Screen): void {
    const isAtEnd = this.element.scrollHeight - this.element.scrollTop - this.element.clientHeight < 40;
    this.element.classList.remove("gone");
    screen.lines.forEach((runs, at) => {
      const column = screen.cursor && screen.cursor[1] === at ? screen.cursor[0] : undefined;
      const key = JSON.stringify([runs, column]);
      const known = this.lines[at];
      if (known?.key === key) return;
      const nodes = column === undefined ? runs.map(span) : withCursor(runs, column);
      const element = known?.element ?? h("div", { class: "line" });
      element.replaceChildren(...(nodes.length > 0 ? nodes : ["\u200b"]));
      if (!known) this.element.append(element);
      this.lines[at] = { key, element };
    });
    for (const { element } of this.lines.splice(screen.lines.length)) element.remove();
    if (isAtEnd) this.element.scrollTop = this.element.scrollHeight;
  }

  /** Shows why there is no screen. The last content stays readable. */
  gone(why: string): void {
    this.element.classList.add("gone");
    if (this.lines.length > 0) return;
    const element = h("div", { class: "line note" }, why);
    this.lines.push({ key: "", element });
    this.element.append(element);
  }
}
