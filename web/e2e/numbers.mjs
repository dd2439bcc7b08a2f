// Measures the terminal of the page in Chromium: a key until its echo is drawn, against a minimal page with xterm.js on
// a bare pty, and what a flood does to the page. Run by `scripts/bench --web`.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { chromium } from "playwright-core";
import { Rig } from "./rig.mjs";

const ROUNDS = 200;
/** Keys that are pressed on one page before it is the turn of the other. */
const TURN = 50;
/** Pause between two keys, as of a fast typist. */
const PAUSE_MS = 60;

const flags = ["--headless", "--no-sandbox", "--disable-gpu"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });

/** Returns the times from each key to the change of the screen, as the page sees them. */
async function keyTimes(page) {
  const times = [];
  await page.bringToFront();
  await page.locator(".xterm-helper-textarea").focus();
  for (let round = 0; round < TURN; round += 1) {
    const key = String.fromCharCode(97 + (round % 26));
    await page.waitForTimeout(PAUSE_MS);
    await page.evaluate(() => {
      const rows = document.querySelector(".xterm-rows");
      const before = rows.textContent.replace(/\s/g, "");
      globalThis.echo = new Promise((done) => {
        let pressed;
        addEventListener("keydown", () => (pressed ??= performance.now()), { capture: true, once: true });
        const observer = new MutationObserver(() => {
          if (pressed === undefined || rows.textContent.replace(/\s/g, "") === before) return;
          observer.disconnect();
          done(performance.now() - pressed);
        });
        observer.observe(rows, { childList: true, subtree: true, characterData: true });
      });
    });
    await page.keyboard.press(key);
    times.push(await page.evaluate(() => globalThis.echo));
  }
  return times;
}

const at = (times, part) => times[Math.floor(times.length * part)].toFixed(1);

const rig = new Rig();
const xterm = resolve(import.meta.dirname, "../node_modules/@xterm/xterm/lib/xterm.mjs");
const bare = spawn(process.env.BENCH_BINARY, ["--bare-page", xterm], { stdio: ["pipe", "pipe", "inherit"] });
try {
  const url = String(await new Promise((done) => bare.stdout.once("data", done))).trim();
  await rig.serve();
  rig.run("agent", "spawn", "--name", "echo", "--", "/bin/sh", "-c", "stty raw -echo; cat");
  rig.run("agent", "spawn", "--name", "flood", "--", "/bin/sh", "-c", "stty -echo; read x; yes '0123456789 abcdefghijklmnopqrstuvwxyz' | head -c 100000000; echo; echo flooded; cat");
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(rig.pairingLink());
  await page.getByRole("button", { name: "Pair this device" }).click();
  await page.getByRole("button", { name: /^\W*echo working/ }).click();
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Your keys go to the agent.").waitFor();
  const minimal = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await minimal.goto(url);
  await minimal.locator(".xterm-rows").waitFor();
  const [ours, others] = [[], []];
  while (ours.length < ROUNDS) {
    ours.push(...(await keyTimes(page)));
    others.push(...(await keyTimes(minimal)));
  }
  for (const times of [ours, others]) times.sort((a, b) => a - b);
  const ratio = (ours[ROUNDS / 2] / others[ROUNDS / 2]).toFixed(2);
  console.log(`in Chromium, a key until its echo is drawn: ${at(ours, 0.5)} ms, minimal page ${at(others, 0.5)} ms, ratio ${ratio} (limit 1.5)`);
  console.log(`  nine of ten within ${at(ours, 0.9)} ms and ${at(others, 0.9)} ms`);
  await page.bringToFront();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const busy = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const before = await busy();
  await page.waitForTimeout(20_000);
  console.log(`the page is busy for ${(((await busy()) - before) * 1000).toFixed(0)} ms of 20 s without a change`);
  await page.getByRole("button", { name: /^\W*flood working/ }).click();
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Your keys go to the agent.").waitFor();
  await page.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (globalThis.longest = Math.max(globalThis.longest, duration)))).observe({ type: "longtask" });
  });
  const begun = Date.now();
  await page.keyboard.press("Enter");
  await page.locator(".xterm-rows").getByText("flooded").waitFor({ timeout: 120_000 });
  console.log(`a flood of 100 MB: longest task of the page ${Math.round(await page.evaluate(() => globalThis.longest))} ms (limit 200), the end is shown after ${Date.now() - begun} ms`);
} finally {
  bare.stdin.end();
  await browser.close();
  await rig.close();
}
