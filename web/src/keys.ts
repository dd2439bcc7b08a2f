// The key bar: keys that a phone does not have. While a terminal drives the agent, the page only observes until the user
// takes over.

import { ApiError, post } from "./api.js";
import { h, setText } from "./dom.js";
import { driverOf } from "./driver.js";
import { agentPath } from "./hosts.js";
import type { Agent } from "./types.js";

const KEYS: [string, string, string][] = [
  ["Esc", "Escape", "Esc"],
  ["Tab", "Tab", "Tab"],
  ["⇧Tab", "BTab", "Shift Tab"],
  ["←", "Left", "Left"],
  ["↑", "Up", "Up"],
  ["↓", "Down", "Down"],
  ["→", "Right", "Right"],
  ["⏎", "Enter", "Enter"],
  ["^C", "C-c", "Control C"],
];
const CONTROL = ["a", "b", "d", "e", "l", "o", "r", "t", "u", "z"];

export class KeyBar {
  readonly element: HTMLElement;
  private readonly who = h("span", {});
  private readonly take = h("button", { class: "plain small", type: "button" }, "Take over");
  private readonly driven = h("p", { class: "driven", role: "status", hidden: true }, this.who, this.take);
  private readonly keys: HTMLButtonElement[] = [];
  private driver: string | undefined;
  private taken: string | undefined;
  /** Keys are sent one after the other, in the order of the taps. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly agent: Agent,
    private readonly report: (text: string) => void,
  ) {
    this.take.addEventListener("click", () => {
      this.taken = this.driver;
      this.draw();
    });
    const letters = h("div", { class: "keys letters", hidden: true }, ...CONTROL.map((letter) => this.key([`^${letter.toUpperCase()}`, `C-${letter}`, `Control ${letter}`])));
    const control = h("button", { class: "key", type: "button", "aria-expanded": "false", "aria-label": "Ctrl, more keys" }, "Ctrl");
    control.addEventListener("click", () => {
      letters.hidden = !letters.hidden;
      control.setAttribute("aria-expanded", String(!letters.hidden));
    });
    const usual = KEYS.map((key) => this.key(key));
    this.element = h("div", { class: "keybar", role: "toolbar", "aria-label": "Keys" }, this.driven, letters, h("div", { class: "keys" }, ...usual, control));
  }

  /** Shows which terminal drives the agent. Another driver has to be taken over from again. */
  update(agent: Agent): void {
    this.driver = driverOf(agent);
    if (this.taken !== this.driver) this.taken = undefined;
    this.draw();
  }

  private draw(): void {
    const observes = this.driver !== undefined && this.taken === undefined;
    this.driven.hidden = this.driver === undefined;
    setText(this.who, observes ? `${this.driver} drives this agent.` : `${this.driver} drives this agent; your keys are typed as well.`);
    this.take.hidden = !observes;
    for (const key of this.keys) key.disabled = observes;
  }

  private key([label, name, spoken]: [string, string, string]): HTMLButtonElement {
    const button = h("button", { class: "key", type: "button", "aria-label": spoken, click: () => this.press(name) }, label);
    this.keys.push(button);
    return button;
  }

  private press(key: string): void {
    const send = () => post(agentPath(this.agent, "keys"), { keys: [key], take: this.taken !== undefined });
    this.last = this.last.then(send).catch((error: unknown) => this.report(error instanceof ApiError ? error.message : String(error)));
  }
}
