// A field for a text that is sent to an agent, with the outcome below it.

import { ApiError } from "./api.js";
import { announce, h } from "./dom.js";

export interface ComposerOptions {
  label: string;
  button: string;
  /** Sends the text and returns what is reported on success. */
  send(text: string): Promise<string>;
}

export function composer({ label, button, send }: ComposerOptions): HTMLElement {
  const field = h("textarea", { rows: "1", placeholder: label, "aria-label": label, autocapitalize: "sentences" });
  const submit = h("button", { class: "approve", type: "submit" }, button);
  const outcome = h("p", { class: "note", role: "status" });
  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight + 2, 180)}px`;
  };
  const deliver = async () => {
    const text = field.value.trim();
    if (!text || submit.disabled) return;
    submit.disabled = true;
    outcome.className = "note";
    outcome.textContent = "sending…";
    try {
      const report = await send(text);
      outcome.textContent = report;
      announce(report);
      field.value = "";
      grow();
    } catch (error) {
      const { message, details } = error instanceof ApiError ? error : { message: String(error), details: [] };
      outcome.className = "note bad";
      outcome.textContent = [message, ...details.slice(0, 2)].join(". ");
    } finally {
      submit.disabled = false;
    }
  };
  field.addEventListener("input", grow);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void deliver();
  });
  const form = h("form", { class: "composer" }, h("div", { class: "fields" }, field, submit), outcome);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void deliver();
  });
  return form;
}
