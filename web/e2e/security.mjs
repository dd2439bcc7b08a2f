// Tests in the browser of what the page refuses, asks twice for, or says about others.
import assert from "node:assert/strict";

const QUESTION = { id: "q1", text: "Bash: make", extent: "brief", options: [] };
const AGENT = {
  name: "fake", id: "1", title: null, kind: "demo", status: "waiting", waiting_for: "approval", status_since: new Date().toISOString(),
  reason: "Bash: make", question: QUESTION, working_directory: "/", project: null, branch: null, created_at: new Date().toISOString(),
  parent: null, clients: [], task: null, tasks: { queued: 0, running: 0, done: 0, failed: 0 },
};

/** Makes the page see this agent only, and collects the paths and bodies of its requests. */
async function faked(page, agent) {
  const sent = [];
  const listing = { agents: [agent], rows: [{ status: agent.status, about: agent.reason, location: "/" }], silence: null };
  await page.route("**/api/events", (route) => route.fulfill({ contentType: "text/event-stream", body: `event: agents\ndata: ${JSON.stringify(listing)}\n\n` }));
  await page.route("**/api/agents/fake/**", (route) => {
    if (route.request().method() === "POST") sent.push(route.request().postDataJSON());
    return route.fulfill({ json: {} });
  });
  return sent;
}

export function securityTests({ paired, accessible, picture, phone, desktop, browser }) {
  return {
    async "asks twice for a question that is not shown completely"(rig) {
      const { page, context } = await paired(rig, { ...phone, colorScheme: "dark" });
      for (const extent of ["brief", "cut"]) {
        const sent = await faked(page, { ...AGENT, question: { ...QUESTION, id: extent, extent } });
        await page.reload();
        const card = page.getByRole("article", { name: "fake needs an answer" });
        await card.getByText("Not all of the question is shown here. Approving needs two taps.").waitFor();
        await card.getByRole("button", { name: "Approve", exact: true }).tap();
        const second = card.getByRole("button", { name: "Tap again: not all is shown" });
        await second.waitFor();
        assert.deepEqual(sent, [], "one tap is not enough");
        await page.waitForFunction((at) => Date.now() - at > 600, Date.now());
        await second.tap();
        await card.getByText(/taken: approved/).waitFor();
        assert.deepEqual(sent, [{ question: extent, answer: "approve" }]);
        await page.unrouteAll({ behavior: "ignoreErrors" });
      }
      await context.close();
    },

    async "asks twice for invisible characters, and writes them out"(rig) {
      rig.spawnAgent("hidden", "/ask ls a\u202eb\u200bc", "waiting");
      const { page, context } = await paired(rig, { ...phone, colorScheme: "dark" });
      const card = page.getByRole("article", { name: "hidden needs an answer" });
      await card.getByText("ls a<U+202E>b<U+200B>c").first().waitFor();
      await card.getByText("This contains invisible characters. Approving needs two taps.").waitFor();
      await picture(page, "phone-invisible");
      await card.getByRole("button", { name: "Deny" }).tap();
      rig.waitFor("hidden", "idle");
      await context.close();
    },

    async "observes while a terminal drives, until the user takes over"(rig) {
      const { page, context } = await paired(rig, { ...phone, colorScheme: "dark" });
      const driven = { ...AGENT, status: "idle", waiting_for: null, question: null, clients: [{ tty: "/dev/pts/7", user: "ann", observer: false, driver: true }] };
      const sent = await faked(page, driven);
      await page.reload();
      await page.getByRole("button", { name: /fake/ }).tap();
      await page.getByText("ann on pts/7 drives this agent.").waitFor();
      const escape = page.getByRole("button", { name: "Esc", exact: true });
      assert.ok(await escape.isDisabled());
      await picture(page, "phone-driven");
      await page.getByRole("button", { name: "Take over" }).tap();
      await Promise.all([page.waitForResponse("**/keys"), escape.tap()]);
      assert.deepEqual(sent, [{ keys: ["Escape"], take: true }]);
      await context.close();
    },

    async "shows a new device on the others, with a button that revokes it"(rig) {
      const phoneView = await paired(rig, { ...phone, colorScheme: "dark" });
      const other = await paired(rig, { ...desktop, colorScheme: "light" });
      const banner = phoneView.page.getByRole("alert").filter({ hasText: "New device on this page" });
      await banner.waitFor();
      await picture(phoneView.page, "phone-new-device");
      await accessible(phoneView.page, "new device");
      await banner.getByRole("button", { name: "Revoke" }).tap();
      await other.page.getByText("This device has no access.").waitFor();
      await banner.waitFor({ state: "detached" });
      await phoneView.context.close();
      await other.context.close();
    },

    async "reads no stream while it is hidden"(rig) {
      const { page, context } = await paired(rig, desktop);
      const turn = (hidden) =>
        page.evaluate((hidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }, hidden);
      const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/events"));
      await turn(true);
      await ended;
      const again = page.waitForRequest((request) => request.url().endsWith("/api/events"));
      await turn(false);
      await again;
      await page.getByText("live", { exact: true }).waitFor();
      await context.close();
    },

    async "survives a broken address, and takes a code from a link that is opened in the running page"(rig) {
      const { page, problems, context } = await paired(rig, desktop);
      await page.evaluate(() => (location.hash = "agent=%"));
      await page.reload();
      await page.getByRole("button", { name: /docs/ }).waitFor();
      const { hash } = new URL(rig.pairingLink());
      await page.evaluate((hash) => (location.hash = hash), hash);
      await page.getByText("The link has brought a code. It works once.").waitFor();
      assert.equal(new URL(page.url()).hash, "", "the code is not in the address any more");
      await page.getByRole("button", { name: "Keep the present access" }).click();
      await page.getByText("live", { exact: true }).waitFor();
      assert.deepEqual(problems, []);
      await context.close();
    },

    // The browser resolves evil.example to this machine, as it does after DNS rebinding.
    async "is not served under a foreign name that resolves to this machine"(rig) {
      const { page, context } = await paired(rig, desktop);
      const key = await page.evaluate(() => localStorage.getItem("symposium-key"));
      const { port } = new URL(rig.url);
      const foreign = await browser.newPage();
      const response = await foreign.goto(`http://evil.example:${port}/`);
      assert.equal(response.status(), 421, "the name reaches the server, which refuses it");
      const outcomes = await foreign.evaluate(async (key) => {
        const attempt = (path, init) => fetch(path, init).then((response) => response.status, () => "blocked");
        const headers = { "x-symposium-key": key, "content-type": "application/json" };
        return [
          await attempt("/api/agents", { headers }),
          await attempt("/api/events", { headers }),
          await attempt("/api/agents/docs/stop", { method: "POST", headers, body: "{}" }),
          await attempt("/api/pair", { method: "POST", headers, body: "{}" }),
        ];
      }, key);
      assert.deepEqual(outcomes, [421, 421, 421, 421]);
      assert.equal(JSON.parse(rig.run("agent", "show", "docs", "--json")).status, "idle");
      await foreign.close();
      await context.close();
    },
  };
}
