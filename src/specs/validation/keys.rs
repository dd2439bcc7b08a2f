//! The table of all keys of a spec. Parsing, validation, the JSON Schema and the example follow it.

/// A key of a spec.
#[derive(Debug)]
pub(in crate::specs) struct Key {
    pub name: &'static str,
    pub shape: Shape,
    /// One sentence of documentation, which editors show.
    pub meaning: &'static str,
}

/// The type of a key's value.
#[derive(Debug)]
pub(in crate::specs) enum Shape {
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
    /// A keyword of [`PLACES`], or a table of [`WORKSPACE`].
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
    Table(&'static [Key]),
}

impl Shape {
    /// Checks whether values are merged with the inherited ones key by key instead of replacing them.
    pub fn merges(&self) -> bool {
        matches!(self, Shape::Env | Shape::Params | Shape::Workspace | Shape::Table(_))
    }
}

/// The table in which a key occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::specs) enum Scope {
    /// In `[defaults]`.
    Defaults,
    /// In `[agents.<name>]`.
    Agent,
    /// In front matter.
    FrontMatter,
}

/// The roles that have a meaning to Symposium; any other word is a role too.
pub(in crate::specs) const ROLES: &[&str] = &["proxy", "planner", "executor"];

/// Returns the keys that are allowed in a table.
pub(in crate::specs) fn keys(scope: Scope) -> Vec<&'static Key> {
    let belongs = |key: &&Key| match scope {
        Scope::Agent => key.name != "name",
        Scope::Defaults => !["name", "extends", "description"].contains(&key.name),
        Scope::FrontMatter => key.name != "extends",
    };
    KEYS.iter().filter(belongs).collect()
}

const fn key(name: &'static str, shape: Shape, meaning: &'static str) -> Key {
    Key { name, shape, meaning }
}

/// All keys of a spec.
pub(in crate::specs) const KEYS: &[Key] = &[
    key("name", Shape::SpecName, "What the spec is called, where its folder or file says something else."),
    key("description", Shape::Text, "What the spec is for, shown by `symposium spec list`."),
    key("extends", Shape::SpecName, "Another spec that this one is like, but for the keys that stand here."),
    key(
        "kind",
        Shape::Kind,
        "Which agent CLI: claude, codex, gemini, …; none: the first one that is installed.",
    ),
    key(
        "command",
        Shape::Command,
        "Program and arguments in place of the kind's own program. Words, not a line for a shell.",
    ),
    key("role", Shape::Role, "What it is among others: proxy, planner, executor, or any word."),
    key("model", Shape::Line, "Which model, as the agent CLI calls it."),
    key("tools", Shape::Tools, "The tools it may use without asking, as the agent CLI calls them."),
    key(
        "shell_tier",
        Shape::Word(&["free", "review", "approve"]),
        "How freely it may act: free runs what it likes, review asks before commands, approve before every change.",
    ),
    key(
        "system_prompt",
        Shape::Prompt,
        "What is added to its system prompt: a text, or a file relative to this one (`{ file = \"prompt.md\" }`).",
    ),
    key("env", Shape::Env, "Variables on top of the environment it is spawned from."),
    key(
        "restart",
        Shape::Word(&["no", "on-failure", "always"]),
        "When it is started again after it ended by itself.",
    ),
    key("heartbeat", Shape::Heartbeat, "What it is asked regularly; `false` switches an inherited one off."),
    key(
        "workspace",
        Shape::Workspace,
        "Where it works: the directory as it is, a git worktree of its own, or an empty folder; or a table that also says what a worktree needs.",
    ),
    key("ephemeral", Shape::Flag, "Whether it vanishes when its task is done."),
    key("max_instances", Shape::Count, "How many agents of this spec may be there at once."),
    key(
        "params",
        Shape::Params,
        "What can be given at spawn with `--param name=value`, and used as `{{name}}`.",
    ),
    key(
        "notify",
        Shape::Words(&["waiting", "finished", "crashed", "gave-up", "hung", "deleted", "message", "task"]),
        "What is told about it, in place of what the configuration says; an empty list: nothing.",
    ),
    key("limits", Shape::Table(LIMITS), "What it may spawn."),
];

/// The keys of `limits`.
pub(in crate::specs) const LIMITS: &[Key] = &[
    key("depth", Shape::Count, "How many generations there may be below it."),
    key("children", Shape::Count, "How many children it may have at once."),
];

/// The modes of a workspace.
pub(in crate::specs) const PLACES: &[&str] = &["in-place", "worktree", "scratch"];

/// The keys of `workspace` if it is a table.
pub(in crate::specs) const WORKSPACE: &[Key] = &[
    key("mode", Shape::Word(PLACES), "Where it works; the same as the word alone."),
    key(
        "copy",
        Shape::Patterns,
        "Files that git does not carry and a new worktree needs, such as `.env*`, below the project's top.",
    ),
    key(
        "setup",
        Shape::ShellLines,
        "Commands that make a new worktree ready, such as `npm ci`; each is a line for the shell.",
    ),
];

/// The keys of `heartbeat`.
pub(in crate::specs) const HEARTBEAT: &[Key] = &[
    key("every", Shape::Span, "How long between two of them, such as `30m`."),
    key("cron", Shape::Cron, "When, as five fields of cron in local time, such as `0 9 * * 1-5`."),
    key("prompt", Shape::Text, "What it is asked."),
];

/// The keys of `system_prompt` if it is a table.
pub(in crate::specs) const PROMPT: &[Key] = &[
    key("text", Shape::Text, "The prompt itself."),
    key("file", Shape::Path, "The file that holds it, relative to the file that says so."),
];

/// The keys of a parameter in `params`.
pub(in crate::specs) const PARAM: &[Key] = &[
    key(
        "type",
        Shape::Word(&crate::model::ParamSort::WORDS),
        "What it can be; `string` when nothing is said.",
    ),
    key("choices", Shape::Texts, "What a `choice` can be."),
    key("default", Shape::Scalar, "Value if the parameter is not given; without a default it is required."),
    key("description", Shape::Line, "What it is for."),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value};

    use super::*;
    use crate::model::{NotifyOn, RestartPolicy, Tier, Workspace};

    #[test]
    fn the_words_of_the_table_are_the_words_of_the_model() {
        let words = |name: &str| match &KEYS.iter().find(|key| key.name == name).unwrap().shape {
            Shape::Word(words) | Shape::Words(words) => *words,
            Shape::Workspace => PLACES,
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
    fn each_place_takes_its_own_keys() {
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
