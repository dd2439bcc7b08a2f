// The page: the stream of agents, cards for what needs an answer, the list, and one agent in detail.

import { isGuest, limits, setAccess } from "./access.js";
import { follow, forgetKey, hasKey } from "./api.js";
import { Card } from "./cards.js";
import { Detail } from "./detail.js";
import { NewDevices } from "./devices.js";
import { arrange, h, replace, setText } from "./dom.js";
import { address, key, remotePairs, silences } from "./hosts.js";
import { AgentRow, shape } from "./list.js";
import { pairingView, takeCode } from "./pairing.js";
import { SpawnForm } from "./spawn.js";
import type { Agent, Device, HostListing, Listing, Row } from "./types.js";

/** Time between two updates of the ages. */
const TICK_MS = 10_000;
const ENDED = ["exited", "stopped"];
/** The counters of the dashboard's header, with the status whose shape they have. */
const COUNTERS: [string, string, (agent: Agent) => boolean][] = [
  ["need you", "waiting", asks],
  ["working", "working", (agent) => agent.status === "working"],
  ["crashed", "crashed", (agent) => agent.status === "crashed"],
  ["lost", "lost", (agent) => agent.status === "lost"],
  ["idle", "idle", (agent) => agent.status === "idle"],
];

/** Checks whether an agent can be answered now. */
function asks(agent: Agent): boolean {
  return agent.question !== null && !agent.isStale;
}

class App {
  private readonly connection = h("span", { class: "connection", role: "status" }, "connecting…");
  private readonly counts = h("span", { class: "counts", role: "img" });
  private readonly devices = new NewDevices();
  private readonly silence = h("p", { class: "banner", role: "alert", hidden: true });
  private readonly create = h("button", { class: "plain small", click: () => (location.hash = "new") }, "New agent");
  private readonly limits = h("p", { class: "limits", hidden: true });
  private readonly cardList = h("div", { class: "cards" });
  private readonly needs = h("section", { "aria-label": "Needs an answer", hidden: true }, this.cardList);
  private readonly list = h("ul", { class: "list" });
  private readonly empty = h("p", { class: "empty" }, "reading agents…");
  private readonly ended = h("button", { class: "plain more", hidden: true });
  private readonly side = h("div", { class: "side" });
  private readonly main = h("main", { class: "content" });
  private readonly root = h("div", { class: "app" }, this.side, this.main);
  private readonly cards = new Map<string, Card>();
  private readonly rows = new Map<string, AgentRow>();
  private listing: Listing | undefined;
  private hosts: HostListing[] = [];
  private detail: Detail | undefined;
  private spawnForm: SpawnForm | undefined;
  private showsEnded = false;
  private feed: AbortController | undefined;

  constructor() {
    const bar = h("header", { class: "bar top" }, h("h1", {}, "Symposium"), this.counts, this.connection, this.create);
    this.ended.addEventListener("click", () => {
      this.showsEnded = !this.showsEnded;
      this.draw();
    });
    this.side.append(bar, this.limits, this.silence, this.devices.element, this.needs, h("nav", { "aria-label": "Agents" }, this.list, this.empty, this.ended));
    addEventListener("hashchange", () => {
      if (!location.hash.startsWith("#pair=")) return this.draw();
      this.feed?.abort();
      askForCode();
    });
    setInterval(() => document.visibilityState === "visible" && this.tick(), TICK_MS);
    document.addEventListener("visibilitychange", () => this.tick());
  }

  start(): void {
    replace(document.body, this.root);
    this.feed?.abort();
    this.feed = new AbortController();
    const handlers = {
      event: (name: string, data: string) => {
        if (name === "devices") this.devices.update(JSON.parse(data) as Device[]);
        if (name === "hosts") this.hosts = JSON.parse(data) as HostListing[];
        else if (name === "agents") this.listing = JSON.parse(data) as Listing;
        else return;
        setAccess(this.listing?.access);
        this.draw();
      },
      live: (isLive: boolean) => {
        this.connection.className = isLive ? "connection live" : "connection lost";
        setText(this.connection, isLive ? "live" : "offline, trying again…");
        this.root.classList.toggle("offline", !isLive);
      },
      refused: () => {
        this.feed?.abort();
        forgetKey();
        this.listing = undefined;
        this.hosts = [];
        this.draw();
        askForCode("This device has no access. It was revoked, has expired, or was never paired.");
      },
    };
    follow("api/events", handlers, this.feed.signal);
  }

  private selected(): string | undefined {
    const name = /^#agent=(.+)$/.exec(location.hash)?.[1];
    try {
      return name === undefined ? undefined : decodeURIComponent(name);
    } catch {
      // The address was cut or typed wrongly; no agent is selected.
      return undefined;
    }
  }

  private open(name: string): void {
    location.hash = `agent=${encodeURIComponent(name)}`;
  }

  private tick(): void {
    for (const card of this.cards.values()) card.tick();
    for (const row of this.rows.values()) row.tick();
    this.detail?.tick();
  }

