//! Decides how the agent CLI opens a conversation when an agent is started.

use crate::model::{AgentRecord, Conversation, ConversationFlags};

/// How the agent CLI opens the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationOpening {
    /// Starts a new conversation, with this id if the CLI lets us choose one.
    New(Option<String>),
    /// Resumes the conversation with this id.
    Resume(String),
    /// Resumes the last conversation in the directory. Used if the CLI cannot resume by id and no other agent of its
    /// kind works there.
    ResumeLast,
    /// Starts a copy of another agent's conversation.
    Fork {
        /// Id of the conversation to copy.
        from: String,
        /// Id of the copy, if the CLI lets us choose one.
        id: Option<String>,
    },
}

impl ConversationOpening {
    /// Returns the conversation that is stored for an agent that is started for the first time.
    pub fn stored(&self) -> Conversation {
        let with_id = |id: Option<&String>| Conversation { id: id.cloned(), ..Conversation::default() };
        match self {
            ConversationOpening::New(id) => with_id(id.as_ref()),
            ConversationOpening::Resume(id) => Conversation { begun: true, ..with_id(Some(id)) },
            ConversationOpening::ResumeLast => Conversation::default(),
            ConversationOpening::Fork { from, id } => {
                Conversation { forked_from: Some(from.clone()), ..with_id(id.as_ref()) }
            }
        }
    }
}

/// Decides for an agent that is started for the first time or with a new conversation; `id` is used if the CLI lets us
/// choose one.
pub fn first(can: &ConversationFlags, id: String) -> ConversationOpening {
    ConversationOpening::New((!can.choose.is_empty()).then_some(id))
}

/// Decides for an agent that starts with a copy of the conversation of `original`; `id` is used if the CLI lets us choose
/// one. Returns `None` if the conversation cannot be copied.
pub fn fork(original: &AgentRecord, can: &ConversationFlags, id: String) -> Option<ConversationOpening> {
    let from = original.conversation.id.clone().filter(|_| original.conversation.begun)?;
    let chooses = can.fork.iter().any(|arg| arg.contains("{fork}"));
    (!can.fork.is_empty()).then(|| ConversationOpening::Fork { from, id: chooses.then_some(id) })
}

/// Decides for an agent that is resumed. `neighbours` is the number of other agents of the same kind in the same
/// directory.
pub fn open_on_resume(
    record: &AgentRecord,
    can: &ConversationFlags,
    neighbours: usize,
) -> ConversationOpening {
    let conversation = &record.conversation;
    match &conversation.id {
        Some(id) if conversation.begun && !can.resume.is_empty() => ConversationOpening::Resume(id.clone()),
        id if !conversation.begun && conversation.forked_from.is_some() && !can.fork.is_empty() => {
            let from = conversation.forked_from.clone().unwrap_or_default();
            ConversationOpening::Fork { from, id: id.clone() }
        }
        Some(id) if !conversation.begun && !can.choose.is_empty() => {
            ConversationOpening::New(Some(id.clone()))
        }
        _ if conversation.begun && !can.resume_last.is_empty() && neighbours == 0 => {
            ConversationOpening::ResumeLast
        }
        _ => ConversationOpening::New(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;
    use crate::rules::status::decide::tests::record;

    #[test]
    fn a_conversation_is_resumed_as_exactly_as_the_cli_allows() {
        let all = ConversationFlags {
            choose: vec!["--session-id".into()],
            resume: vec!["--resume".into()],
            resume_last: vec!["-c".into()],
            fork: vec!["--fork".into(), "{conversation}".into(), "{fork}".into()],
            missing: vec![],
        };
        let last_only = ConversationFlags { resume_last: vec!["-c".into()], ..ConversationFlags::default() };
        let none = ConversationFlags::default();
        for (can, id, begun, neighbours, expected) in [
            (&all, Some("x"), true, 0, ConversationOpening::Resume("x".into())),
            (&all, Some("x"), true, 3, ConversationOpening::Resume("x".into())),
            (&all, Some("x"), false, 0, ConversationOpening::New(Some("x".into()))),
            (&last_only, None, true, 0, ConversationOpening::ResumeLast),
            (&last_only, None, true, 1, ConversationOpening::New(None)),
            (&last_only, None, false, 0, ConversationOpening::New(None)),
            (&last_only, Some("x"), true, 0, ConversationOpening::ResumeLast),
            (&last_only, Some("x"), true, 1, ConversationOpening::New(None)),
            (&none, None, true, 0, ConversationOpening::New(None)),
        ] {
            let mut record = record("a", Status::Lost);
            record.conversation = Conversation { id: id.map(Into::into), begun, ..Conversation::default() };
            assert_eq!(open_on_resume(&record, can, neighbours), expected);
        }
    }

    #[test]
    fn a_conversation_is_copied_if_it_has_begun_and_the_cli_can() {
        let all = ConversationFlags { fork: vec!["{fork}".into()], ..ConversationFlags::default() };
        let no_choice = ConversationFlags { fork: vec!["fork".into()], ..ConversationFlags::default() };
        let mut record = record("a", Status::Idle);
        record.conversation = Conversation { id: Some("x".into()), begun: true, ..Conversation::default() };
        let copy = |id: Option<&str>| ConversationOpening::Fork { from: "x".into(), id: id.map(Into::into) };
        assert_eq!(fork(&record, &all, "y".into()), Some(copy(Some("y"))));
        assert_eq!(fork(&record, &no_choice, "y".into()), Some(copy(None)));
        assert_eq!(fork(&record, &ConversationFlags::default(), "y".into()), None);
        record.conversation.begun = false;
        assert_eq!(fork(&record, &all, "y".into()), None);
    }

    #[test]
    fn a_copy_that_has_no_prompt_of_its_own_yet_is_made_again() {
        let can = ConversationFlags {
            choose: vec!["--session-id".into()],
            resume: vec!["--resume".into()],
            fork: vec!["{fork}".into()],
            ..ConversationFlags::default()
        };
        let mut record = record("a", Status::Lost);
        record.conversation =
            Conversation { id: Some("y".into()), forked_from: Some("x".into()), ..Conversation::default() };
        let copy = ConversationOpening::Fork { from: "x".into(), id: Some("y".into()) };
        assert_eq!(open_on_resume(&record, &can, 0), copy);
        record.conversation.begun = true;
        assert_eq!(open_on_resume(&record, &can, 0), ConversationOpening::Resume("y".into()));
    }
}
