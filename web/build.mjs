// Bundles the page into src/web/assets, which is checked in: `cargo install` needs no node.
import { cp } from "node:fs/promises";
import { build } from "esbuild";

const target = "../src/web/assets";
await build({
  entryPoints: { app: "src/app.ts", worker: "src/worker.ts" },
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  outdir: target,
});
await build({ entryPoints: { app: "src/app.css" }, bundle: true, minify: true, outdir: target });
await cp("static", target, { recursive: true });
