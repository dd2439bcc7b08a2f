// The terminal of an agent on desktops: xterm.js shows what the agent prints, at the agent's true size. It only shows:
// it gets no keys, so it can send none, and its answers to queries of programs are disabled. This file is a bundle of
// its own, which only desktops load.

import { Terminal } from "@xterm/xterm";
import xtermCss from "@xterm/xterm/css/xterm.css";

import { follow, post } from "../api.js";
import { driverOf, isLive } from "../driver.js";
import { h, setText } from "../dom.js";
import type { Agent } from "../types.js";
import { Acknowledger } from "./acknowledger.js";
import { filled, redrawn, shows, type Capture } from "./capture.js";
import "./styles.js";
import { TypingQueue, inputOf, type Input } from "./typing.js";

/** Lines of history that the page keeps. */
const HISTORY_LINES = 5000;
/** Pause before a terminal that has ended is opened again, if its agent still runs: it was started again. */
const REOPEN_MS = 2000;
const MIN_FONT_PX = 8;
const MAX_FONT_PX = 14;
/** Modes in which a program wants the mouse. They would take the selection of text from the user. */
const MOUSE_MODES = new Set([9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016]);
const THEME = {
  background: "#12161d",
  foreground: "#e7ebf2",
  cursor: "#8ab0ff",
  cursorAccent: "#12161d",
  selectionBackground: "#3d4f73",
  black: "#1c222d",
  red: "#ff7b88",
  green: "#8fd18b",
  yellow: "#e8b765",
  blue: "#8ab0ff",
  magenta: "#d3a4f0",
  cyan: "#7fd1d6",
  white: "#d5dbe6",
  brightBlack: "#8a95a6",
  brightRed: "#ff9aa5",
  brightGreen: "#a8e0a4",
  brightYellow: "#f3cd8b",
  brightBlue: "#a9c5ff",
  brightMagenta: "#e0bff6",
  brightCyan: "#a0e0e4",
  brightWhite: "#ffffff",
};

export interface TerminalOptions {
  agent: Agent;
  /** Address of the agent below the page. */
  path: string;
  mayType: boolean;
  report(text: string): void;
}

interface Viewer {
  id: string;
  driving: "this" | "other" | "none";
}

export class TerminalView {
  readonly element: HTMLElement;
  private readonly frame = h("div", { class: "frame", role: "log", "aria-label": "Screen of the agent", "aria-live": "off" });
  private readonly note = h("span", {});
  private readonly take = h("button", { class: "plain small", type: "button", click: () => this.takeOver() }, "Take over");
  private readonly release = h("button", { class: "plain small", type: "button", title: "Shift Escape", click: () => this.stopDriving() }, "Stop driving");
  private readonly fitButton = h("button", { class: "plain small", type: "button", title: "Resizes the screen of the agent to this window", click: () => this.resizeAgent() }, "Fit to window");
  private readonly terminal = new Terminal({
    disableStdin: true,
    scrollback: HISTORY_LINES,
    fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
    fontSize: MAX_FONT_PX - 1,
    theme: THEME,
    cursorInactiveStyle: "outline",
    linkHandler: { activate: () => undefined },
    logLevel: "off",
  });
  private readonly typing: TypingQueue;
  private readonly acknowledger: Acknowledger;
  private readonly resized = new ResizeObserver(() => this.fitFont());
  private viewer: Viewer | undefined;
  private driver: string | undefined;
  private isLive = true;
  /** The terminal that drove when the user took over. After a lost connection the page drives again if it is the same. */
  private wanted: { driver: string | undefined } | undefined;
  /** Parts that the emulator has not got yet. They wait while the screen is compared with a capture. */
  private parts: (() => void)[] = [];
  private isComparing = false;

  constructor(private readonly options: TerminalOptions) {
    const path = (what: string) => `${options.path}terminal/${what}`;
    this.typing = new TypingQueue((input) => post(path("type"), { viewer: this.viewer?.id, input }), options.report);
    this.acknowledger = new Acknowledger((part) => post(path("acknowledge"), { viewer: this.viewer?.id, part }));
    const buttons = h("span", { class: "drive" }, this.fitButton, this.release, this.take);
    const bar = h("p", { class: "driven", role: "status" }, this.note, options.mayType && buttons);
    this.element = h("div", { class: "terminal" }, this.frame, bar);
    this.update(options.agent);
  }

