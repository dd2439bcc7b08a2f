// The changes of an agent, read-only: one part for each file, drawn when it is opened. Lines are text nodes.

import { get } from "./api.js";
import { h, replace } from "./dom.js";
import type { DiffAnswer } from "./types.js";

/** Files up to this number of lines are open at first. */
const MAX_OPEN_LINES = 200;
const CLASSES: Record<string, string> = { "+": "added", "-": "removed", "@": "hunk" };

/** Reads the changes and draws them into an element. */
export async function drawDiff(parent: HTMLElement, path: string): Promise<void> {
  const { diff, patch, is_cut } = await get<DiffAnswer>(path);
  const base = diff.base.name ?? diff.base.commit?.slice(0, 10) ?? "the first commit";
  const summary = diff.files.length === 0 ? `no changes since ${base}` : `${diff.files.length} ${diff.files.length === 1 ? "file" : "files"} changed since ${base}`;
  // Lines of files begin with a space, `+`, `-` or `\`, so only heads of files begin with this word.
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part !== "");
  // A file that became a link has two parts, and paths with special characters are quoted.
  const isMatching = diff.files.every((file, at) => parts[at]?.split("\n", 1)[0]?.includes(file.path) ?? is_cut);
  const files = diff.files.map((file, at) => {
    const counts = file.added === null ? "binary" : `+${file.added} −${file.removed ?? 0}`;
    const name = file.old_path === null ? file.path : `${file.old_path} → ${file.path}`;
    return fileView(name, `${file.kind} ${counts}`, parts[at]);
  });
  replace(
    parent,
    h("p", { class: "remark" }, summary),
    ...diff.remarks.map((remark) => h("p", { class: "remark" }, remark)),
    ...(isMatching ? files : parts.map((part) => fileView(part.split("\n", 1)[0]?.slice("diff --git ".length) ?? "", "", part))),
    is_cut && h("p", { class: "remark" }, `The patch is too long for the page. Read all of it with: symposium agent diff ${diff.agent}`),
  );
}

function fileView(name: string, about: string, part: string | undefined): HTMLElement {
  const lines = part?.split("\n") ?? [];
  const first = lines.findIndex((line) => line.startsWith("@@"));
  const shown = first < 0 ? [] : lines.slice(first);
  if (shown.at(-1) === "") shown.pop();
  const body = h("div", { class: "patch", tabindex: "0", role: "group", "aria-label": `Changes of ${name}` });
  const view = h("details", { class: "file" }, h("summary", {}, h("span", { class: "name" }, name), " ", h("span", { class: "word" }, about)), body);
  const draw = () => {
    if (body.firstChild) return;
    const text = part === undefined ? "not shown, the patch is too long" : "no lines to show";
    if (shown.length === 0) replace(body, h("p", { class: "remark" }, text));
    else replace(body, ...shown.map((line) => h("div", { class: `line ${CLASSES[line[0] ?? ""] ?? ""}` }, line)));
  };
  view.addEventListener("toggle", draw);
  if (shown.length > 0 && shown.length <= MAX_OPEN_LINES) {
    view.open = true;
    draw();
  }
  return view;
}
