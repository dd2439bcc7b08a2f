//! The current conversation of an agent and its earlier ones. The agent CLI stores their content; the record stores ids
//! and names.

use jiff::Timestamp;

use crate::model::{AgentRecord, Conversation, PastConversation};

/// Name that an agent's first conversation gets when a second one starts.
const FIRST_CONVERSATION_NAME: &str = "main";

/// Maximum number of earlier conversations, more than a user names; the oldest one without a name is dropped first.
const MAX_PAST_CONVERSATIONS: usize = 50;

/// Result of switching to another conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchResult {
    /// The agent is already in the conversation.
    Same,
    /// The conversation is an earlier one, or one that only the agent CLI knows.
    Back,
    /// The conversation is new.
    New,
}

/// Returns whether a text is an id of a conversation and not a name: hexadecimal like a UUID, or OpenCode's `ses_…`.
pub fn is_id(text: &str) -> bool {
    let is_hex = |c: char| c.is_ascii_hexdigit() || c == '-';
    let has_digit = text.chars().any(|c| c.is_ascii_digit());
    text.starts_with("ses_") || (text.len() >= 8 && has_digit && text.chars().all(is_hex))
}

/// Switches the agent to the conversation with this name or id, and keeps the current one.
pub fn switch(record: &mut AgentRecord, wanted: &str, now: Timestamp) -> SwitchResult {
    let current = &record.conversation;
    let is_wanted = |id: Option<&str>, name: Option<&str>| id == Some(wanted) || name == Some(wanted);
    let unnamed =
        current.name.is_none() && wanted == FIRST_CONVERSATION_NAME && free(record, FIRST_CONVERSATION_NAME);
    if unnamed || is_wanted(current.id.as_deref(), current.name.as_deref()) {
        return SwitchResult::Same;
    }
    let found = record.conversations.iter().position(|past| is_wanted(Some(&past.id), past.name.as_deref()));
    let back = found.map(|at| record.conversations.remove(at));
    if record.conversation.name.is_none() {
        record.conversation.name = Some(first_free(record));
    }
    keep(record, now);
    let (id, name, begun) = match back {
        Some(past) => (Some(past.id), past.name, true),
        None if is_id(wanted) => (Some(wanted.to_owned()), None, true),
        None => (None, Some(wanted.to_owned()), false),
    };
    record.conversation = Conversation { id, name, begun, forked_from: None };
    if begun { SwitchResult::Back } else { SwitchResult::New }
}

/// Adds the current conversation to the earlier ones, if it has begun and can be resumed.
pub fn keep(record: &mut AgentRecord, now: Timestamp) {
    let Conversation { id: Some(id), name, begun: true, .. } = record.conversation.clone() else { return };
    record.conversations.retain(|past| past.id != id);
    record.conversations.push(PastConversation { id, name, left_at: now });
    if record.conversations.len() > MAX_PAST_CONVERSATIONS {
        let oldest = record.conversations.iter().position(|past| past.name.is_none()).unwrap_or(0);
        record.conversations.remove(oldest);
    }
}

/// Records that the agent CLI changed to another conversation by itself. The name moves to the new conversation.
pub fn moved(record: &mut AgentRecord, id: &str, now: Timestamp) {
    if record.conversation.id.as_deref() == Some(id) {
        return;
    }
    let name = record.conversation.name.take();
    keep(record, now);
    record.conversations.retain(|past| past.id != id);
    record.conversation.id = Some(id.to_owned());
    record.conversation.name = name;
}

fn free(record: &AgentRecord, name: &str) -> bool {
    record.conversations.iter().all(|past| past.name.as_deref() != Some(name))
}

fn first_free(record: &AgentRecord) -> String {
    if free(record, FIRST_CONVERSATION_NAME) {
        return FIRST_CONVERSATION_NAME.to_owned();
    }
    let numbered = (2..).map(|n| format!("{FIRST_CONVERSATION_NAME}-{n}")).find(|name| free(record, name));
    numbered.unwrap_or_else(|| FIRST_CONVERSATION_NAME.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Status;
    use crate::rules::status::decide::tests::record;

    fn now() -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn in_conversation(id: &str, name: Option<&str>) -> AgentRecord {
        let mut record = record("a", Status::Stopped);
        record.conversation = Conversation {
            id: Some(id.into()),
            name: name.map(Into::into),
            begun: true,
            ..Conversation::default()
        };
        record
    }

    #[test]
    fn ids_are_distinguished_from_names() {
        for id in ["0199-abc", "99d731bd-a6ab-4ad0-a558-859a131171b1", "ses_4f2Kx"] {
            assert!(is_id(id), "{id}");
        }
        for name in ["other", "main", "cafe", "deadbeef", "fix-2", "x", "review of the login"] {
            assert!(!is_id(name), "{name}");
        }
    }

    #[test]
    fn agent_switches_to_another_conversation_and_back() {
        let mut record = in_conversation("11111111", None);
        assert_eq!(switch(&mut record, "main", now()), SwitchResult::Same);
        assert_eq!(switch(&mut record, "11111111", now()), SwitchResult::Same);
        assert_eq!(switch(&mut record, "other", now()), SwitchResult::New);
        let named = Conversation { name: Some("other".into()), ..Conversation::default() };
        assert_eq!(record.conversation, named);
        record.conversation.id = Some("22222222".into());
        record.conversation.begun = true;
        assert_eq!(switch(&mut record, "main", now()), SwitchResult::Back);
        assert_eq!(record.conversation.id.as_deref(), Some("11111111"));
        assert_eq!(switch(&mut record, "22222222", now()), SwitchResult::Back);
        assert_eq!(record.conversation.name.as_deref(), Some("other"));
        assert_eq!(switch(&mut record, "33333333", now()), SwitchResult::Back);
        assert_eq!(record.conversation.id.as_deref(), Some("33333333"));
        assert_eq!(record.conversations.len(), 2);
    }

    #[test]
    fn conversation_that_never_began_is_not_kept() {
        let mut record = in_conversation("11111111", None);
        record.conversation.begun = false;
        assert_eq!(switch(&mut record, "other", now()), SwitchResult::New);
        assert!(record.conversations.is_empty());
    }

    #[test]
    fn conversation_name_survives_a_new_conversation_id() {
        let mut record = in_conversation("11111111", Some("login"));
        moved(&mut record, "22222222", now());
        assert_eq!(record.conversation.name.as_deref(), Some("login"));
        assert_eq!((record.conversations[0].id.as_str(), &record.conversations[0].name), ("11111111", &None));
        moved(&mut record, "22222222", now());
        assert_eq!(record.conversations.len(), 1);
    }

    proptest! {
        #[test]
        fn started_conversations_are_neither_lost_nor_duplicated(steps in prop::collection::vec(0u8..12, 0..40)) {
            let mut record = in_conversation("10000000", None);
            let mut begun = vec!["10000000".to_owned()];
            for (at, step) in steps.into_iter().enumerate() {
                let wanted = if step < 6 { format!("n{step}") } else { format!("{step}0000000") };
                switch(&mut record, &wanted, now());
                let id = record.conversation.id.get_or_insert_with(|| format!("{at:08}")).clone();
                record.conversation.begun = true;
                if !begun.contains(&id) {
                    begun.push(id);
                }
            }
            let mut known: Vec<String> = record.conversations.iter().map(|past| past.id.clone()).collect();
            known.extend(record.conversation.id.clone());
            known.sort();
            begun.sort();
            prop_assert_eq!(known, begun);
        }
    }
}
