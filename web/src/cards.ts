// Cards for what needs an answer. A card is bound to the id of its question: a tap can never reach a newer one, and the
// card says "taken" only after the server has confirmed that the agent accepted the answer.

import { mayType } from "./access.js";
import { ApiError, post } from "./api.js";
import { type Caution, cautionFor } from "./danger.js";
import { type Child, announce, h, setText } from "./dom.js";
import { address, agentPath } from "./hosts.js";
import { age } from "./time.js";
import type { Agent, Question, Row } from "./types.js";

/** How long a question that has replaced another one is shown before it can be answered. */
const READING_MS = 600;
/** How long the second tap on a dangerous command is awaited. */
const SECOND_TAP_MS = 5000;
/** Time between the two taps, so that a double tap is not both of them. */
const MIN_TAP_GAP_MS = 500;

type Answer = { answer: "approve" | "deny" } | { answer: "option"; text: string };

/** Answers by the id of their question; shared by the card in the list and the one in the detail view. */
const given = new Map<string, { label: string; isTaken: boolean }>();

export class Card {
  readonly element: HTMLElement;
  private readonly ageText = h("span", { class: "age" });
  private readonly place = h("div", { class: "place" });
  private readonly status = h("span", { class: "word" });
  private readonly body = h("div", { class: "asked" });
  private readonly actions = h("div", { class: "actions" });
  private readonly note = h("p", { class: "note", role: "status" });
  private drawn = "";
  private agent: Agent;

  constructor(agent: Agent, row: Row, open?: () => void) {
    this.agent = agent;
    const name = open
      ? h("button", { class: "name link", click: open, "aria-label": `Open ${address(agent)}` }, address(agent))
      : h("span", { class: "name" }, address(agent));
    const head = h("header", {}, h("h3", {}, name), this.status, this.ageText);
    this.element = h("article", { class: "card", "aria-label": `${address(agent)} needs an answer` }, head, this.place, this.body, this.actions, this.note);
    this.update(agent, row);
  }

  update(agent: Agent, row: Row): void {
    this.agent = agent;
    setText(this.status, row.status);
    setText(this.place, row.location);
    this.tick();
    const { question } = agent;
    if (!question) return;
    const state = given.get(this.id(question));
    const key = JSON.stringify([question, agent.waiting_for, state]);
    if (key === this.drawn) return;
    const hasReplaced = this.drawn !== "" && !this.drawn.includes(question.id);
    this.drawn = key;
    this.draw(question, hasReplaced);
  }

  /** Returns what identifies a question among those of all hosts. */
  private id(question: Question): string {
    return `${this.agent.host ?? ""} ${question.id}`;
  }

  /** Updates the age. */
  tick(): void {
    setText(this.ageText, age(this.agent.status_since));
  }

  private draw(question: Question, hasReplaced: boolean): void {
    const remarks: Record<Question["extent"], string | null> = {
      whole: null,
      cut: "The question is longer than what is kept. Open the screen to read all of it.",
      brief: "Only this line is known. Open the screen to read the dialog.",
    };
    const remark = remarks[question.extent];
    const caution = cautionFor(question);
    this.body.replaceChildren(h("pre", {}, question.text));
    if (caution) this.body.append(h("p", { class: "harm" }, caution.remark));
    if (remark) this.body.append(h("p", { class: "remark" }, remark));
    const state = given.get(this.id(question));
    this.element.classList.toggle("taken", state?.isTaken === true);
    if (state) {
      this.actions.replaceChildren(h("p", { class: "given" }, state.isTaken ? `✓ taken: ${state.label}` : `${state.label}…`));
      return;
    }
    if (!mayType()) {
      this.actions.replaceChildren(h("p", { class: "remark" }, "This device may watch only."));
      return;
    }
    this.actions.replaceChildren(...this.buttons(question, caution).filter((child) => child instanceof Node));
    if (hasReplaced) {
      this.note.textContent = "The question has changed.";
      this.hold();
    }
  }

  /** Ignores taps for a moment, because they may have been meant for the question before. */
  private hold(): void {
    const buttons = [...this.actions.querySelectorAll<HTMLButtonElement>("button")];
    for (const button of buttons) button.disabled = true;
    setTimeout(() => buttons.forEach((button) => (button.disabled = false)), READING_MS);
  }

  private buttons(question: Question, caution: Caution | undefined): Child[] {
    const options = question.options ?? [];
    if (this.agent.waiting_for === "approval") {
      const deny = h("button", { class: "deny", click: () => void this.give(question, { answer: "deny" }, "denied") }, "Deny");
      const approve = this.careful("Approve", "approve", caution, () => this.give(question, { answer: "approve" }, "approved"));
      const choices = options.length > 0 && h("details", {}, h("summary", {}, `${options.length} options of the dialog`), this.choices(question, caution));
      return [h("div", { class: "pair" }, deny, approve), choices];
    }
    if (options.length > 0) return [this.choices(question, caution)];
    const field = h("input", { type: "text", "aria-label": `Answer for ${this.agent.name}`, placeholder: "Answer", autocomplete: "off" });
    const submit = (event: Event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text) void this.give(question, { answer: "option", text }, `answered ${text}`);
    };
    return [h("form", { class: "reply", submit }, field, h("button", { class: "approve", type: "submit" }, "Answer"))];
  }

  private choices(question: Question, caution: Caution | undefined): HTMLElement {
    const buttons = question.options?.map((option, at) => {
      const number = /^(\d+)[.)]/.exec(option)?.[1] ?? String(at + 1);
      const label = /^\d/.test(option) ? option : `${number}. ${option}`;
      const give = () => this.give(question, { answer: "option", text: number }, option);
      return this.careful(label, "choice", /^\D*\d*\W*no\b/i.test(option) ? undefined : caution, give);
    });
    return h("div", { class: "choices" }, ...(buttons ?? []));
  }

  /** Returns a button that needs two taps if there is a reason for caution. */
  private careful(label: string, kind: string, caution: Caution | undefined, act: () => Promise<void>): HTMLButtonElement {
    let armedAt = 0;
    const button = h("button", { class: kind }, label);
    button.addEventListener("click", () => {
      const now = Date.now();
      if (!caution || (armedAt > 0 && now - armedAt > MIN_TAP_GAP_MS)) return void act();
      if (armedAt > 0) return;
      armedAt = now;
      button.textContent = caution.second;
      button.classList.add("armed");
      announce(`${caution.remark} Press again to confirm.`);
      setTimeout(() => {
        armedAt = 0;
        button.textContent = label;
        button.classList.remove("armed");
      }, SECOND_TAP_MS);
    });
    return button;
  }

  private async give(question: Question, answer: Answer, label: string): Promise<void> {
    const id = this.id(question);
    if (given.has(id)) return;
    const show = (state: { label: string; isTaken: boolean } | undefined) => {
      if (state) given.set(id, state);
      else given.delete(id);
      if (this.agent.question?.id === question.id) this.draw(question, false);
    };
    this.note.textContent = "";
    show({ label, isTaken: false });
    try {
      await post(agentPath(this.agent, "answer"), { question: question.id, ...answer });
      show({ label, isTaken: true });
      announce(`${this.agent.name}: ${label}, taken`);
    } catch (error) {
      show(undefined);
      const { message, details } = error instanceof ApiError ? error : { message: String(error), details: [] };
      this.note.textContent = [`Not taken: ${message}`, ...details.slice(0, 1)].join(". ");
    }
  }
}
