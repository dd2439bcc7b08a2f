// One agent: its question, its screen with keys and a prompt, its tasks, recap and messages.

import { isGuest, mayType } from "./access.js";
import { ApiError, follow, get, post } from "./api.js";
import { Card } from "./cards.js";
import { composer } from "./composer.js";
import { drawDiff } from "./diff.js";
import { announce, h, replace, setText } from "./dom.js";
import { isLive } from "./driver.js";
import { address, agentPath, key } from "./hosts.js";
import { KeyBar } from "./keys.js";
import { shape } from "./list.js";
import { ScreenView } from "./screen.js";
import type { TerminalView } from "./terminal/view.js";
import { age } from "./time.js";
import type { Agent, Message, Row, Screen, Task } from "./types.js";

const TABS = ["Screen", "Tasks", "Diff", "Recap", "Messages"] as const;
type Tab = (typeof TABS)[number];
/** The parts that guests may read. */
const GUEST_TABS: readonly Tab[] = ["Screen", "Recap"];
/** The parts that are not available for agents of other hosts. */
const LOCAL_TABS: readonly Tab[] = ["Diff"];
/** How long the second tap on a button that ends something is awaited. */
const SECOND_TAP_MS = 4000;

export class Detail {
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "title" });
  private readonly about = h("p", { class: "about" });
  private readonly location = h("p", { class: "place" });
  private readonly operations = h("div", { class: "operations" });
  private readonly outcome = h("p", { class: "note", role: "status" });
  private readonly question = h("div", {});
  private readonly panel = h("div", { class: "panel", role: "tabpanel", id: "panel" });
  private readonly tabs = new Map<Tab, HTMLButtonElement>();
  private readonly ageText = h("span", { class: "age" });
  private card: Card | undefined;
  private keys: KeyBar | undefined;
  private terminal: TerminalView | undefined;
  private tab: Tab = "Screen";
  private feed: AbortController | undefined;
  private agent: Agent;
  private offered: string | undefined;

  constructor(agent: Agent, row: Row, close: () => void) {
    this.agent = agent;
    const isOffered = (tab: Tab) => (!isGuest() || GUEST_TABS.includes(tab)) && !(agent.host && LOCAL_TABS.includes(tab));
    const tabs = TABS.filter(isOffered).map((tab) => {
      const button = h("button", { role: "tab", "aria-controls": "panel", click: () => this.show(tab) }, tab);
      this.tabs.set(tab, button);
      return button;
    });
    const back = h("button", { class: "back", "aria-label": "Back to the list", click: close }, "‹");
    const strip = h("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the agent" }, ...tabs);
    const top = h("header", { class: "bar" }, back, this.head, this.operations);
    this.element = h("section", { class: "detail", "aria-label": `Agent ${address(agent)}` }, top, h("div", { class: "facts" }, this.about, this.location, this.outcome), this.question, strip, this.panel);
    this.update(agent, row);
    this.show("Screen");
  }

  get key(): string {
    return key(this.agent);
  }

  update(agent: Agent, row: Row): void {
    const wasLive = isLive(this.agent);
    this.agent = agent;
    replace(this.head, shape(agent.status), h("h2", {}, address(agent)), h("span", { class: `word ${agent.status}` }, row.status), this.ageText);
    setText(this.about, row.about);
    setText(this.location, row.location);
    this.tick();
    this.offer();
    this.keys?.update(agent);
    this.terminal?.update(agent);
    const asks = agent.question !== null && !agent.isStale;
    this.element.classList.toggle("asks", asks);
    if (!asks) this.card = undefined;
    else if (this.card) this.card.update(agent, row);
    else this.card = new Card(agent, row);
    if (this.question.firstChild !== (this.card?.element ?? null)) replace(this.question, this.card?.element);
    if (!wasLive && isLive(agent) && this.tab === "Screen") this.show("Screen");
  }

  tick(): void {
    setText(this.ageText, age(this.agent.status_since));
    this.card?.tick();
  }

  close(): void {
    this.feed?.abort();
  }

  private path(rest: string): string {
    return agentPath(this.agent, rest);
  }

  /** Shows the operations that the status permits. */
  private offer(): void {
    const runs = isLive(this.agent);
    const names = runs ? (this.agent.status === "working" ? ["Interrupt", "Stop"] : ["Stop"]) : ["Resume"];
    if (isGuest()) names.splice(0, names.length, ...names.filter((name) => name === "Interrupt" && mayType()));
    if (this.offered === names.join()) return;
    this.offered = names.join();
    const operations: Record<string, () => HTMLElement> = {
      Interrupt: () => this.operation("Interrupt", "interrupt", "was interrupted"),
      Stop: () => this.operation("Stop", "stop", "was stopped", "Tap again to stop"),
      Resume: () => this.operation("Resume", "resume", "was resumed"),
    };
    replace(this.operations, ...names.map((name) => operations[name]?.()));
  }

  private operation(label: string, path: string, done: string, second?: string): HTMLElement {
    let isArmed = second === undefined;
    const button = h("button", { class: second ? "deny small" : "plain small" }, label);
    button.addEventListener("click", () => {
      if (!isArmed) {
        isArmed = true;
        button.textContent = second ?? label;
        button.classList.add("armed");
        setTimeout(() => {
          isArmed = false;
          button.textContent = label;
          button.classList.remove("armed");
        }, SECOND_TAP_MS);
        return;
      }
      button.disabled = true;
      this.report(`${label.toLowerCase()}…`);
      post(this.path(path))
        .then(() => this.report(`${this.agent.name} ${done}`))
        .catch((error: unknown) => this.report(message(error), true))
        .finally(() => (button.disabled = false));
    });
    return button;
  }

  private report(text: string, isFailure = false): void {
    this.outcome.className = isFailure ? "note bad" : "note";
    this.outcome.textContent = text;
    announce(text);
  }

  private show(tab: Tab): void {
    this.tab = tab;
    this.feed?.abort();
    this.keys = undefined;
    this.terminal = undefined;
    for (const [known, button] of this.tabs) button.setAttribute("aria-selected", String(known === tab));
    const views: Record<Tab, () => void> = {
      Screen: () => this.showScreen(),
      Tasks: () => this.showTasks(),
      Diff: () => this.showDiff(),
      Recap: () => this.showRecap(),
      Messages: () => this.showMessages(),
    };
    views[tab]();
  }

  private showScreen(): void {
    const prompt = composer({
      label: `Prompt for ${this.agent.name}`,
      button: "Send",
      send: async (text) => {
        const { confirmed_by } = await post<{ confirmed_by: string }>(this.path("prompt"), { text });
        return `delivered: ${confirmed_by}`;
      },
    });
    this.feed = new AbortController();
    const { signal } = this.feed;
    // Touch devices select and scroll real text better than an emulator. Agents of other hosts have no terminal.
    const hasTerminal = matchMedia("(pointer: fine)").matches && !this.agent.host;
    if (!hasTerminal || !isLive(this.agent)) return this.showText(prompt, signal);
    replace(this.panel, h("div", { class: "terminal" }));
    // The terminal is a bundle of its own, so that phones do not load it.
    const bundle = import(new URL("terminal.js", document.baseURI).href) as Promise<typeof import("./terminal/view.js")>;
    bundle.then(
      ({ TerminalView }) => !signal.aborted && this.showTerminal(TerminalView, prompt, signal),
      () => !signal.aborted && this.showText(prompt, signal),
    );
  }

  private showTerminal(View: typeof TerminalView, prompt: HTMLElement, signal: AbortSignal): void {
    const { agent } = this;
    this.terminal = new View({ agent, path: this.path(""), mayType: mayType(), report: (text) => this.report(text, true) });
    replace(this.panel, this.terminal.element, mayType() && prompt);
    this.terminal.start(signal);
  }

  private showText(prompt: HTMLElement, signal: AbortSignal): void {
    const screen = new ScreenView();
    if (mayType()) {
      this.keys = new KeyBar(this.agent, (text) => this.report(text, true));
      this.keys.update(this.agent);
      replace(this.panel, screen.element, this.keys.element, prompt);
    } else {
      replace(this.panel, screen.element);
    }
    const handlers = {
      event: (name: string, data: string) => {
        if (name === "screen") screen.update(JSON.parse(data) as Screen);
        if (name === "gone") screen.gone(data);
      },
      live: (isLive: boolean) => screen.element.classList.toggle("stale", !isLive),
      refused: () => undefined,
    };
    if (isLive(this.agent)) follow(this.path("screen/events"), handlers, signal);
    else screen.gone(`${this.agent.name} is not running. Its recap tells what happened.`);
  }

  private showTasks(): void {
    const list = h("ul", { class: "entries" });
    const load = async () => {
      const tasks = await get<Task[]>(this.path("tasks"));
      replace(list, ...tasks.map((task) => this.task(task, load)), tasks.length === 0 && h("li", { class: "empty" }, "no tasks"));
    };
    const add = composer({
      label: `Task for ${this.agent.name}`,
      button: "Add",
      send: async (text) => {
        const { task } = await post<{ task: Task }>(this.path("tasks"), { text });
        void load();
        return `task ${task.id} is on the queue`;
      },
    });
    replace(this.panel, list, add);
    load().catch((error: unknown) => replace(list, h("li", { class: "empty" }, message(error))));
  }

  private task(task: Task, reload: () => Promise<void>): HTMLElement {
    const isOpen = ["queued", "dispatched", "running", "failed"].includes(task.state);
    const cancel = () => {
      post(this.agent.host ? this.path(`tasks/${task.id}/cancel`) : `api/tasks/${task.id}/cancel`)
        .then(reload)
        .catch((error: unknown) => this.report(message(error), true));
    };
    const progress = task.progress && h("p", { class: "remark" }, `${task.progress.percent}% ${task.progress.note}`);
    const head = h("div", { class: "head" }, h("span", { class: "name" }, `#${task.id}`), h("span", { class: `word ${task.status}` }, task.status), h("span", { class: "age" }, age(task.changed_at)));
    return h(
      "li",
      {},
      head,
      h("p", { class: "text" }, task.text),
      progress,
      task.waits_for && h("p", { class: "remark" }, task.waits_for),
      task.result && h("p", { class: "text result" }, task.result),
      isOpen && h("button", { class: "plain small", "aria-label": `Cancel task ${task.id}`, click: cancel }, "Cancel"),
    );
  }

  private showDiff(): void {
    const view = h("div", { class: "diff" }, h("p", { class: "remark" }, "comparing…"));
    const refresh = h("button", { class: "plain small" }, "Compare again");
    const load = () => drawDiff(view, this.path("diff")).catch((error: unknown) => replace(view, h("p", { class: "remark" }, message(error))));
    refresh.addEventListener("click", () => void load());
    replace(this.panel, view, h("div", { class: "actions bottom" }, refresh));
    void load();
  }

  private showRecap(): void {
    const text = h("pre", { class: "recap", tabindex: "0" }, "reading…");
    replace(this.panel, text);
    get<{ text: string }>(this.path("recap"))
      .then((recap) => setText(text, recap.text))
      .catch((error: unknown) => setText(text, message(error)));
  }

  private showMessages(): void {
    const list = h("ul", { class: "entries" });
    const load = async () => {
      const messages = await get<Message[]>(this.path("messages"));
      const entries = messages.map((entry) =>
        h("li", {}, h("div", { class: "head" }, h("span", { class: "name" }, `${entry.from} → ${entry.to ?? "person"}`), h("span", { class: "word" }, entry.state), h("span", { class: "age" }, age(entry.at))), h("p", { class: "text" }, entry.text)),
      );
      replace(list, ...entries, entries.length === 0 && h("li", { class: "empty" }, "no messages"));
    };
    const write = composer({
      label: `Message for ${this.agent.name}`,
      button: "Send",
      send: async (text) => {
        await post(this.path("messages"), { text });
        void load();
        return `sent to ${this.agent.name}`;
      },
    });
    replace(this.panel, list, write);
    load().catch((error: unknown) => replace(list, h("li", { class: "empty" }, message(error))));
  }
}

function message(error: unknown): string {
  return error instanceof ApiError ? [error.message, ...error.details.slice(0, 1)].join(". ") : String(error);
}
