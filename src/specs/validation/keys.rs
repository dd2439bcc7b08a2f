//! The table of all keys of a spec. Parsing, validation, the JSON Schema and the example follow it.

/// A key of a spec.
#[derive(Debug)]
pub(in crate::specs) struct SpecKey {
    pub name: &'static str,
    pub shape: ValueShape,
    /// One sentence of documentation, which editors show.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the JSON Schema has it, which a test compares"))]
    pub meaning: &'static str,
}

/// The type of a key's value.
#[derive(Debug)]
pub(in crate::specs) enum ValueShape {
    /// A text, which may have several lines.
    Text,
    /// A text of one line.
    Line,
    /// The role of an agent among others; some roles have a meaning to Symposium.
    Role,
    /// The name of a kind.
    Kind,
    /// The name of another spec.
    SpecName,
    /// One of these keywords.
    Word(&'static [&'static str]),
    /// A list of these keywords.
    Words(&'static [&'static str]),
    /// A program and its arguments.
    Command,
    /// A list of tools, or a text separated by commas.
    Tools,
    /// `true` or `false`.
    Flag,
    /// A whole number of at least 1.
    Count,
    /// A duration such as `30m`.
    Span,
    /// A cron expression with five fields.
    Cron,
    /// The path of a file, relative to the file that names it.
    Path,
    /// A text, a number or a boolean.
    Scalar,
    /// A list of at least one text.
    Texts,
    /// A text, a path that looks like one, or a table of [`PROMPT`].
    Prompt,
    /// `false`, or a table of [`HEARTBEAT`].
    Heartbeat,
    /// A keyword of [`WORKSPACE_MODES`], or a table of [`WORKSPACE`].
    Workspace,
    /// A list of files below the project, with `*` and `?`.
    Patterns,
    /// A list of shell commands.
    ShellLines,
    /// Variables with their values.
    Env,
    /// Parameter names with tables of [`PARAM`].
    Params,
    /// A table of these keys.
    Table(&'static [SpecKey]),
}

impl ValueShape {
    /// Checks whether values are merged with the inherited ones key by key instead of replacing them.
    pub fn merges(&self) -> bool {
        matches!(self, ValueShape::Env | ValueShape::Params | ValueShape::Workspace | ValueShape::Table(_))
    }
}

/// The table in which a key occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::specs) enum Scope {
    /// The table `[defaults]`.
    Defaults,
    /// A table `[agents.<name>]`.
    Agent,
    /// The key is allowed in front matter.
    FrontMatter,
}

/// The roles that have a meaning to Symposium; any other word is a role too.
pub(in crate::specs) const ROLES: &[&str] = &["proxy", "planner", "executor"];

/// Returns the keys that are allowed in a table.
pub(in crate::specs) fn keys(scope: Scope) -> Vec<&'static SpecKey> {
    let belongs = |key: &&SpecKey| match scope {
        Scope::Agent => key.name != "name",
        Scope::Defaults => !["name", "extends", "description"].contains(&key.name),
        Scope::FrontMatter => key.name != "extends",
    };
    KEYS.iter().filter(belongs).collect()
}

const fn key(name: &'static str, shape: ValueShape, meaning: &'static str) -> SpecKey {
    SpecKey { name, shape, meaning }
}

/// All keys of a spec.
pub(in crate::specs) const KEYS: &[SpecKey] = &[
    key("name", ValueShape::SpecName, "Name of the spec; by default the name of its folder or file."),
    key("description", ValueShape::Text, "Purpose of the spec, shown by `symposium spec list`."),
    key(
        "extends",
        ValueShape::SpecName,
        "Name of another spec whose values apply to all keys that are not set here.",
    ),
    key(
        "kind",
        ValueShape::Kind,
        "Agent CLI to run: claude, codex, gemini, …; by default the first one that is installed.",
    ),
    key(
        "command",
        ValueShape::Command,
        "Program and arguments that replace the kind's own program, as a list of words; no shell is involved.",
    ),
    key("role", ValueShape::Role, "Role of the agent among others: proxy, planner, executor, or any word."),
    key("model", ValueShape::Line, "Model, by the name that the agent CLI uses."),
    key(
        "tools",
        ValueShape::Tools,
        "Tools that the agent may use without asking, by the names that the agent CLI uses.",
    ),
    key(
        "shell_tier",
        ValueShape::Word(&["free", "review", "approve"]),
        "How freely the agent may act: `free` runs everything without asking, `review` asks before commands, `approve` asks before every change.",
    ),
    key(
        "system_prompt",
        ValueShape::Prompt,
        "Text that is added to the system prompt, or a file relative to this one (`{ file = \"prompt.md\" }`).",
    ),
    key("env", ValueShape::Env, "Environment variables, in addition to those of the spawning process."),
    key(
        "restart",
        ValueShape::Word(&["no", "on-failure", "always"]),
        "When the supervisor restarts the agent after it ended by itself.",
    ),
    key(
        "heartbeat",
        ValueShape::Heartbeat,
        "Prompt that is queued on a schedule; `false` disables an inherited heartbeat.",
    ),
    key(
        "workspace",
        ValueShape::Workspace,
        "Where the agent works: in the directory itself, in its own git worktree, or in an empty folder. A table also configures how a worktree is set up.",
    ),
    key("ephemeral", ValueShape::Flag, "Whether the agent is removed when its task is done."),
    key("max_instances", ValueShape::Count, "Maximum number of agents of this spec at the same time."),
    key(
        "params",
        ValueShape::Params,
        "Parameters that `--param name=value` sets at spawn, and that texts use as `{{name}}`.",
    ),
    key(
        "notify",
        ValueShape::Words(&[
            "waiting", "finished", "crashed", "gave-up", "hung", "deleted", "message", "task",
        ]),
        "Events that cause a notice, in place of those of the configuration; an empty list disables notices.",
    ),
    key("limits", ValueShape::Table(LIMITS), "Limits on the agents that it may spawn."),
];

