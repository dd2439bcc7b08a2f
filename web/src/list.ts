// The list of agents, in the order and with the words of the dashboard.

import { h, setText } from "./dom.js";
import { age } from "./time.js";
import type { Agent, Row } from "./types.js";

const SHAPES: Record<string, string> = {
  waiting: "?",
  working: "●",
  starting: "◌",
  idle: "○",
  crashed: "✗",
  lost: "!",
  exited: "✓",
  stopped: "■",
  hibernated: "z",
  unknown: "~",
};

export function shape(status: string): HTMLElement {
  return h("span", { class: `shape ${status}`, "aria-hidden": "true" }, SHAPES[status] ?? "~");
}

export class AgentRow {
  readonly element: HTMLLIElement;
  private readonly button: HTMLButtonElement;
  private readonly mark = h("span", { class: "shape" });
  private readonly status = h("span", { class: "word" });
  private readonly ageText = h("span", { class: "age" });
  private readonly about = h("span", { class: "about" });
  private readonly location = h("span", { class: "place" });
  private since = "";

  constructor(name: string, open: () => void) {
    const head = h("span", { class: "head" }, h("span", { class: "name" }, name), this.status, this.ageText);
    this.mark.setAttribute("aria-hidden", "true");
    this.button = h("button", { class: "row", click: open }, this.mark, head, this.about, this.location);
    this.element = h("li", {}, this.button);
  }

  update(agent: Agent, row: Row, isSelected: boolean): void {
    this.since = agent.status_since;
    this.mark.className = `shape ${agent.status}`;
    setText(this.mark, SHAPES[agent.status] ?? "~");
    this.status.className = `word ${agent.status}`;
    setText(this.status, row.status);
    setText(this.about, row.about);
    setText(this.location, row.location);
    this.button.classList.toggle("stale", agent.isStale === true);
    this.button.classList.toggle("selected", isSelected);
    if (isSelected) this.button.setAttribute("aria-current", "true");
    else this.button.removeAttribute("aria-current");
    this.tick();
  }

  tick(): void {
    setText(this.ageText, age(this.since));
  }
}
