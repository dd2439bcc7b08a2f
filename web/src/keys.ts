// The key bar: keys that a phone does not have.

import { ApiError, post } from "./api.js";
import { h } from "./dom.js";

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

export function keyBar(agent: string, report: (text: string) => void): HTMLElement {
  // Keys are sent one after the other, in the order of the taps.
  let last: Promise<unknown> = Promise.resolve();
  const press = (key: string) => {
    last = last.then(() => post(`api/agents/${encodeURIComponent(agent)}/keys`, { keys: [key] })).catch((error: unknown) => {
      report(error instanceof ApiError ? error.message : String(error));
    });
  };
  const key = ([label, name, spoken]: [string, string, string]) =>
    h("button", { class: "key", type: "button", "aria-label": spoken, click: () => press(name) }, label);
  const letters = h("div", { class: "keys letters", hidden: true }, ...CONTROL.map((letter) => key([`^${letter.toUpperCase()}`, `C-${letter}`, `Control ${letter}`])));
  const control = h("button", { class: "key", type: "button", "aria-expanded": "false", "aria-label": "Ctrl, more keys" }, "Ctrl");
  control.addEventListener("click", () => {
    letters.hidden = !letters.hidden;
    control.setAttribute("aria-expanded", String(!letters.hidden));
  });
  return h("div", { class: "keybar", role: "toolbar", "aria-label": "Keys" }, letters, h("div", { class: "keys" }, ...KEYS.map(key), control));
}
