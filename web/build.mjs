// Bundles the page into src/web/assets, which is checked in: `cargo install` needs no node.
import { cp, readFile } from "node:fs/promises";
import { build } from "esbuild";

const target = "../src/web/assets";
const options = { bundle: true, minify: true, target: "es2022", legalComments: "none", outdir: target };

/** Makes xterm.js keep the policy of the page, which forbids <style> elements and style attributes. */
const strictStyles = {
  name: "strict-styles",
  setup(plugins) {
    const changes = [
      [/createElement\("style"\)/g, 'createElement("terminal-style")', 3],
      [/_addStyle\((\w),(\w)\)\{\1\.setAttribute\("style",[^}]*\}\$\{\2\};`\)\}/g, "_addStyle($1,$2){$1.style.cssText+=$2+';'}", 1],
    ];
    plugins.onLoad({ filter: /xterm\.mjs$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [pattern, replacement, expected] of changes) {
        const found = contents.match(pattern)?.length ?? 0;
        if (found !== expected) throw new Error(`${pattern} occurs ${found} times in xterm.js instead of ${expected}`);
        contents = contents.replace(pattern, replacement);
      }
      return { contents };
    });
  },
};

const licence = await readFile("node_modules/@xterm/xterm/LICENSE", "utf8");
await build({ ...options, entryPoints: { app: "src/app.ts", worker: "src/worker.ts" }, format: "iife" });
await build({ ...options, entryPoints: { terminal: "src/terminal/view.ts" }, format: "esm", loader: { ".css": "text" }, plugins: [strictStyles], banner: { js: `/* Contains xterm.js.\n${licence}*/` } });
await build({ ...options, entryPoints: { app: "src/app.css" } });
await cp("static", target, { recursive: true });
