//! Generates names for agents that were not given one.

use crate::model::AgentName;

/// Maximum length of a name made from a task, without its number.
const MAX_GENERATED_NAME: usize = 32;

/// The end of the name of a fork.
const FORK_SUFFIX: &str = "-fork";
/// Number of names that are tried for a fork.
const MAX_FORK_NUMBER: u32 = 1000;

/// Returns candidates in order of preference: `claude-fix-the-login`, `claude-fix-the-login-2`, …, or `claude-1`, ….
pub fn candidates(spec: &str, task: Option<&str>) -> impl Iterator<Item = AgentName> {
    let (base, bare) = base(spec, task);
    base.into_iter().flat_map(move |base| {
        let first = bare.then(|| base.clone());
        let numbered_from = if bare { 2 } else { 1 };
        let numbered = (numbered_from..10_000).map(move |n| base.numbered(n));
        first.into_iter().chain(numbered).filter(|name| !name.is_reserved())
    })
}

/// Returns candidates for the agents of a group in order of preference: `claude-fix-the-login-1`, ….
pub fn of_group(spec: &str, task: Option<&str>) -> impl Iterator<Item = AgentName> {
    let (base, _) = base(spec, task);
    base.into_iter().flat_map(|base| (1..10_000).map(move |n| base.numbered(n)))
}

/// Returns the common beginning of the names for a spec and task, and whether it is a name without a number, too.
fn base(spec: &str, task: Option<&str>) -> (Option<AgentName>, bool) {
    let stem = AgentName::slug(spec, 20);
    let described =
        task.and_then(|task| AgentName::slug(task.lines().next().unwrap_or_default(), MAX_GENERATED_NAME));
    let (base, bare) = match (stem, described) {
        (Some(stem), Some(task)) => (AgentName::slug(&format!("{stem}-{task}"), MAX_GENERATED_NAME), true),
        (Some(stem), None) => (Some(stem), false),
        (None, task) => (task, true),
    };
    let bare = bare && base.is_some();
    (base.or_else(|| "agent".parse().ok()), bare)
}

/// Returns candidates for a fork in order of preference: `fix-fork`, `fix-fork-2`, ….
pub fn of_fork(original: &AgentName) -> impl Iterator<Item = AgentName> {
    let with_suffix = |length: usize| {
        let stem: String = original.as_str().chars().take(length).collect();
        format!("{stem}{FORK_SUFFIX}").parse::<AgentName>().ok()
    };
    // The longest beginning that stays a valid name with the suffix.
    let base = (1..=original.as_str().len()).rev().find_map(with_suffix);
    base.into_iter().flat_map(|base| {
        let numbered = (2..MAX_FORK_NUMBER).map({
            let base = base.clone();
            move |n| base.numbered(n)
        });
        std::iter::once(base).chain(numbered)
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

    #[test]
    fn the_names_of_a_group_are_numbered_from_one() {
        for (spec, task, first) in [
            ("claude", Some("Fix it"), ["claude-fix-it-1", "claude-fix-it-2"]),
            ("claude", None, ["claude-1", "claude-2"]),
        ] {
            let names: Vec<_> = of_group(spec, task).take(2).map(String::from).collect();
            assert_eq!(names, first);
        }
    }

    #[test]
    fn the_name_of_a_fork_follows_the_original() {
        for (original, first, second) in [
            ("fix".to_owned(), "fix-fork".to_owned(), "fix-fork-2".to_owned()),
            ("Fix_1-fork".to_owned(), "Fix_1-fork-fork".to_owned(), "Fix_1-fork-fork-2".to_owned()),
            ("x".repeat(63), format!("{}-fork", "x".repeat(58)), format!("{}-fo-2", "x".repeat(58))),
        ] {
            let names: Vec<_> = of_fork(&original.parse().unwrap()).take(2).map(String::from).collect();
            assert_eq!(names, [first, second]);
        }
    }
}
