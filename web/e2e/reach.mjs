// Tests in the browser of the ways to reach the page, and of agents of other hosts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request as forward } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { Rig } from "./rig.mjs";

/** Makes a certificate for localhost; the browser of the tests accepts any. */
function certificate(rig) {
  const [key, cert] = ["key.pem", "certificate.pem"].map((name) => join(rig.root, name));
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key, cert };
}

/** Starts a proxy with TLS that shows a server below a path, and passes the path on or removes it. */
async function startProxy(rig, upstream, removes) {
  const { key, cert } = certificate(rig);
  const proxy = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, outgoing) => {
    const path = removes ? incoming.url.replace(/^\/symposium\//, "/") : incoming.url;
    const sent = forward({ host: upstream, port: 7717, path, method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
  return { port: proxy.address().port, close: () => (proxy.closeAllConnections(), proxy.close()) };
}

const AGENT = {
  name: "train", id: "1", title: null, kind: "demo", status: "waiting", waiting_for: "approval", status_since: new Date().toISOString(),
  reason: "Bash: make", question: { id: "q1", text: "Bash: make", extent: "whole", options: [] }, working_directory: "/", project: null, branch: null,
  created_at: new Date().toISOString(), parent: null, clients: [], task: null, tasks: { queued: 0, running: 0, done: 0, failed: 0 },
};

export function reachTests({ paired, picture, phone, desktop }) {
  const belowPath = (removes, number) => async () => {
    const rig = new Rig();
    // All of 127/8 is this machine: an address of its own keeps the port free.
    const listen = `127.99.${process.pid % 256}.${number}`;
    const proxy = await startProxy(rig, listen, removes);
    try {
      await rig.serve(`${listen}:7717`, ["--behind-proxy", "--allow-host", `localhost:${proxy.port}`, "--base-path", "/symposium"]);
      const base = `https://localhost:${proxy.port}/symposium/`;
      assert.equal(rig.url, base);
      rig.spawnAgent("docs", undefined, "idle");
      const { page, problems, context } = await paired(rig, desktop);
      await page.getByRole("button", { name: /docs/ }).click();
      await page.getByRole("log").getByText("demo").first().waitFor();
      await page.getByRole("textbox", { name: "Prompt for docs" }).fill("hello below a path");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText(/^delivered: /).first().waitFor();
      const [cookie] = await context.cookies();
      assert.deepEqual([cookie.path, cookie.secure, cookie.httpOnly, cookie.sameSite], ["/symposium/", true, true, "Strict"]);
      const scope = await page.evaluate(() => navigator.serviceWorker.ready.then((worker) => worker.scope));
      assert.equal(scope, base);
      const manifest = await page.evaluate(async () => {
        const { href } = document.querySelector("link[rel=manifest]");
        const { start_url, icons } = await (await fetch(href)).json();
        return [start_url, ...icons.map((icon) => icon.src)].map((path) => new URL(path, href).href);
      });
      assert.ok(manifest.every((address) => address.startsWith(base)), String(manifest));
      await page.reload();
      await page.getByText("live", { exact: true }).waitFor();
      if (!removes) {
        await page.goto(base.slice(0, -1));
        await page.getByText("live", { exact: true }).waitFor();
        assert.ok(page.url().startsWith(base), page.url());
      }
      await context.setOffline(true);
      await page.reload();
      await page.getByText(/offline/).waitFor();
      assert.deepEqual(problems, []);
      await context.close();
    } finally {
      await rig.close();
      proxy.close();
    }
  };
  return {
    "works below a path that a proxy with TLS passes on": belowPath(false, 1),
    "works below a path that a proxy with TLS removes": belowPath(true, 2),

    async "is served with a certificate of its own"() {
      const rig = new Rig();
      const { key, cert } = certificate(rig);
      try {
        await rig.serve("127.0.0.1:0", ["--tls-cert", cert, "--tls-key", key, "--allow-host", "localhost"]);
        assert.match(rig.url, /^https:\/\/localhost:\d+\/$/);
        const { page, problems, context } = await paired(rig, desktop);
        const [cookie] = await context.cookies();
        assert.ok(cookie.name.startsWith("__Host-symposium-device-") && cookie.secure, cookie.name);
        await page.reload();
        await page.getByText("live", { exact: true }).waitFor();
        assert.deepEqual(problems, []);
        await context.close();
      } finally {
        await rig.close();
      }
    },

    async "shows agents of other hosts, and answers only those whose host answers"(rig) {
      const { page, context } = await paired(rig, { ...phone, colorScheme: "dark" });
      const sent = [];
      const row = { status: "waiting(approval)", about: "Bash: make", location: "~/train" };
      const hosts = [
        { host: "gpu", agents: [AGENT], rows: [row], as_of: new Date().toISOString(), silence: null },
        { host: "old", agents: [{ ...AGENT, name: "lost" }], rows: [row], as_of: new Date().toISOString(), silence: "host `old` cannot be reached" },
      ];
      const listing = { agents: [], rows: [], silence: null };
      const body = `event: agents\ndata: ${JSON.stringify(listing)}\n\nevent: hosts\ndata: ${JSON.stringify(hosts)}\n\n`;
      await page.route("**/api/events", (route) => route.fulfill({ contentType: "text/event-stream", body }));
      await page.route("**/api/hosts/**", (route) => {
        if (route.request().method() === "POST") sent.push([new URL(route.request().url()).pathname, route.request().postDataJSON()]);
        return route.fulfill({ json: {} });
      });
      await page.reload();
      const card = page.getByRole("article", { name: "gpu:train needs an answer" });
      await card.getByRole("button", { name: "Approve", exact: true }).tap();
      await card.getByText(/taken: approved/).waitFor();
      assert.deepEqual(sent, [["/api/hosts/gpu/agents/train/answer", { question: "q1", answer: "approve" }]]);
      await page.getByText("host `old` cannot be reached").waitFor();
      await page.getByText(/^last known state, as of /).waitFor();
      assert.equal(await page.getByRole("article").count(), 1, "an agent of a host that does not answer has no card");
      await picture(page, "phone-hosts");
      await page.getByRole("button", { name: /^old:lost/ }).tap();
      await page.getByRole("heading", { name: "old:lost" }).waitFor();
      assert.deepEqual(await page.getByRole("tab").allTextContents(), ["Screen", "Tasks", "Recap", "Messages"]);
      await context.close();
    },
  };
}