  /** Shows the terminal until the signal. The element is in the page. */
  start(signal: AbortSignal): void {
    this.terminal.open(this.frame);
    this.terminal.parser.registerCsiHandler({ prefix: "?", final: "h" }, (modes) => modes.every((mode) => typeof mode === "number" && MOUSE_MODES.has(mode)));
    this.terminal.attachCustomKeyEventHandler((event) => this.takeKey(event));
    const input = this.terminal.textarea;
    input?.addEventListener("compositionend", ({ data }) => this.type({ text: data }));
    input?.addEventListener("input", (event) => {
      const { data, inputType, isComposing } = event as InputEvent;
      if (inputType === "insertText" && !isComposing && data) this.type({ text: data });
      if (!isComposing) input.value = "";
    });
    this.frame.addEventListener("paste", (event) => this.paste(event), { capture: true });
    this.resized.observe(this.frame);
    this.draw();
    this.connect(signal);
    signal.addEventListener("abort", () => {
      this.resized.disconnect();
      this.terminal.dispose();
    });
  }

  private connect(signal: AbortSignal): void {
    const stream = new AbortController();
    const handlers = {
      event: (name: string, data: string) => {
        if (name !== "gone") return this.receive(name, data);
        stream.abort();
        this.lose();
        setTimeout(() => !signal.aborted && this.isLive && this.connect(signal), REOPEN_MS);
      },
      live: (isLive: boolean) => {
        this.frame.classList.toggle("stale", !isLive);
        if (!isLive) this.lose();
      },
      refused: () => undefined,
    };
    follow(`${this.options.path}terminal/events`, handlers, AbortSignal.any([signal, stream.signal]));
  }

  /** The stream has ended. The last content stays readable. */
  private lose(): void {
    this.frame.classList.add("stale");
    this.viewer = undefined;
    this.parts = [];
    this.acknowledger.reset();
    this.draw();
  }

  /** Shows which terminal drives the agent. */
  update(agent: Agent): void {
    this.driver = driverOf(agent);
    this.isLive = isLive(agent);
    this.draw();
  }

  private get isDriving(): boolean {
    return this.viewer?.driving === "this";
  }

  private draw(): void {
    const others = this.driver ?? (this.viewer?.driving === "other" ? "Another page" : undefined);
    const observes = this.options.mayType ? "You watch." : "You can only watch.";
    const watching = others === undefined ? observes : `${others} drives this agent. ${observes}`;
    const typed = this.driver === undefined ? "Your keys go to the agent." : `Your keys go to the agent. ${this.driver} types as well.`;
    setText(this.note, this.isDriving ? typed : watching);
    this.element.classList.toggle("driving", this.isDriving);
    this.take.hidden = this.isDriving;
    this.take.disabled = this.viewer === undefined;
    this.release.hidden = !this.isDriving;
    this.fitButton.hidden = !this.isDriving || this.driver !== undefined;
    const input = this.terminal.textarea;
    if (input) input.readOnly = !this.isDriving;
  }

  private request(what: string, body: object = {}): Promise<unknown> {
    return post(`${this.options.path}terminal/${what}`, { viewer: this.viewer?.id, ...body }).catch((error: unknown) =>
      this.options.report(error instanceof Error ? error.message : String(error)),
    );
  }

  private takeOver(): void {
    this.wanted = { driver: this.driver };
    void this.request("take");
    this.terminal.focus();
  }

  private stopDriving(): void {
    this.wanted = undefined;
    void this.request("release");
    this.take.focus();
  }

  /** Resizes the agent's screen so that it fills the frame at the largest font. */
  private resizeAgent(): void {
    const cell = this.cell();
    if (!cell) return;
    const scale = MAX_FONT_PX - 1 === this.terminal.options.fontSize ? 1 : (MAX_FONT_PX - 1) / (this.terminal.options.fontSize ?? 1);
    const room = this.room();
    void this.request("resize", { columns: Math.floor(room.width / (cell.width * scale)), lines: Math.floor(room.height / (cell.height * scale)) });
    this.terminal.focus();
  }

  private receive(name: string, data: string): void {
    if (name === "viewer") return this.meet(JSON.parse(data) as Viewer);
    const [number, body] = JSON.parse(data) as [number, unknown];
    const done = () => this.acknowledger.done(number, data.length);
    const part = () => {
      if (name === "output") this.terminal.write(body as string, done);
      if (name === "screen") this.fill(body as Capture, done);
      if (name === "check") this.check(body as Capture, done);
    };
    this.parts.push(part);
    this.interpret();
  }

