//! Generates names for agents that were not given one.

use crate::model::AgentName;

/// Maximum length of a name made from a task, without its number.
const MAX_GENERATED_NAME: usize = 32;

/// Returns candidates in order of preference: `claude-fix-the-login`, `claude-fix-the-login-2`, …, or `claude-1`, ….
pub fn candidates(spec: &str, task: Option<&str>) -> impl Iterator<Item = AgentName> {
    let stem = AgentName::slug(spec, 20);
    let described =
        task.and_then(|task| AgentName::slug(task.lines().next().unwrap_or_default(), MAX_GENERATED_NAME));
    let (base, bare) = match (stem, described) {
        (Some(stem), Some(task)) => (AgentName::slug(&format!("{stem}-{task}"), MAX_GENERATED_NAME), true),
        (Some(stem), None) => (Some(stem), false),
        (None, task) => (task, true),
    };
    let bare = bare && base.is_some();
    let base = base.or_else(|| "agent".parse().ok());
    base.into_iter().flat_map(move |base| {
        let first = bare.then(|| base.clone());
        let numbered_from = if bare { 2 } else { 1 };
        let numbered = (numbered_from..10_000).map(move |n| base.numbered(n));
        first.into_iter().chain(numbered).filter(|name| !name.is_reserved())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_spec_and_task() {
        for (spec, task, first, second) in [
            ("claude", None, "claude-1", "claude-2"),
            ("claude", Some("Fix the login bug"), "claude-fix-the-login-bug", "claude-fix-the-login-bug-2"),
            ("/usr/bin/日本", Some("日本"), "usr-bin-1", "usr-bin-2"),
            ("日本", None, "agent-1", "agent-2"),
            ("日本", Some("Handoff"), "handoff-2", "handoff-3"),
        ] {
            let names: Vec<_> = candidates(spec, task).take(2).map(String::from).collect();
            assert_eq!(names, [first, second], "{spec} {task:?}");
        }
    }
}