/// The keys of `limits`.
pub(in crate::specs) const LIMITS: &[SpecKey] = &[
    key("depth", ValueShape::Count, "Maximum number of generations below the agent."),
    key("children", ValueShape::Count, "Maximum number of children at the same time."),
];

/// The modes of a workspace.
pub(in crate::specs) const WORKSPACE_MODES: &[&str] = &["in-place", "worktree", "scratch"];

/// The keys of `workspace` if it is a table.
pub(in crate::specs) const WORKSPACE: &[SpecKey] = &[
    key(
        "mode",
        ValueShape::Word(WORKSPACE_MODES),
        "Where the agent works; the same as the word without a table.",
    ),
    key(
        "copy",
        ValueShape::Patterns,
        "Files outside of git that a new worktree needs, such as `.env*`, relative to the top of the project.",
    ),
    key("setup", ValueShape::ShellLines, "Shell commands that set up a new worktree, such as `npm ci`."),
];

/// The keys of `heartbeat`.
pub(in crate::specs) const HEARTBEAT: &[SpecKey] = &[
    key("every", ValueShape::Span, "Interval between two heartbeats, such as `30m`."),
    key(
        "cron",
        ValueShape::Cron,
        "Schedule as a cron expression of five fields in local time, such as `0 9 * * 1-5`.",
    ),
    key("prompt", ValueShape::Text, "Text of the prompt."),
];

/// The keys of `system_prompt` if it is a table.
pub(in crate::specs) const PROMPT: &[SpecKey] = &[
    key("text", ValueShape::Text, "Text of the prompt."),
    key(
        "file",
        ValueShape::Path,
        "Path of a file that contains the prompt, relative to the file with this key.",
    ),
];

/// The keys of a parameter in `params`.
pub(in crate::specs) const PARAM: &[SpecKey] = &[
    key("type", ValueShape::Word(&crate::model::ParamSort::WORDS), "Type of the value; `string` by default."),
    key("choices", ValueShape::Texts, "Values that a `choice` accepts."),
    key(
        "default",
        ValueShape::Scalar,
        "Value if the parameter is not given; a parameter without a default is required.",
    ),
    key("description", ValueShape::Line, "Purpose of the parameter."),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value};

    use super::*;
    use crate::model::{NotifyOn, RestartPolicy, Tier, Workspace};

    #[test]
    fn words_of_the_key_table_match_the_model() {
        let words = |name: &str| match &KEYS.iter().find(|key| key.name == name).unwrap().shape {
            ValueShape::Word(words) | ValueShape::Words(words) => *words,
            ValueShape::Workspace => WORKSPACE_MODES,
            other => panic!("{name}: {other:?}"),
        };
        for word in words("shell_tier") {
            assert_eq!(from_value::<Tier>(Value::from(*word)).unwrap().word(), *word);
        }
        for word in words("restart") {
            assert_eq!(from_value::<RestartPolicy>(Value::from(*word)).unwrap().word(), *word);
        }
        for word in words("workspace") {
            assert_eq!(from_value::<Workspace>(Value::from(*word)).unwrap().to_string(), *word);
        }
        for word in words("notify") {
            from_value::<NotifyOn>(Value::from(*word)).unwrap();
        }
        assert_eq!((words("shell_tier").len(), words("restart").len()), (3, 3));
        assert_eq!((words("workspace").len(), words("notify").len()), (3, 8));
    }

    #[test]
    fn each_table_accepts_its_own_keys() {
        let has = |scope, name: &str| keys(scope).iter().any(|key| key.name == name);
        for (name, defaults, agent, front) in
            [("extends", false, true, false), ("name", false, false, true), ("model", true, true, true)]
        {
            assert_eq!(has(Scope::Defaults, name), defaults, "{name}");
            assert_eq!(has(Scope::Agent, name), agent, "{name}");
            assert_eq!(has(Scope::FrontMatter, name), front, "{name}");
        }
    }
}
