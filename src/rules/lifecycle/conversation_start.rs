//! Decides how the agent CLI opens a conversation when an agent is started.

use crate::model::{AgentRecord, ConversationFlags};

/// How the agent CLI opens the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// Starts a new conversation, with this id if the CLI lets us choose one.
    New(Option<String>),
    /// Resumes the conversation with this id.
    Resume(String),
    /// Resumes the last conversation in the directory. Used if the CLI cannot resume by id and no other agent of its
    /// kind works there.
    ResumeLast,
}

/// Decides for an agent that is started for the first time or with a new conversation; `id` is used if the CLI lets us
/// choose one.
pub fn first(can: &ConversationFlags, id: String) -> Opening {
    Opening::New((!can.choose.is_empty()).then_some(id))
}

/// Decides for an agent that is resumed. `neighbours` is the number of other agents of the same kind in the same
/// directory.
pub fn again(record: &AgentRecord, can: &ConversationFlags, neighbours: usize) -> Opening {
    let conversation = &record.conversation;
    match &conversation.id {
        Some(id) if conversation.begun && !can.resume.is_empty() => Opening::Resume(id.clone()),
        Some(id) if !conversation.begun && !can.choose.is_empty() => Opening::New(Some(id.clone())),
        _ if conversation.begun && !can.resume_last.is_empty() && neighbours == 0 => Opening::ResumeLast,
        _ => Opening::New(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Conversation, Status};
    use crate::rules::status::decide::tests::record;

    #[test]
    fn a_conversation_is_resumed_as_exactly_as_the_cli_allows() {
        let all = ConversationFlags {
            choose: vec!["--session-id".into()],
            resume: vec!["--resume".into()],
            resume_last: vec!["-c".into()],
            missing: vec![],
        };
        let last_only = ConversationFlags { resume_last: vec!["-c".into()], ..ConversationFlags::default() };
        let none = ConversationFlags::default();
        for (can, id, begun, neighbours, expected) in [
            (&all, Some("x"), true, 0, Opening::Resume("x".into())),
            (&all, Some("x"), true, 3, Opening::Resume("x".into())),
            (&all, Some("x"), false, 0, Opening::New(Some("x".into()))),
            (&last_only, None, true, 0, Opening::ResumeLast),
            (&last_only, None, true, 1, Opening::New(None)),
            (&last_only, None, false, 0, Opening::New(None)),
            (&last_only, Some("x"), true, 0, Opening::ResumeLast),
            (&last_only, Some("x"), true, 1, Opening::New(None)),
            (&none, None, true, 0, Opening::New(None)),
        ] {
            let mut record = record("a", Status::Lost);
            record.conversation = Conversation { id: id.map(Into::into), name: None, begun };
            assert_eq!(again(&record, can, neighbours), expected);
        }
    }
}
