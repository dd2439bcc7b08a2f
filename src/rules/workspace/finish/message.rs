//! The messages of the commits that `agent finish` makes.

use crate::base::sanitize::shell_word;
use crate::model::{AgentName, FinishMethod, is_deceptive};

/// Maximum length of a subject in characters, as git recommends.
const MAX_SUBJECT_CHARS: usize = 72;

/// Returns the message for uncommitted work: the one that the user gave, or the last words of the agent.
pub fn for_uncommitted(agent: &AgentName, given: Option<&str>, last_words: Option<&str>) -> String {
    match given {
        Some(given) => given.to_owned(),
        None => subject(agent, last_words),
    }
}

/// Returns the message for all commits of an agent as one. `messages` are their messages, the oldest first.
pub fn for_squash(
    agent: &AgentName,
    given: Option<&str>,
    last_words: Option<&str>,
    messages: &[String],
) -> String {
    match (given, messages) {
        (Some(given), _) => given.to_owned(),
        (None, [only]) => only.clone(),
        (None, all) => {
            let subjects = all.iter().map(|message| format!("* {}", message.lines().next().unwrap_or("")));
            let body = subjects.collect::<Vec<_>>().join("\n");
            format!("{}\n\n{body}", subject(agent, last_words))
        }
    }
}

/// Returns the message of a merge commit.
pub fn for_merge(agent: &AgentName, given: Option<&str>, branch: Option<&str>) -> String {
    match (given, branch) {
        (Some(given), _) => given.to_owned(),
        (None, Some(branch)) => format!("Merge branch '{branch}'"),
        (None, None) => format!("Merge the work of agent {agent}"),
    }
}

/// Returns the prompt that asks an agent to resolve conflicts with its base branch.
pub fn conflict_task(base: &str, method: FinishMethod, paths: &[String]) -> String {
    let command = if method == FinishMethod::Rebase { "rebase" } else { "merge" };
    let word = shell_word(base);
    let paths = paths.iter().map(|path| format!("\n- {path}")).collect::<String>();
    let text = format!(
        "Your work conflicts with branch `{base}`. Commit your changes, run `git {command} {word}` in your working directory, resolve the conflicts so that both changes keep their meaning, and complete the {command}. Do not push. Files with conflicts:{paths}"
    );
    text.replace(|c: char| is_deceptive(c) && c != '\n', " ")
}

/// Returns the first line of the last words that is a sentence, shortened.
fn subject(agent: &AgentName, last_words: Option<&str>) -> String {
    let plain = |line: &str| {
        let line = line.replace(is_deceptive, " ");
        line.trim_matches(|c: char| c.is_whitespace() || "#*-●⏺>`_".contains(c)).to_owned()
    };
    let has_words = |line: &String| line.chars().filter(|c| c.is_alphabetic()).count() > 2;
    let Some(line) = last_words.and_then(|words| words.lines().map(plain).find(has_words)) else {
        return format!("Work of agent {agent}");
    };
    match line.char_indices().nth(MAX_SUBJECT_CHARS) {
        None => line,
        Some(_) => {
            let cut: String = line.chars().take(MAX_SUBJECT_CHARS - 1).collect();
            let end = cut.rfind(' ').filter(|end| *end > 20).unwrap_or(cut.len());
            format!("{}…", cut[..end].trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix() -> AgentName {
        "fix".parse().unwrap()
    }

    #[test]
    fn the_last_words_become_a_subject() {
        let of = |words: &str| for_uncommitted(&fix(), None, Some(words));
        assert_eq!(of("\n● Fixed the parser.\nAll tests pass."), "Fixed the parser.");
        assert_eq!(of("## \u{1b}[1mDone"), "[1mDone");
        assert_eq!(of("…\n$ "), "Work of agent fix");
        let long = of(&"word ".repeat(40));
        assert!(long.ends_with("word…") && long.chars().count() <= 72, "{long}");
        assert_eq!(for_uncommitted(&fix(), Some("mine"), Some("x y z")), "mine");
    }

    #[test]
    fn a_conflict_is_described_with_its_files() {
        let text = conflict_task("main", FinishMethod::Rebase, &["a\u{1b}b".to_owned(), "c".to_owned()]);
        assert!(text.contains("run `git rebase main`") && text.ends_with("\n- a b\n- c"), "{text}");
        assert!(conflict_task("main", FinishMethod::Squash, &[]).contains("run `git merge main`"));
        assert!(conflict_task("a;b", FinishMethod::Squash, &[]).contains("run `git merge 'a;b'`"));
    }

    #[test]
    fn a_squash_keeps_the_message_of_a_single_commit_and_lists_several() {
        let squash = |messages: &[&str]| {
            let messages: Vec<String> = messages.iter().map(|text| (*text).to_owned()).collect();
            for_squash(&fix(), None, Some("Fixed it"), &messages)
        };
        assert_eq!(squash(&["one\n\nbody"]), "one\n\nbody");
        assert_eq!(squash(&["one\n\nbody", "two"]), "Fixed it\n\n* one\n* two");
    }
}
