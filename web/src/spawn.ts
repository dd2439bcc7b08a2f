// The form that starts an agent. It shows what will run and asks before anything is started; the server starts only what
// was shown.

import { ApiError, post } from "./api.js";
import { type Child, announce, h, replace } from "./dom.js";
import type { SpawnOption, SpawnOptions, SpawnPreview } from "./types.js";

/** Time after the last key before the specs of a typed directory are read. */
const TYPING_MS = 400;
const WORKSPACES: [string, string][] = [
  ["", "as the spec says"],
  ["in-place", "the directory itself"],
  ["worktree", "a git worktree of its own"],
  ["scratch", "an empty directory of its own"],
];

interface Fields {
  spec: string | null;
  name: string | null;
  directory: string;
  task: string | null;
  workspace: string | null;
  params: Record<string, string>;
}

export class SpawnForm {
  readonly element: HTMLElement;
  private readonly directory = h("input", { type: "text", id: "spawn-directory", autocomplete: "off", autocapitalize: "none", spellcheck: "false", list: "spawn-directories", placeholder: "~/project" });
  private readonly spec = h("select", { id: "spawn-spec" });
  private readonly about = h("p", { class: "remark" });
  private readonly name = h("input", { type: "text", id: "spawn-name", autocomplete: "off", autocapitalize: "none", placeholder: "chosen from the task" });
  private readonly task = h("textarea", { id: "spawn-task", rows: "3" });
  private readonly workspace = h("select", { id: "spawn-workspace" }, ...WORKSPACES.map(([value, label]) => h("option", { value }, label)));
  private readonly params = h("div", { class: "params" });
  private readonly note = h("div", { class: "note", role: "status" });
  private readonly submit = h("button", { class: "approve", type: "submit" }, "Show what will run");
  private readonly form: HTMLFormElement;
  private readonly body = h("div", { class: "spawn" });
  private options: SpawnOption[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private surveyed = "";

  constructor(
    directories: string[],
    private readonly started: (name: string) => void,
    close: () => void,
  ) {
    const back = h("button", { class: "back", "aria-label": "Back to the list", click: close }, "‹");
    const known = h("datalist", { id: "spawn-directories" }, ...directories.map((value) => h("option", { value })));
    this.directory.value = directories[0] ?? "";
    this.directory.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.survey(), TYPING_MS);
    });
    this.spec.addEventListener("change", () => this.describe());
    const field = (label: string, input: HTMLElement, ...more: Child[]) => h("div", { class: "field" }, h("label", { for: input.id }, label), input, ...more);
    this.form = h(
      "form",
      { submit: (event) => void this.preview(event) },
      field("Directory", this.directory, known),
      field("Spec or kind", this.spec, this.about),
      this.params,
      field("Task", this.task),
      field("Name", this.name),
      field("Workspace", this.workspace),
      this.submit,
      this.note,
    );
    replace(this.body, this.form);
    this.element = h("section", { class: "detail", "aria-label": "New agent" }, h("header", { class: "bar" }, back, h("div", { class: "title" }, h("h2", {}, "New agent"))), this.body);
    void this.survey();
  }

  /** Reads what can be started in the typed directory. */
  private async survey(): Promise<void> {
    const directory = this.directory.value.trim();
    if (directory === "" || directory === this.surveyed) return;
    this.surveyed = directory;
    try {
      const { options, last } = await post<SpawnOptions>("api/spawn/options", { directory });
      if (directory !== this.directory.value.trim()) return;
      this.options = options;
      replace(this.spec, ...options.map(({ name, problem }) => h("option", { value: name, disabled: problem !== null }, problem === null ? name : `${name} – ${problem}`)));
      const wanted = options.find(({ name, problem }) => problem === null && name === (last?.spec ?? "default"));
      const first = wanted ?? options.find(({ problem }) => problem === null);
      this.spec.value = first?.name ?? "";
      this.workspace.value = last?.workspace ?? "";
      this.describe(last?.params);
      replace(this.note);
    } catch (error) {
      this.options = [];
      replace(this.spec);
      this.describe();
      this.refuse(error);
    }
  }

  /** Shows the description and the parameters of the selected spec. */
  private describe(values: Record<string, string> = {}): void {
    const option = this.options.find(({ name }) => name === this.spec.value);
    this.about.textContent = option?.description ?? "";
    const fields = option?.params.map(({ name, param }) => {
      const id = `spawn-param-${name}`;
      const choices = param.type === "bool" ? ["true", "false"] : param.choices;
      const fallback = param.default === null ? "" : String(param.default);
      const input = choices
        ? h("select", { id, "data-param": name }, h("option", { value: "" }, fallback === "" ? "choose" : fallback), ...choices.map((value) => h("option", { value }, value)))
        : h("input", { type: "text", id, "data-param": name, autocomplete: "off", placeholder: fallback });
      input.value = values[name] ?? "";
      return h("div", { class: "field" }, h("label", { for: id }, name), input, param.description && h("p", { class: "remark" }, param.description));
    });
    replace(this.params, ...(fields ?? []));
  }

  private fields(): Fields {
    const filled = (text: string) => text.trim() || null;
    const inputs = [...this.params.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-param]")];
    const given = inputs.map((input): [string, string] => [input.dataset["param"] ?? "", input.value]).filter(([, value]) => value !== "");
    const spec = this.spec.value;
    return {
      spec: spec === "default" ? null : filled(spec),
      name: filled(this.name.value),
      directory: this.directory.value.trim(),
      task: filled(this.task.value),
      workspace: filled(this.workspace.value),
      params: Object.fromEntries(given),
    };
  }

  private async preview(event: Event): Promise<void> {
    event.preventDefault();
    if (this.submit.disabled) return;
    this.submit.disabled = true;
    const fields = this.fields();
    try {
      const preview = await post<SpawnPreview>("api/spawn/preview", fields);
      replace(this.note);
      this.confirm(fields, preview);
    } catch (error) {
      this.refuse(error);
    } finally {
      this.submit.disabled = false;
    }
  }

  /** Shows what will run, with the button that starts it. */
  private confirm(fields: Fields, preview: SpawnPreview): void {
    const facts: [string, string | null][] = [
      ["Directory", preview.directory],
      ["Workspace", WORKSPACES.find(([value]) => value === preview.workspace)?.[1] ?? preview.workspace],
      ["Spec", `${preview.spec} (${preview.kind})`],
      ["Name", fields.name],
      ["Variables", preview.variables.join(", ") || null],
    ];
    const shown = facts.filter(([, value]) => value !== null);
    const note = h("div", { class: "note", role: "status" });
    const start = h("button", { class: "approve" }, "Start this agent");
    const back = h("button", { class: "plain", click: () => replace(this.body, this.form) }, "Change");
    start.addEventListener("click", () => {
      start.disabled = true;
      note.textContent = "starting…";
      post<{ name: string; remarks: string[] }>("api/spawn", { agent: fields, digest: preview.digest })
        .then(({ name, remarks }) => {
          announce([`${name} was started`, ...remarks].join(". "));
          this.started(name);
        })
        .catch((error: unknown) => {
          replace(this.body, this.form);
          this.refuse(error);
        });
    });
    const heading = h("h3", { tabindex: "-1" }, "This will run");
    replace(
      this.body,
      h(
        "div",
        { class: "confirmation" },
        heading,
        h("pre", { class: "command", tabindex: "0" }, commandLine(preview.command)),
        h("details", {}, h("summary", {}, "With the arguments for hooks and tools"), h("pre", { class: "command", tabindex: "0" }, commandLine(preview.command_line))),
        preview.task && h("p", { class: "remark" }, "Task"),
        preview.task && h("pre", { class: "command", tabindex: "0" }, preview.task),
        h("dl", {}, ...shown.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, value)])),
        ...preview.warnings.map((warning) => h("p", { class: "harm" }, warning)),
        h("div", { class: "pair" }, back, start),
        note,
      ),
    );
    heading.focus();
  }

  private refuse(error: unknown): void {
    const lines = error instanceof ApiError ? [error.message, ...error.details] : [String(error)];
    replace(this.note, ...lines.map((line) => h("p", { class: "bad" }, line)));
  }
}

function commandLine(words: string[]): string {
  return words.map(quoted).join(" ");
}

/** Quotes an argument as a shell needs it. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
