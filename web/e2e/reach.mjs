// Tests in the browser of the ways to reach the page.
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

export function reachTests({ paired, desktop }) {
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
  };
}
