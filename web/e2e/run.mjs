// The page in Debian's Chromium, on a desktop and on a phone, against demo agents on real tmux. Pictures of each view
// are kept in target/web. Run by `scripts/web --test`.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { chromium, devices } from "playwright-core";
import { reachTests } from "./reach.mjs";
import { Rig } from "./rig.mjs";
import { securityTests } from "./security.mjs";
import { terminalTests } from "./terminal.mjs";

const pictures = resolve(import.meta.dirname, "../../target/web");
mkdirSync(pictures, { recursive: true });
const axe = readFileSync(join(import.meta.dirname, "../node_modules/axe-core/axe.min.js"), "utf8");
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--ignore-certificate-errors", "--host-resolver-rules=MAP evil.example 127.0.0.1"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
const phone = { ...devices["iPhone 13"], viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, defaultBrowserType: undefined };
const desktop = { viewport: { width: 1280, height: 800 } };

/** Fails if axe finds a serious fault. */
async function accessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any.map(({ message }) => message)])]), [], what);
}

async function picture(page, name) {
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

async function paired(rig, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (entry) => entry.type() === "error" && !entry.text().includes("Failed to load resource") && !entry.text().includes("ERR_CONNECTION") && problems.push(entry.text()));
  await page.goto(rig.pairingLink());
  await page.getByRole("button", { name: "Pair this device" }).click();
  await page.getByText("live", { exact: true }).waitFor();
  assert.equal(new URL(page.url()).hash, "", "the code is not in the address any more");
  return { context, page, problems };
}

