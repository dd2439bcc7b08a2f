//! Decides which values of a project's spec need the user's agreement before an agent is spawned from it.
//!
//! Needs agreement: everything that makes this machine run something other than the program the user named, or lets an
//! agent act without being asked: `command`, `env`, `workspace.setup`, `tools`, the tiers `free` and `review`,
//! `heartbeat`, and a spec that has the name of a kind but runs another program. Needs none: prompts, models, roles,
//! parameters, limits, `workspace.copy` (files of the same project) and the tier `approve`. The agent CLI reads prompts
//! of the project anyway (`CLAUDE.md`, `AGENTS.md`), and still asks before it acts on them.

use crate::model::{Origin, ProjectFiles, Spec, Tier, TrustState, TrustedProject};
use crate::rules::specs::spec_rows::{quoted, schedule};
use crate::rules::workspace::handoff::escape_invisible;

/// Maximum number of characters shown of a variable's value or a heartbeat's prompt.
const MAX_SHOWN_CHARS: usize = 200;

/// Returns the effects on this machine of the values that the project's own files set in a spec, one sentence each.
/// `is_kind` returns whether a name belongs to a kind: a spec with such a name replaces the kind.
pub fn effects(spec: &Spec, files: &ProjectFiles, is_kind: impl Fn(&str) -> bool) -> Vec<String> {
    let in_project = |key: &str| match spec.origin(key) {
        Origin::File { path, .. } => files.paths.contains(path),
        Origin::Default => false,
    };
    let mut effects = Vec::new();
    let mut add = |key: &str, effect: String| {
        effects.push(format!("{effect} ({})", escape_invisible(&spec.origin(key).to_string())))
    };
    if in_project("command") && !spec.command.is_empty() {
        add("command", format!("runs `{}`", escape_invisible(&quoted(&spec.command))));
    } else if is_kind(&spec.name)
        && spec.kind.as_ref() != Some(&spec.name)
        && files.names.contains(&spec.name)
    {
        let kind = spec.kind.as_deref().unwrap_or("another kind");
        add("kind", format!("runs `{}` in place of `{}`", escape_invisible(kind), spec.name));
    }
    for (name, value) in &spec.env {
        let key = format!("env.{name}");
        if in_project(&key) {
            add(&key, format!("sets `{}={}` in its environment", escape_invisible(name), shortened(value)));
        }
    }
    if in_project("workspace.setup") {
        for line in &spec.worktree.setup {
            add("workspace.setup", format!("sets up its worktree with `{}`", escape_invisible(line)));
        }
    }
    if let Some(tools) = spec.tools.as_ref().filter(|tools| !tools.is_empty() && in_project("tools")) {
        add("tools", format!("uses without asking: {}", escape_invisible(&tools.join(", "))));
    }
    match spec.shell_tier.filter(|_| in_project("shell_tier")) {
        Some(Tier::Free) => add("shell_tier", "runs any command without asking (tier `free`)".into()),
        Some(Tier::Review) => add("shell_tier", "edits files without asking (tier `review`)".into()),
        Some(Tier::Approve) | None => {}
    }
    if let Some(heartbeat) = spec.heartbeat.as_ref().filter(|_| in_project("heartbeat")) {
        let when = escape_invisible(&schedule(&heartbeat.schedule));
        add("heartbeat", format!("is prompted unattended, {when}: `{}`", shortened(&heartbeat.prompt)));
    }
    effects
}

/// Compares the files of a project with the content that the user agreed to.
pub fn state(files: &ProjectFiles, trusted: Option<&TrustedProject>) -> TrustState {
    match trusted {
        None => TrustState::Untrusted,
        Some(trusted) if trusted.sha256 == files.sha256 => TrustState::Trusted,
        Some(_) => TrustState::Changed,
    }
}