  private draw(): void {
    const local = (this.listing?.agents ?? []).map((agent, at): [Agent, Row] => [agent, this.listing?.rows[at] ?? { status: agent.status, about: "", location: "" }]);
    const pairs = [...local, ...remotePairs(this.hosts)];
    const agents = pairs.map(([agent]) => agent);
    const silence = [this.listing?.silence ?? [], silences(this.hosts)].flat().join(". ");
    this.create.hidden = isGuest();
    this.limits.hidden = !isGuest();
    setText(this.limits, limits());
    this.silence.hidden = silence === "";
    setText(this.silence, silence);
    this.drawCards(pairs.filter(([agent]) => asks(agent)));
    this.drawList(pairs);
    this.drawDetail(pairs);
    const waiting = agents.filter(asks).length;
    const counters = COUNTERS.map(([word, status, isMeant]) => ({ word, status, count: agents.filter(isMeant).length })).filter(({ count }) => count > 0);
    this.counts.setAttribute("aria-label", counters.map(({ word, count }) => `${count} ${word}`).join(", ") || "all quiet");
    replace(this.counts, ...counters.map(({ word, status, count }) => h("span", { class: `counter ${status}`, title: `${count} ${word}` }, shape(status), String(count))));
    document.title = waiting > 0 ? `(${waiting}) Symposium` : "Symposium";
  }

  private drawCards(asking: [Agent, Row][]): void {
    this.needs.hidden = asking.length === 0;
    const elements = asking.map(([agent, row]) => {
      const known = this.cards.get(key(agent));
      if (known) {
        known.update(agent, row);
        return known.element;
      }
      const card = new Card(agent, row, () => this.open(address(agent)));
      this.cards.set(key(agent), card);
      return card.element;
    });
    for (const known of this.cards.keys()) if (!asking.some(([agent]) => key(agent) === known)) this.cards.delete(known);
    arrange(this.cardList, elements);
  }

  private drawList(pairs: [Agent, Row][]): void {
    const name = this.selected();
    const isShown = (agent: Agent) => this.showsEnded || !ENDED.includes(agent.status) || address(agent) === name;
    const shown = pairs.filter(([agent]) => isShown(agent));
    const elements = shown.map(([agent, row]) => {
      const known = this.rows.get(key(agent)) ?? new AgentRow(address(agent), () => this.open(address(agent)));
      this.rows.set(key(agent), known);
      known.update(agent, row, address(agent) === name);
      return known.element;
    });
    for (const known of this.rows.keys()) if (!pairs.some(([agent]) => key(agent) === known)) this.rows.delete(known);
    arrange(this.list, elements);
    this.empty.hidden = shown.length > 0;
    if (this.listing) setText(this.empty, pairs.length === 0 ? "no agents yet" : "no agent is running");
    const ended = pairs.filter(([agent]) => ENDED.includes(agent.status)).length;
    this.ended.hidden = ended === 0;
    setText(this.ended, this.showsEnded ? "hide ended agents" : `${ended} more ended`);
  }

  private drawDetail(pairs: [Agent, Row][]): void {
    const name = this.selected();
    const found = pairs.find(([agent]) => address(agent) === name);
    if (this.detail && (!found || key(found[0]) !== this.detail.key)) {
      this.detail.close();
      this.detail = undefined;
    }
    const isNew = location.hash === "#new" && !isGuest() && this.listing !== undefined;
    this.root.classList.toggle("open", found !== undefined || isNew);
    if (isNew) return this.drawSpawnForm(pairs);
    this.spawnForm = undefined;
    if (!found) {
      if (!this.main.querySelector(".hint")) replace(this.main, h("p", { class: "hint" }, "Choose an agent."));
      return;
    }
    const [agent, row] = found;
    if (this.detail) return this.detail.update(agent, row);
    this.detail = new Detail(agent, row, () => this.close());
    replace(this.main, this.detail.element);
  }

  private drawSpawnForm(pairs: [Agent, Row][]): void {
    if (this.spawnForm) return;
    const directories = [...new Set(pairs.filter(([agent]) => !agent.host).map(([agent]) => agent.project ?? agent.working_directory))];
    this.spawnForm = new SpawnForm(directories, (name) => this.open(name), () => this.close());
    replace(this.main, this.spawnForm.element);
  }

  /** Shows the list again. */
  private close(): void {
    history.replaceState(null, "", location.pathname);
    this.draw();
  }
}

/** Returns what identifies the card and the row of an agent. Another host could use any id. */

const app = new App();

function askForCode(why?: string): void {
  replace(document.body, pairingView({ code: takeCode(), why, paired: () => app.start(), hasAccess: hasKey() }));
}

if (hasKey() && !location.hash.startsWith("#pair=")) app.start();
else askForCode();
if ("serviceWorker" in navigator) navigator.serviceWorker.register("worker.js").catch(() => undefined);