const tests = {
  async "answers a question on a phone, and says taken only when the agent took it"(rig) {
    const { page, problems, context } = await paired(rig, { ...phone, colorScheme: "dark" });
    const card = page.getByRole("article", { name: "api-fix needs an answer" });
    await card.waitFor();
    await picture(page, "phone-dark");
    await accessible(page, "list on a phone");
    for (const name of ["Deny", "Approve"]) {
      const box = await card.getByRole("button", { name, exact: true }).boundingBox();
      assert.ok(box.height >= 44 && box.width >= 44, `${name}: ${JSON.stringify(box)}`);
    }
    const [deny, approve] = await Promise.all(["Deny", "Approve"].map((name) => card.getByRole("button", { name, exact: true }).boundingBox()));
    assert.ok(approve.x - (deny.x + deny.width) >= 16, "the buttons are apart");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
    await card.getByRole("button", { name: "Approve", exact: true }).tap();
    rig.waitFor("api-fix", "idle");
    await card.waitFor({ state: "detached" });
    assert.deepEqual(problems, []);
    await context.close();
  },

  async "asks twice before a dangerous command is approved"(rig) {
    rig.spawnAgent("cleaner", "/ask rm -rf build && git push --force", "waiting");
    const { page, context } = await paired(rig, { ...phone, colorScheme: "light" });
    const card = page.getByRole("article", { name: "cleaner needs an answer" });
    await card.getByText("This deletes files. Approving needs two taps.").waitFor();
    await picture(page, "phone-light-danger");
    await accessible(page, "light theme");
    await card.getByRole("button", { name: "Approve", exact: true }).tap();
    const second = card.getByRole("button", { name: "Tap again: it deletes files" });
    await second.waitFor();
    const asks = JSON.parse(rig.run("agent", "show", "cleaner", "--json"));
    assert.equal(asks.status, "waiting", "one tap is not enough");
    await page.waitForFunction((at) => Date.now() - at > 600, Date.now());
    await second.tap();
    rig.waitFor("cleaner", "idle");
    await context.close();
  },

  async "shows an agent with its screen, sends a prompt and presses keys"(rig) {
    const { page, problems, context } = await paired(rig, { ...phone, colorScheme: "dark" });
    await page.getByRole("button", { name: /^docs/ }).tap();
    const screen = page.getByRole("log", { name: "Screen of the agent" });
    await screen.getByText("demo").first().waitFor();
    await page.getByRole("textbox", { name: "Prompt for docs" }).fill("say <b>hello</b> & goodbye");
    await page.getByRole("button", { name: "Send" }).tap();
    await page.getByText(/^delivered: /).first().waitFor();
    await screen.getByText("<b>hello</b> & goodbye").first().waitFor();
    assert.equal(await screen.locator("b").count(), 0, "text of an agent never becomes markup");
    await picture(page, "phone-agent");
    await accessible(page, "detail on a phone");
    await page.getByRole("tab", { name: "Tasks" }).tap();
    await page.getByRole("textbox", { name: "Task for docs" }).fill("write the guide");
    await page.getByRole("button", { name: "Add" }).tap();
    await page.getByText("write the guide").waitFor();
    await picture(page, "phone-tasks");
    await page.getByRole("tab", { name: "Recap" }).tap();
    await page.getByText(/^docs: /).waitFor();
    await page.getByRole("tab", { name: "Messages" }).tap();
    await page.getByText("no messages").waitFor();
    await page.getByRole("button", { name: "Back to the list" }).tap();
    assert.deepEqual(problems, []);
    await context.close();
  },

  async "starts an agent after it has shown what will run"(rig) {
    const { page, problems, context } = await paired(rig, { ...phone, colorScheme: "dark" });
    await page.getByRole("button", { name: "New agent" }).tap();
    await page.getByLabel("Directory").fill("~/shop");
    const kinds = page.getByLabel("Spec or kind");
    await kinds.locator("option", { hasText: /^demo$/ }).waitFor({ state: "attached" });
    await kinds.selectOption("demo");
    await page.getByLabel("Task").fill("say <i>hello</i>");
    await page.getByLabel("Name").fill("made-here");
    await picture(page, "phone-spawn");
    await accessible(page, "form for an agent");
    await page.getByRole("button", { name: "Show what will run" }).tap();
    await page.getByText("This will run").waitFor();
    await page.getByText("<i>hello</i>").waitFor();
    await picture(page, "phone-spawn-confirm");
    await accessible(page, "confirmation");
    assert.ok(!JSON.parse(rig.run("agent", "list", "--json")).some(({ name }) => name === "made-here"), "nothing was started yet");
    await page.getByRole("button", { name: "Start this agent" }).tap();
    await page.getByRole("heading", { name: "made-here" }).waitFor();
    rig.waitFor("made-here", "idle");
    assert.deepEqual(problems, []);
    await context.close();
  },

  async "shows the changes of an agent as text"(rig) {
    rig.write("page.html", "<img src=x onerror=alert(1)>\n");
    const { page, problems, context } = await paired(rig, { ...phone, colorScheme: "dark" });
    await page.getByRole("button", { name: /^docs/ }).tap();
    await page.getByRole("tab", { name: "Diff" }).tap();
    const lines = await page.getByRole("tab").evaluateAll((tabs) =>
      tabs.map((tab) => {
        const text = document.createRange();
        text.selectNodeContents(tab);
        return text.getClientRects().length;
      }),
    );
    assert.deepEqual(lines, [1, 1, 1, 1, 1], "no label of a tab is broken into lines");
    const patch = page.getByRole("group", { name: "Changes of page.html" });
    await patch.getByText("+<img src=x onerror=alert(1)>").waitFor();
    assert.equal(await patch.locator("img").count(), 0, "text of a file never becomes markup");
    await picture(page, "phone-diff");
    await accessible(page, "diff on a phone");
    assert.deepEqual(problems, []);
    await context.close();
  },

  async "shows a guest one agent without buttons, until the access ends"(rig) {
    const { url, id } = rig.inTerminal("web link import --read-only --for 2h");
    const context = await browser.newContext({ ...phone, colorScheme: "dark" });
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole("button", { name: "Pair this device" }).click();
    await page.getByText(/^Read-only access until /).waitFor();
    assert.equal(await page.getByRole("listitem").count(), 1, "only one agent is listed");
    assert.equal(await page.getByRole("button", { name: "New agent" }).count(), 0);
    await page.getByRole("button", { name: /import/ }).tap();
    await page.getByRole("log").getByText("demo").first().waitFor();
    assert.equal(await page.getByRole("textbox").count(), 0, "nothing can be typed");
    assert.deepEqual(await page.getByRole("tab").allTextContents(), ["Screen", "Recap"]);
    assert.equal(await page.getByRole("button", { name: /Stop|Interrupt|Esc/ }).count(), 0);
    await picture(page, "phone-guest");
    await accessible(page, "page of a guest");
    rig.run("web", "revoke", id);
    await page.getByText("This device has no access.").waitFor();
    await context.close();
  },

  async "shows list and agent side by side on a desktop"(rig) {
    rig.spawnAgent("lint", "/ask cargo clippy --fix --allow-dirty", "waiting");
    for (const colorScheme of ["dark", "light"]) {
      const { page, context } = await paired(rig, { ...desktop, colorScheme });
      await page.getByRole("button", { name: /^●?\s*import/ }).click();
      await page.getByRole("log").getByText("demo").first().waitFor();
      await picture(page, `desktop-${colorScheme}`);
      await accessible(page, `desktop ${colorScheme}`);
      await context.close();
    }
  },

  async "connects again after the server was restarted, and keeps its access"(rig) {
    const { page, context } = await paired(rig, desktop);
    const port = new URL(rig.url).port;
    await rig.stopServer();
    await page.getByText("offline, trying again…").waitFor();
    await rig.serve(`127.0.0.1:${port}`);
    await page.getByText("live", { exact: true }).waitFor();
    await context.close();
  },

  async "opens without a connection"(rig) {
    const { page, context } = await paired(rig, { ...phone, colorScheme: "dark" });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await page.reload();
    await page.getByText("live", { exact: true }).waitFor();
    await context.setOffline(true);
    await page.reload();
    await page.getByRole("heading", { name: "Symposium" }).waitFor();
    await page.getByText(/offline/).waitFor();
    await picture(page, "phone-offline");
    await context.close();
  },

  async "loses its access at once when the device is revoked"(rig) {
    const { page, context } = await paired(rig, desktop);
    rig.run("web", "revoke", "--all");
    await page.getByText("This device has no access.").waitFor();
    await picture(page, "desktop-pairing");
    await accessible(page, "pairing");
    await context.close();
  },

  async "refuses requests of pages of other sites and ports"(rig) {
    const { page, context } = await paired(rig, desktop);
    const key = await page.evaluate(() => localStorage.getItem("symposium-key"));
    let cookies = "";
    const other = createServer((request, response) => {
      cookies ||= request.headers.cookie ?? "";
      response.setHeader("content-type", "text/html").end("<!doctype html><title>other</title>");
    });
    await new Promise((done) => other.listen(0, "127.0.0.1", done));
    const foreign = await context.newPage();
    const { port } = other.address();
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      await foreign.goto(`http://${host}/`);
      const outcome = await foreign.evaluate(
        async ([url, key]) => {
          const attempt = async (path, init) => fetch(url + path, { credentials: "include", ...init }).then((response) => response.status, () => "blocked");
          const socket = await new Promise((done) => {
            const tried = new WebSocket(`${url.replace("http", "ws")}api/events`);
            tried.onopen = () => done("open");
            tried.onerror = () => done("refused");
          });
          return [
            await attempt("api/agents", { headers: { "x-symposium-key": key } }),
            await attempt("api/agents", {}),
            await attempt("api/agents/docs/stop", { method: "POST", body: "{}" }),
            await attempt("api/agents/docs/stop", { method: "POST", mode: "no-cors", body: "{}" }),
            socket,
          ];
        },
        [rig.url, key],
      );
      assert.deepEqual([...outcome.slice(0, 3), outcome[4]], ["blocked", "blocked", "blocked", "refused"]);
    }
    assert.equal(JSON.parse(rig.run("agent", "show", "docs", "--json")).status, "idle", "nothing was stopped");
    // The cookie is sent to other ports of the host, which is why it is only half of the secret.
    assert.match(cookies, /symposium-device-\d+=/);
    await foreign.goto(`http://127.0.0.1:${port}/`);
    const framed = await foreign.evaluate(async (url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
      await new Promise((done) => (frame.onload = done));
      try {
        return frame.contentDocument?.title ?? "closed";
      } catch {
        return "closed";
      }
    }, rig.url);
    assert.equal(framed, "closed");
    other.close();
    await context.close();
  },
};

Object.assign(tests, reachTests({ paired, picture, phone, desktop }));
Object.assign(tests, securityTests({ paired, accessible, picture, phone, desktop, browser }));
Object.assign(tests, terminalTests({ paired, accessible, picture, desktop }));
const wanted = process.argv[2];
const rig = new Rig();
let failures = 0;
try {
  await rig.serve();
  rig.spawnAgent("docs", undefined, "idle");
  rig.spawnAgent("import", "/work 1000s", "working");
  rig.spawnAgent("api-fix", "/ask cargo test --workspace --all-features", "waiting");
  for (const [name, test] of Object.entries(tests)) {
    if (wanted && !name.includes(wanted)) continue;
    const begun = performance.now();
    try {
      await test(rig);
      console.log(`ok ${name} (${Math.round(performance.now() - begun)} ms)`);
    } catch (error) {
      failures += 1;
      console.error(`FAILED ${name}\n${error.stack ?? error}`);
      for (const context of browser.contexts()) await context.close();
    }
  }
} finally {
  await browser.close();
  await rig.close();
}
process.exit(failures > 0 ? 1 : 0);