fn shortened(text: &str) -> String {
    let spelt = escape_invisible(text);
    match spelt.char_indices().nth(MAX_SHOWN_CHARS) {
        None => spelt,
        Some((end, _)) => format!("{}… ({} characters)", &spelt[..end], text.chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Heartbeat, Schedule};

    const FILE: &str = "/p/.symposium/agents.toml";

    fn files() -> ProjectFiles {
        ProjectFiles {
            root: "/p".into(),
            sha256: "aa".into(),
            paths: vec![FILE.into()],
            names: vec!["claude".into(), "web".into()],
        }
    }

    /// Returns the spec with this file as the origin of all its values.
    fn spec_from(path: &str, spec: Spec) -> Spec {
        let keys = [
            "command",
            "kind",
            "model",
            "system_prompt",
            "env.PATH",
            "workspace.setup",
            "workspace.copy",
            "tools",
            "shell_tier",
            "heartbeat",
        ];
        let origin = Origin::File { path: path.into(), line: 3 };
        Spec { origins: keys.map(|key| (key.to_owned(), origin.clone())).into(), ..spec }
    }

    fn loaded() -> Spec {
        let mut spec = Spec {
            name: "web".into(),
            command: vec!["sh".into(), "-c".into(), "x\u{1b}[2J".into()],
            env: [("PATH".to_owned(), "/evil".to_owned())].into(),
            tools: Some(vec!["Bash".into()]),
            shell_tier: Some(Tier::Free),
            heartbeat: Some(Heartbeat { schedule: Schedule::Every(60), prompt: "go".into(), last: None }),
            ..Spec::default()
        };
        spec.worktree.setup = vec!["make deps".into()];
        spec
    }

    #[test]
    fn commands_and_looser_permissions_need_trust() {
        assert_eq!(
            effects(&spec_from(FILE, loaded()), &files(), |_| false),
            [
                "runs `sh -c 'x<U+001B>[2J'` (/p/.symposium/agents.toml:3)",
                "sets `PATH=/evil` in its environment (/p/.symposium/agents.toml:3)",
                "sets up its worktree with `make deps` (/p/.symposium/agents.toml:3)",
                "uses without asking: Bash (/p/.symposium/agents.toml:3)",
                "runs any command without asking (tier `free`) (/p/.symposium/agents.toml:3)",
                "is prompted unattended, every 1m: `go` (/p/.symposium/agents.toml:3)",
            ]
        );
    }

    #[test]
    fn values_of_other_files_need_no_project_trust() {
        let own = spec_from("/home/me/.symposium/agents.toml", loaded());
        assert_eq!(effects(&own, &files(), |_| false), [""; 0]);
    }

    #[test]
    fn prompts_and_models_need_no_trust() {
        let mut spec = Spec {
            name: "web".into(),
            kind: Some("claude".into()),
            model: Some("opus".into()),
            system_prompt: Some("be brief".into()),
            shell_tier: Some(Tier::Approve),
            ..Spec::default()
        };
        spec.worktree.copy = vec![".env".into()];
        assert_eq!(effects(&spec_from(FILE, spec), &files(), |_| false), [""; 0]);
    }

    #[test]
    fn replacing_a_kind_needs_trust() {
        let named = |kind: Option<&str>| {
            spec_from(FILE, Spec { name: "claude".into(), kind: kind.map(str::to_owned), ..Spec::default() })
        };
        assert_eq!(effects(&named(Some("claude")), &files(), |_| true), [""; 0]);
        for kind in [Some("codex"), None] {
            assert_eq!(effects(&named(kind), &files(), |_| true).len(), 1, "{kind:?}");
        }
        let of_home = ProjectFiles { names: vec![], ..files() };
        assert_eq!(effects(&named(Some("codex")), &of_home, |_| true), [""; 0]);
    }

    #[test]
    fn trust_holds_for_one_content() {
        let trusted = |sha256: &str| TrustedProject {
            project: "/p".into(),
            sha256: sha256.into(),
            trusted_at: jiff::Timestamp::UNIX_EPOCH,
        };
        assert_eq!(state(&files(), None), TrustState::Untrusted);
        assert_eq!(state(&files(), Some(&trusted("aa"))), TrustState::Trusted);
        assert_eq!(state(&files(), Some(&trusted("bb"))), TrustState::Changed);
    }
}