  private interpret(): void {
    while (!this.isComparing) {
      const part = this.parts.shift();
      if (!part) return;
      part();
    }
  }

  private meet(viewer: Viewer): void {
    const wasDriving = this.isDriving;
    const isNew = this.viewer?.id !== viewer.id;
    this.viewer = viewer;
    if (wasDriving && !this.isDriving && !isNew) {
      this.wanted = undefined;
      this.typing.clear();
    }
    if (isNew && this.wanted && viewer.driving === "none" && this.wanted.driver === this.driver) void this.request("take");
    this.draw();
  }

  /** Begins anew with a capture. Everything before it is interpreted first, so that nothing old follows. */
  private fill(capture: Capture, done: () => void): void {
    this.terminal.write("", () => {
      this.terminal.reset();
      this.terminal.resize(capture.width, capture.height);
      this.fitFont();
    });
    this.terminal.write(filled(capture), done);
  }

  /** Compares the screen with a capture, and draws it again if they differ. Later parts wait for the decision. */
  private check(capture: Capture, done: () => void): void {
    this.isComparing = true;
    this.terminal.write("", () => {
      if (!shows(this.terminal, capture)) {
        const isAlternate = this.terminal.buffer.active.type === "alternate";
        if (this.terminal.cols !== capture.width || this.terminal.rows !== capture.height) {
          this.terminal.resize(capture.width, capture.height);
          this.fitFont();
        }
        this.terminal.write(redrawn(capture, isAlternate));
      }
      this.terminal.write("", done);
      this.isComparing = false;
      this.interpret();
    });
  }

  private type(input: Input): void {
    if (this.isDriving) this.typing.add(input);
  }

  /** Handles a key before xterm.js does. Returns whether xterm.js may handle it, which only composes characters. */
  private takeKey(event: KeyboardEvent): boolean {
    if (event.type !== "keydown") return false;
    const { key, ctrlKey, shiftKey, metaKey } = event;
    const copies = (ctrlKey || metaKey) && key.toLowerCase() === "c" && (this.terminal.hasSelection() || shiftKey || metaKey);
    const pastes = ((ctrlKey || metaKey) && key.toLowerCase() === "v") || (shiftKey && key === "Insert");
    if (copies || pastes) return false;
    if (shiftKey && (key === "PageUp" || key === "PageDown")) {
      this.terminal.scrollPages(key === "PageUp" ? -1 : 1);
      event.preventDefault();
      return false;
    }
    if (!this.isDriving) return false;
    if (shiftKey && key === "Escape") {
      event.preventDefault();
      this.stopDriving();
      return false;
    }
    const input = inputOf(event);
    if (input === undefined) return event.isComposing || event.keyCode === 229;
    event.preventDefault();
    this.terminal.scrollToBottom();
    this.type(input);
    return false;
  }

  private paste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    event.stopImmediatePropagation();
    if (text !== "") this.type({ paste: text.replace(/\r\n?/g, "\n") });
  }

  private cell(): { width: number; height: number } | undefined {
    const box = this.terminal.element?.querySelector(".xterm-screen")?.getBoundingClientRect();
    return box && box.width > 0 ? { width: box.width / this.terminal.cols, height: box.height / this.terminal.rows } : undefined;
  }

  /** The space for the screen, without the bar for scrolling. */
  private room(): { width: number; height: number } {
    return { width: this.frame.clientWidth - 36, height: this.frame.clientHeight - 20 };
  }

  /** Chooses the font so that the agent's screen fits. A screen that is too large for the smallest font is scrolled. */
  private fitFont(): void {
    const cell = this.cell();
    const font = this.terminal.options.fontSize ?? MAX_FONT_PX;
    if (!cell) return;
    const room = this.room();
    const scale = Math.min(room.width / (cell.width * this.terminal.cols), room.height / (cell.height * this.terminal.rows));
    const wanted = Math.max(MIN_FONT_PX, Math.min(MAX_FONT_PX, Math.floor(font * scale * 2) / 2));
    if (wanted !== font) this.terminal.options.fontSize = wanted;
  }
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(xtermCss);
document.adoptedStyleSheets.push(sheet);
