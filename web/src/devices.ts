// Banners about devices that were paired recently, so that the owner notices one that is not theirs.

import { ApiError, post, storageKey } from "./api.js";
import { announce, arrange, h } from "./dom.js";
import { clock } from "./time.js";
import type { Device } from "./types.js";

/** Key of the ids of the devices that the user has confirmed in this browser. */
const CONFIRMED = storageKey("symposium-confirmed-devices");

function confirmed(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(CONFIRMED) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id): id is string => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export class NewDevices {
  readonly element = h("div", { class: "devices" });
  private readonly banners = new Map<string, HTMLElement>();

  update(devices: Device[]): void {
    const known = confirmed();
    // Devices that are not recent any more need no entry.
    const kept = known.filter((id) => devices.some((device) => device.id === id));
    if (kept.length < known.length) localStorage.setItem(CONFIRMED, JSON.stringify(kept));
    const shown = devices.filter(({ id }) => !known.includes(id));
    for (const id of this.banners.keys()) if (!shown.some((device) => device.id === id)) this.banners.delete(id);
    const elements = shown.map((device) => {
      const banner = this.banners.get(device.id) ?? this.banner(device);
      this.banners.set(device.id, banner);
      return banner;
    });
    arrange(this.element, elements);
  }

  private banner(device: Device): HTMLElement {
    const text = device.is_admitted
      ? `New device on this page: ${device.name}, paired at ${clock(device.paired_at)}. If it is not yours, revoke it.`
      : `The device ${device.name} was written into web.json by another program. It has no access.`;
    announce(text);
    const note = h("p", { class: "note", role: "status" });
    const confirm = () => {
      localStorage.setItem(CONFIRMED, JSON.stringify([...confirmed(), device.id]));
      this.banners.delete(device.id);
      element.remove();
    };
    const revoke = h("button", { class: "deny small" }, "Revoke");
    revoke.addEventListener("click", () => {
      revoke.disabled = true;
      post(`api/devices/${encodeURIComponent(device.id)}/revoke`)
        .then(() => element.remove())
        .catch((error: unknown) => {
          revoke.disabled = false;
          note.textContent = error instanceof ApiError ? error.message : String(error);
        });
    });
    const mine = device.is_admitted && h("button", { class: "plain small", click: confirm }, "It is mine");
    const element = h("div", { class: "banner", role: "alert" }, h("p", {}, text), h("div", { class: "pair" }, mine, revoke), note);
    return element;
  }
}
