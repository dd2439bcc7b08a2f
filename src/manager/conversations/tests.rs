//! Which conversations an agent has, and which it cannot be resumed in.

use jiff::Timestamp;

use crate::error::{Code, Error};
use crate::manager::conversations::Conversations;
use crate::manager::testing::{TestContext, agent_name, exit_code};
use crate::model::{AgentRecord, Conversation, PastConversation, Status};

fn conversation(id: &str, name: Option<&str>) -> Conversation {
    Conversation {
        id: Some(id.into()),
        name: name.map(str::to_owned),
        begun: true,
        ..Conversation::default()
    }
}

fn past(id: &str, left_at: Timestamp) -> PastConversation {
    PastConversation { id: id.into(), name: Some(format!("name of {id}")), left_at }
}

/// Adds an agent that has ended and was in this conversation.
fn ended(context: &TestContext, name: &str, kind: &str, current: &Conversation) -> AgentRecord {
    let record = context.agent_with(name, Status::Idle, |record| {
        record.kind = kind.into();
        record.conversation = current.clone();
    });
    context.end_process(name, exit_code(0));
    context.set_status(name, Status::Stopped, "it was ended on request");
    record
}

fn refusal(context: &TestContext, name: &str, wanted: &str) -> Error {
    Conversations(context).resume_with(&agent_name(name), wanted).unwrap_err()
}

#[test]
fn the_current_conversation_is_listed_first_and_the_others_latest_first() {
    let context = TestContext::new();
    let now = context.now();
    context.agent_with("api", Status::Idle, |record| {
        record.conversation = conversation("c3", None);
        record.conversations = vec![past("c1", now), past("c2", now)];
    });
    let all = Conversations(&context).conversations(&agent_name("api")).unwrap();
    let shown: Vec<_> = all.iter().map(|view| (view.id.as_deref().unwrap(), view.current)).collect();
    assert_eq!(shown, [("c3", true), ("c2", false), ("c1", false)]);
    assert_eq!((all[0].left_at, all[1].left_at), (None, Some(now)));
    let error = Conversations(&context).conversations(&agent_name("ap")).unwrap_err();
    assert_eq!(error.code(), Code::NoSuchAgent);
}

#[test]
fn an_agent_cannot_resume_the_conversation_of_another() {
    let context = TestContext::new();
    let id = "1d0b7a2e-0000-4000-8000-000000000001";
    ended(&context, "first", "claude", &conversation(id, None));
    ended(&context, "second", "claude", &conversation("c2", None));
    ended(&context, "codex", "codex", &conversation("c3", None));
    let error = refusal(&context, "second", id);
    assert_eq!(error.code(), Code::Unsafe);
    assert_eq!(error.to_string(), format!("conversation {id} belongs to agent `first`"));
    assert_eq!(context.stored("second").conversation.id.as_deref(), Some("c2"), "nothing has changed");
    assert!(!context.sent_to_tmux(&["new-session"]));
}

#[test]
fn the_conversation_of_a_running_agent_is_not_changed() {
    let context = TestContext::new();
    context.agent_with("api", Status::Idle, |record| record.kind = "claude".into());
    let error = refusal(&context, "api", "other");
    assert_eq!(error.code(), Code::StillRunning);
    assert!(error.hints().join("\n").contains("symposium agent kill api"), "{:?}", error.hints());
}

#[test]
fn a_conversation_needs_a_name_and_an_agent_cli_that_can_choose_one() {
    let context = TestContext::new();
    ended(&context, "api", "claude", &conversation("c1", None));
    ended(&context, "plain", "command", &Conversation::default());
    assert_eq!(refusal(&context, "api", " \t").code(), Code::Usage);
    let error = refusal(&context, "plain", "other");
    assert_eq!(error.code(), Code::Usage);
    assert_eq!(error.hints(), ["omit `--conversation`: `symposium agent resume plain`"]);
}
