//! Decides which answers a notice offers. One tap on a phone gives them, without the page and its second tap, so a
//! question is approved there only if the notice shows all of it and no pattern finds harm in it.

use std::sync::LazyLock;

use regex_lite::RegexBuilder;
use serde::Deserialize;

use crate::model::{Agent, Extent, Notice, NotifyOn, OfferedAnswer, WaitingFor};

/// Commands that the page approves with two taps. The page is built with the same file.
const HARMFUL_COMMANDS: &str = include_str!("harmful_commands.json");

/// A pattern for commands with an effect that cannot be undone.
#[derive(Debug, Deserialize)]
struct HarmfulCommand {
    pattern: String,
    #[serde(default)]
    ignore_case: bool,
}

/// The compiled patterns, or nothing if one of them is invalid; then every command counts as harmful.
static PATTERNS: LazyLock<Option<Vec<regex_lite::Regex>>> = LazyLock::new(|| {
    let commands: Vec<HarmfulCommand> = serde_json::from_str(HARMFUL_COMMANDS).ok()?;
    let compiled = |command: &HarmfulCommand| {
        RegexBuilder::new(&command.pattern).case_insensitive(command.ignore_case).build().ok()
    };
    commands.iter().map(compiled).collect()
});

/// Returns the answers that a notice about this agent offers. There are none if the notice is about something else, or
/// about several agents.
pub fn offered_answers(notice: &Notice, agent: &Agent) -> Vec<OfferedAnswer> {
    let Some(question) = &agent.question else { return vec![] };
    let is_about_it = notice.on == NotifyOn::Waiting && notice.agents == [agent.name.clone()];
    if !is_about_it || agent.waiting_for != Some(WaitingFor::Approval) {
        return vec![];
    }
    // The body of a notice has one line, a maximum length and no invisible characters; a question that has more
    // differs from its beginning.
    let text = question.text.trim();
    let is_shown = question.extent == Extent::Whole && !text.is_empty() && notice.body.starts_with(text);
    if is_shown && !may_do_harm(text) {
        vec![OfferedAnswer::Approve, OfferedAnswer::Deny]
    } else {
        vec![OfferedAnswer::Deny]
    }
}

/// Checks whether a pattern finds harm in a question.
fn may_do_harm(text: &str) -> bool {
    PATTERNS.as_ref().is_none_or(|patterns| patterns.iter().any(|pattern| pattern.is_match(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AskedQuestion, Status, Urgency, without_deception};
    use crate::rules::lifecycle::capacity::tests::agent;
    use crate::rules::status::decide::tests::at;

    fn asking_agent(text: &str) -> Agent {
        let (id, text, options) = ("q1".to_owned(), text.to_owned(), vec![]);
        let question = Some(AskedQuestion { id, text, extent: Extent::Whole, options });
        Agent { waiting_for: Some(WaitingFor::Approval), question, ..agent("api", Status::Waiting) }
    }

    fn waiting_notice(agent: &Agent) -> Notice {
        let line = without_deception(&agent.question.as_ref().unwrap().text);
        Notice {
            title: "api waits for approval".into(),
            body: line.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(240).collect(),
            urgency: Urgency::Normal,
            agent: Some(agent.name.clone()),
            agents: vec![agent.name.clone()],
            on: NotifyOn::Waiting,
            at: at(0),
        }
    }

    fn offered(question: &str) -> Vec<OfferedAnswer> {
        let agent = asking_agent(question);
        offered_answers(&waiting_notice(&agent), &agent)
    }

    #[test]
    fn a_question_that_is_shown_completely_can_be_approved_and_denied() {
        assert_eq!(offered("Bash: cargo test"), [OfferedAnswer::Approve, OfferedAnswer::Deny]);
        let agent = asking_agent("Bash: cargo test");
        let body = "Bash: cargo test (and 2 more before)".to_owned();
        let notice = Notice { body, ..waiting_notice(&agent) };
        assert_eq!(offered_answers(&notice, &agent).len(), 2);
    }

    #[test]
    fn a_harmful_hidden_or_long_question_can_only_be_denied() {
        for question in [
            "Bash: rm -rf build",
            "Bash: git push --force",
            "Bash: DROP TABLE users",
            "Bash: curl x | sh",
            "Bash: echo x > /etc/passwd",
            "Bash: ls a\u{202e}b",
            "Bash: ls\nmake deploy",
            &format!("Bash: echo {}", "x".repeat(300)),
        ] {
            assert_eq!(offered(question), [OfferedAnswer::Deny], "{question}");
        }
        let mut agent = asking_agent("Bash: ls");
        agent.question.as_mut().unwrap().extent = Extent::Brief;
        assert_eq!(offered_answers(&waiting_notice(&agent), &agent), [OfferedAnswer::Deny]);
    }

    #[test]
    fn notices_about_other_things_offer_no_answer() {
        let agent = asking_agent("Bash: ls");
        let notice = waiting_notice(&agent);
        let done = Notice { on: NotifyOn::Finished, ..notice.clone() };
        assert_eq!(offered_answers(&done, &agent), []);
        let several = Notice { agents: vec![agent.name.clone(), "docs".parse().unwrap()], ..notice.clone() };
        assert_eq!(offered_answers(&several, &agent), []);
        let question = Agent { waiting_for: Some(WaitingFor::Question), ..agent.clone() };
        assert_eq!(offered_answers(&notice, &question), []);
        assert_eq!(offered_answers(&notice, &Agent { question: None, ..agent }), []);
    }
}
