// The view of a device without access. A code in the fragment of the address is used and removed at once, so that it
// stays neither in the history nor on the screen.

import { ApiError, pair } from "./api.js";
import { h } from "./dom.js";

/** Takes the code out of the address. */
export function takeCode(): string | undefined {
  if (!location.hash.startsWith("#pair=")) return undefined;
  const code = /^#pair=([\w-]+)$/.exec(location.hash)?.[1];
  history.replaceState(null, "", location.pathname);
  return code;
}

/** Returns a name by which the owner recognizes this browser. */
function deviceName(): string {
  const agent = navigator.userAgent;
  const systems: [RegExp, string][] = [[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/Mac OS/, "Mac"], [/Windows/, "Windows"], [/Linux/, "Linux"]];
  const browsers: [RegExp, string][] = [[/Firefox|FxiOS/, "Firefox"], [/Edg/, "Edge"], [/Chrom|CriOS/, "Chrome"], [/Safari/, "Safari"]];
  const first = (known: [RegExp, string][]) => known.find(([pattern]) => pattern.test(agent))?.[1];
  return [first(browsers) ?? "browser", first(systems)].filter(Boolean).join(" on ");
}

export interface PairingOptions {
  /** The code that a link has brought. */
  code: string | undefined;
  /** Why the view is shown. */
  why: string | undefined;
  /** Whether this browser has a secret already, so that the view can be left without a new one. */
  hasAccess: boolean;
  /** Called when this browser has a secret. */
  paired(): void;
}

export function pairingView({ code, why, hasAccess, paired }: PairingOptions): HTMLElement {
  const field = h("input", { type: "text", id: "code", autocomplete: "off", autocapitalize: "none", spellcheck: "false", placeholder: "xxxxx-xxxxx-xxxxx-xxxxx" });
  const name = h("input", { type: "text", id: "device", autocomplete: "off", maxlength: "40" });
  name.value = deviceName();
  const submit = h("button", { class: "approve", type: "submit" }, "Pair this device");
  const note = h("p", { class: "note", role: "status" }, why ?? "");
  const send = async (event?: Event) => {
    event?.preventDefault();
    submit.disabled = true;
    note.className = "note";
    note.textContent = "pairing…";
    try {
      await pair(field.value, name.value);
      paired();
    } catch (error) {
      note.className = "note bad";
      note.textContent = error instanceof ApiError ? error.message : String(error);
      submit.disabled = false;
    }
  };
  if (code) {
    field.value = code;
    note.textContent = "The link has brought a code. It works once.";
  }
  const form = h("form", { submit: (event) => void send(event) }, h("label", { for: "code" }, "Code"), field, h("label", { for: "device" }, "Name of this device"), name, submit, hasAccess && h("button", { class: "plain", type: "button", click: () => paired() }, "Keep the present access"), note);
  const how = h("p", { class: "remark" }, "Run ", h("code", {}, "symposium web pair"), " in a terminal on the machine of your agents. It prints a link, a QR code and a code.");
  return h("main", { class: "pairing" }, h("h1", {}, "Symposium"), how, form);
}
