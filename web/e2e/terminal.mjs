// Tests of the terminal in the browser: what it shows, who types, and that a flood does not freeze the page.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Time in milliseconds after which a page counts as frozen. `scripts/bench --web` measures it more strictly. */
const FROZEN_MS = 1000;

/** Starts an agent that runs a shell script. */
function spawnScript(rig, name, script) {
  rig.run("agent", "spawn", "--name", name, "--", "/bin/sh", "-c", script);
}

async function opened(page, name) {
  await page.getByRole("button", { name: new RegExp(name) }).first().click();
  const rows = page.locator(".xterm-rows");
  await rows.waitFor();
  return rows;
}

/** Collects what the page asks the server to type. */
function typedBy(page) {
  const typed = [];
  page.on("request", (request) => request.url().endsWith("/terminal/type") && typed.push(...request.postDataJSON().input));
  return typed;
}

async function until(what, condition) {
  const limit = Date.now() + 20_000;
  while (!(await condition())) {
    assert.ok(Date.now() < limit, what);
    await new Promise((done) => setTimeout(done, 50));
  }
}

export function terminalTests({ paired, accessible, picture, desktop }) {
  return {
    async "shows an agent live in a terminal with colours, and only watches until the user takes over"(rig) {
      const signal = join(rig.root, "signal");
      spawnScript(rig, "colours", `stty -echo; printf '\\033[31mred\\033[0m \\033[38;2;1;200;3mgreen\\033[0m plain\\n'; until [ -e '${signal}' ]; do sleep 0.1; done; echo printed later; cat`);
      const { page, problems, context } = await paired(rig, { ...desktop, colorScheme: "dark" });
      const typed = typedBy(page);
      const rows = await opened(page, "colours");
      const colour = (text) => rows.getByText(text, { exact: true }).evaluate((span) => getComputedStyle(span).color);
      await rows.getByText("plain").first().waitFor();
      assert.deepEqual([await colour("red"), await colour("green")], ["rgb(255, 123, 136)", "rgb(1, 200, 3)"]);
      await page.getByText("You watch.").waitFor();
      await page.locator(".xterm-screen").click();
      await page.keyboard.type("nothing");
      await page.keyboard.press("Enter");
      writeFileSync(signal, "");
      await rows.getByText("printed later").waitFor();
      assert.deepEqual(typed, []);
      await picture(page, "desktop-terminal");
      await accessible(page, "terminal");
      assert.deepEqual(problems, []);
      await context.close();
    },

    async "types to the letter after the user has taken over, one page at a time"(rig) {
      const file = join(rig.root, "typed");
      spawnScript(rig, "typist", `stty raw -echo; echo ready; cat > '${file}'`);
      const { page, problems, context } = await paired(rig, { ...desktop, colorScheme: "light" });
      const rows = await opened(page, "typist");
      await rows.getByText("ready").waitFor();
      await page.getByRole("button", { name: "Take over" }).click();
      await page.getByText("Your keys go to the agent.").waitFor();
      const text = "a;b \"$(id)\" `x` #{y} 'z' \\ ~ {}[]()<>|&*?!";
      await page.keyboard.type(text);
      for (const key of ["Enter", "ArrowUp", "Tab", "Shift+Tab", "Escape", "Control+a", "Alt+x", "Backspace", "F5"]) await page.keyboard.press(key);
      await page.keyboard.insertText("ü日");
      const expected = `${text}\r\x1b[A\t\x1b[Z\x1b\x01\x1bx\x7f\x1b[15~ü日`;
      const content = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
      await until("everything was typed", () => content().length >= expected.length);
      assert.equal(content(), expected);
      await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData("text/plain", "pasted\nlines");
        document.querySelector(".xterm-helper-textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      });
      await until("the paste was typed", () => content() === `${expected}pasted\nlines`);
      await picture(page, "desktop-terminal-drives");
      await accessible(page, "driving terminal");
      const other = await paired(rig, { ...desktop, colorScheme: "light" });
      await opened(other.page, "typist");
      await other.page.getByText("Another page drives this agent. You watch.").waitFor();
      await other.page.getByRole("button", { name: "Take over" }).click();
      await page.getByText("Another page drives this agent. You watch.").waitFor();
      await other.page.getByRole("button", { name: "Stop driving" }).click();
      await page.getByText("You watch.", { exact: true }).waitFor();
      assert.deepEqual([...problems, ...other.problems], []);
      await context.close();
      await other.context.close();
    },

    async "answers no query of a program, follows no link, and gives no clipboard away"(rig) {
      const queries = ["[c", "[>c", "[=c", "[5n", "[6n", "[?6n", "]10;?\\007", "]11;?\\007", "]4;1;?\\007", "[18t", "[14t", "[?2026$p", "P$qm\\033\\\\", "[>q"];
      const print = queries.map((query) => `\\033${query}`).join("");
      spawnScript(rig, "queries", `stty -echo raw; sleep 1; printf '${print}\\033]52;c;c2VjcmV0\\007\\033]8;;https://evil.example/\\007link\\033]8;;\\007 \\033[?1000;1006hdone'; cat > /dev/null`);
      const { page, problems, context } = await paired(rig, { ...desktop, permissions: ["clipboard-read", "clipboard-write"] });
      const typed = typedBy(page);
      const rows = await opened(page, "queries");
      await page.getByRole("button", { name: "Take over" }).click();
      await page.getByText("Your keys go to the agent.").waitFor();
      await rows.getByText("done").first().waitFor();
      let pages = 0;
      context.on("page", () => (pages += 1));
      const box = await rows.boundingBox();
      await page.mouse.click(box.x + 10, box.y + 8);
      await page.mouse.click(box.x + 10, box.y + 8);
      await page.keyboard.press("x");
      await until("the key was sent", () => typed.length > 0);
      assert.deepEqual([typed, pages], [[{ text: "x" }], 0], "only the key was sent");
      assert.notEqual(await page.evaluate(() => navigator.clipboard.readText().catch(() => "")), "secret");
      assert.deepEqual(problems, []);
      await context.close();
    },

    async "selects text, also with a program that wants the mouse"(rig) {
      spawnScript(rig, "mouse", "printf '\\033[?1000h\\033[?1006hselectable word\\n'; sleep 1000");
      const { page, context } = await paired(rig, desktop);
      const rows = await opened(page, "mouse");
      await rows.getByText("selectable").first().waitFor();
      await page.evaluate(() => document.addEventListener("copy", (event) => (globalThis.copied = event.clipboardData.getData("text/plain"))));
      const box = await rows.boundingBox();
      await page.mouse.dblclick(box.x + 30, box.y + 8);
      await page.keyboard.press("Control+c");
      await until("a word is copied", async () => (await page.evaluate(() => globalThis.copied)) === "selectable");
      await context.close();
    },

    async "stays responsive during a flood, and shows its end and its history"(rig) {
      spawnScript(rig, "flood", "stty -echo; echo ready; while read line; do yes '0123456789 abcdefghijklmnopqrstuvwxyz' | head -c 20000000; seq 1 200; echo flooded; done");
      const { page, problems, context } = await paired(rig, desktop);
      const rows = await opened(page, "flood");
      await rows.getByText("ready").waitFor();
      await page.getByRole("button", { name: "Take over" }).click();
      await page.getByText("Your keys go to the agent.").waitFor();
      await page.evaluate(() => {
        globalThis.longest = 0;
        new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (globalThis.longest = Math.max(globalThis.longest, duration)))).observe({ type: "longtask" });
      });
      await page.keyboard.press("Enter");
      await rows.getByText("flooded").waitFor({ timeout: 120_000 });
      const longest = await page.evaluate(() => globalThis.longest);
      assert.ok(longest < FROZEN_MS, `${longest} ms`);
      await page.mouse.move(500, 400);
      await until("the history is scrolled back", async () => {
        await page.mouse.wheel(0, -120);
        return (await rows.getByText("100", { exact: true }).count()) > 0;
      });
      await picture(page, "desktop-terminal-history");
      assert.deepEqual(problems, []);
      await context.close();
    },

    async "loses its terminal at once when the device is revoked"(rig) {
      spawnScript(rig, "revoked", "stty -echo; while read line; do echo \"got $line\"; done");
      const { page, context } = await paired(rig, desktop);
      await opened(page, "revoked");
      await page.getByRole("button", { name: "Take over" }).click();
      await page.getByText("Your keys go to the agent.").waitFor();
      rig.run("web", "revoke", "--all");
      await page.getByText("This device has no access.").waitFor();
      assert.equal(await page.locator(".xterm-rows").count(), 0);
      await context.close();
    },
  };
}
