// What the user types, in order. The emulator takes no part in it: keys are sent by their names, so that tmux translates
// them for the program, and no answer of the emulator to a query of the program can be mistaken for typed text.

import { ApiError } from "../api.js";

export type Input = { key: string } | { text: string } | { paste: string };

/** Number of keys that are sent at once; the server accepts 256. */
const MAX_KEYS = 200;

const NAMED: Record<string, string> = {
  Enter: "Enter",
  Escape: "Escape",
  Tab: "Tab",
  Backspace: "BSpace",
  Delete: "DC",
  Insert: "IC",
  ArrowUp: "Up",
  ArrowDown: "Down",
  ArrowLeft: "Left",
  ArrowRight: "Right",
  Home: "Home",
  End: "End",
  PageUp: "PageUp",
  PageDown: "PageDown",
};

/** Returns what a key types, or nothing if the browser has to handle it. */
export function inputOf(event: KeyboardEvent): Input | undefined {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if (metaKey || event.isComposing || event.keyCode === 229) return undefined;
  const held = (ctrlKey ? "C-" : "") + (altKey ? "M-" : "");
  const isFunction = /^F([1-9]|1[0-2])$/.test(key);
  const named = isFunction ? key : NAMED[key];
  if (named === "Tab" && shiftKey) return { key: `${held}BTab` };
  if (named) return { key: `${held}${shiftKey ? "S-" : ""}${named}` };
  if ([...key].length !== 1) return undefined;
  // AltGr types characters.
  if (held === "" || event.getModifierState("AltGraph")) return { text: key };
  if (key === " ") return { key: `${held}Space` };
  return { key: held + (ctrlKey ? key.toLowerCase() : key) };
}

/** Sends input in its order. What is typed while a request is on its way is sent with the next one. */
export class TypingQueue {
  private waiting: Input[] = [];
  private isSending = false;

  constructor(
    private readonly send: (input: Input[]) => Promise<unknown>,
    private readonly report: (text: string) => void,
  ) {}

  add(input: Input): void {
    const last = this.waiting.at(-1);
    if ("text" in input) {
      const parts = [...input.text];
      for (let at = 0; at < parts.length; at += MAX_KEYS) this.addText(parts.slice(at, at + MAX_KEYS).join(""), at === 0 ? last : undefined);
    } else this.waiting.push(input);
    if (!this.isSending) void this.sendAll();
  }

  clear(): void {
    this.waiting = [];
  }

  private addText(text: string, last: Input | undefined): void {
    if (last && "text" in last && last.text.length + text.length <= MAX_KEYS) last.text += text;
    else this.waiting.push({ text });
  }

  private async sendAll(): Promise<void> {
    this.isSending = true;
    while (this.waiting.length > 0) {
      let keys = 0;
      const count = this.waiting.findIndex((input) => (keys += "text" in input ? input.text.length : 1) > MAX_KEYS);
      const batch = this.waiting.splice(0, count === -1 ? this.waiting.length : Math.max(count, 1));
      try {
        await this.send(batch);
      } catch (error) {
        // What follows depends on what was not typed.
        this.clear();
        this.report(error instanceof ApiError ? error.message : String(error));
      }
    }
    this.isSending = false;
  }
}
