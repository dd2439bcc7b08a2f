//! The message that a waiting child sends to its parent.

use crate::model::{AgentRecord, Status, Tier, WaitingFor};
use crate::rules::lifecycle::inherit::may_answer;

/// Returns the text of the message while the child waits for something that a parent can help with.
pub fn asks(child: &AgentRecord, tier: Option<Tier>) -> Option<String> {
    let (name, note) = (&child.name, &child.status);
    if note.status != Status::Waiting {
        return None;
    }
    let what: String = note.reason.split_whitespace().collect::<Vec<_>>().join(" ");
    match note.waiting_for? {
        WaitingFor::Approval if may_answer(tier) => {
            let id = note.current_question()?.id;
            Some(format!(
                "I wait for an approval: {what} (all of it: `symposium agent show {name}`; if I still wait for it: \
                 `symposium agent approve {name} --if-asks {id}` or `symposium agent deny {name} --if-asks {id}`)"
            ))
        }
        WaitingFor::Approval => Some(format!("I wait for an approval that only a person may give: {what}")),
        WaitingFor::Question => {
            Some(format!("I have a question: {what} (answer with `symposium agent send {name} TEXT`)"))
        }
        WaitingFor::Setup | WaitingFor::Limit => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StatusNote;
    use crate::rules::status::decide::tests::{at, record};

    #[test]
    fn forwarded_question_names_the_commands_to_answer() {
        let waits = |what| AgentRecord {
            status: StatusNote::waiting(what, at(1), "Bash:\n make"),
            ..record("a", Status::Waiting)
        };
        for (child, tier, expected) in [
            (
                waits(WaitingFor::Approval),
                None,
                Some("if I still wait for it: `symposium agent approve a --if-asks "),
            ),
            (waits(WaitingFor::Approval), Some(Tier::Approve), Some("only a person")),
            (waits(WaitingFor::Question), None, Some("agent send a TEXT")),
            (waits(WaitingFor::Setup), None, None),
            (record("a", Status::Idle), None, None),
        ] {
            let forwarded = asks(&child, tier);
            match expected {
                Some(part) => assert!(
                    forwarded.as_ref().is_some_and(|forwarded| forwarded.contains(part)),
                    "{forwarded:?}"
                ),
                None => assert_eq!(forwarded, None),
            }
        }
    }
}
