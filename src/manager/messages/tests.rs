//! Mail and the board: who gets a message, what remains unread, and who wrote a note.

use crate::env::{AGENT, AGENT_ID};
use crate::error::Code;
use crate::manager::messages::Messages;
use crate::manager::messages::board::{MAX_NOTE_BYTES, NoteWrite};
use crate::manager::messages::mail::{MessageFilter, MessageRequest};
use crate::manager::registry::RegistryWriter;
use crate::manager::removal::AgentRemoval;
use crate::manager::removal::remove::Removal;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{AgentName, Message, Status};

fn send(context: &TestContext, by: Option<&str>, to: &str, text: &str) -> Vec<Message> {
    let by = by.map(agent_name);
    let request = MessageRequest { to: to.into(), text: text.into(), by, dir: None };
    Messages(context).message_send(&request).unwrap()
}

fn unread(context: &TestContext, of: Option<&str>) -> Vec<String> {
    let filter = MessageFilter { of: of.map(agent_name), ..MessageFilter::default() };
    let mail = Messages(context).message_list(&filter).unwrap();
    mail.into_iter().map(|message| message.text).collect()
}

fn recipients(sent: &[Message]) -> Vec<&str> {
    sent.iter().map(|message| message.to.as_ref().map_or("person", AgentName::as_str)).collect()
}

#[test]
fn message_stays_unread_until_it_is_read_and_is_returned_once() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    send(&context, None, "api", "hello");
    assert_eq!(unread(&context, Some("api")), ["hello"]);
    let read = Messages(&context).message_read(Some(&agent_name("api"))).unwrap();
    assert_eq!((read.len(), read[0].from.as_str()), (1, "person"));
    assert!(unread(&context, Some("api")).is_empty());
    assert!(Messages(&context).message_read(Some(&agent_name("api"))).unwrap().is_empty());
}

#[test]
fn listing_with_all_contains_read_and_sent_messages_in_order() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.agent("docs", Status::Working);
    send(&context, Some("docs"), "api", "one");
    Messages(&context).message_read(Some(&agent_name("api"))).unwrap();
    send(&context, Some("api"), "docs", "two");
    let list = |newest| {
        let filter = MessageFilter { of: Some(agent_name("api")), all: true, newest };
        let mail = Messages(&context).message_list(&filter).unwrap();
        mail.into_iter().map(|message| message.text).collect::<Vec<_>>()
    };
    assert_eq!(list(None), ["one", "two"]);
    assert_eq!(list(Some(1)), ["two"]);
}

#[test]
fn message_to_children_reaches_each_child_and_no_other_agent() {
    let context = TestContext::new();
    context.agent("lead", Status::Working);
    for name in ["one", "two"] {
        context.agent_with(name, Status::Idle, |record| record.parent = Some(agent_name("lead")));
    }
    context.agent("other", Status::Idle);
    assert_eq!(recipients(&send(&context, Some("lead"), "children", "go")), ["one", "two"]);
    assert_eq!(recipients(&send(&context, Some("one"), "parent", "done")), ["lead"]);
}

#[test]
fn message_to_the_user_lands_in_the_users_mail_and_is_an_event_of_the_sender() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    assert_eq!(recipients(&send(&context, Some("api"), "person", "which port?")), ["person"]);
    assert_eq!(unread(&context, None), ["which port?"]);
    assert_eq!(context.events("wrote"), ["which port?"]);
}

#[test]
fn process_of_an_unknown_agent_cannot_write_in_the_name_of_the_user() {
    for id in ["", "00000000-0000-0000-0000-000000000000"] {
        let context = TestContext::of_caller(&[(AGENT, "gone"), (AGENT_ID, id)]);
        context.agent("api", Status::Working);
        let request = MessageRequest { to: "api".into(), text: "x".into(), ..MessageRequest::default() };
        let error = Messages(&context).message_send(&request).unwrap_err();
        assert_eq!(error.code(), Code::UnknownCaller, "{id:?}");
        assert!(unread(&context, Some("api")).is_empty());
    }
}

#[test]
fn unknown_recipient_sends_nothing_and_suggests_a_similar_name() {
    let context = TestContext::new();
    context.agent("backend", Status::Idle);
    let request = MessageRequest { to: "backen".into(), text: "x".into(), ..MessageRequest::default() };
    let error = Messages(&context).message_send(&request).unwrap_err();
    assert!(error.text().contains("backend"), "{}", error.text());
    assert!(unread(&context, Some("backend")).is_empty());
}

#[test]
fn agent_that_is_called_person_cannot_send_mail() {
    let context = TestContext::new();
    context.agent("person", Status::Working);
    context.agent("api", Status::Idle);
    let by = Some(agent_name("person"));
    let request = MessageRequest { to: "api".into(), text: "x".into(), by, dir: None };
    let error = Messages(&context).message_send(&request).unwrap_err();
    assert!(error.to_string().contains("cannot send messages"), "{error}");
}

#[test]
fn recipient_is_shown_with_its_new_name_after_a_rename() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Working);
    send(&context, None, "api", "hello");
    RegistryWriter(&context)
        .write(|edit| {
            edit.remove(&api.name);
            edit.put(crate::model::AgentRecord { name: agent_name("server"), ..api.clone() })
        })
        .unwrap();
    let filter = MessageFilter { of: Some(agent_name("server")), ..MessageFilter::default() };
    let mail = Messages(&context).message_list(&filter).unwrap();
    assert_eq!(recipients(&mail), ["server"]);
}

#[test]
fn mail_under_the_name_of_an_earlier_agent_is_not_shown_as_sent() {
    let context = TestContext::new();
    let former = context.agent("api", Status::Working);
    send(&context, Some("api"), "person", "from the former");
    RegistryWriter(&context).write(|edit| edit.remove(&former.name)).unwrap();
    context.close_session("api");
    context.advance_seconds(10);
    context.agent("api", Status::Working);
    let filter = MessageFilter { of: Some(agent_name("api")), all: true, newest: None };
    assert!(Messages(&context).message_list(&filter).unwrap().is_empty());
}

#[test]
fn send_names_recipients_that_do_not_get_the_message_soon() {
    let context = TestContext::new();
    context.agent("busy", Status::Working);
    context.agent_with("top", Status::Working, |record| record.kind = "command".into());
    let to_busy = Messages(&context).message_remarks(&send(&context, None, "busy", "x"));
    assert!(to_busy.iter().any(|remark| remark.contains("waits until `busy` is idle")), "{to_busy:?}");
    let to_top = Messages(&context).message_remarks(&send(&context, None, "top", "x"));
    assert!(to_top.iter().any(|remark| remark.contains("`top` is a plain command")), "{to_top:?}");
}

#[test]
fn note_keeps_its_last_author_and_time() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    let api = agent_name("api");
    Messages(&context).board_write(None, "plan", ("one\n", NoteWrite::Set), None).unwrap();
    context.advance_seconds(60);
    let note =
        Messages(&context).board_write(None, "plan", ("two\n", NoteWrite::Append), Some(&api)).unwrap();
    assert_eq!(note.value.as_deref(), Some("one\ntwo\n"));
    assert_eq!((note.author.as_str(), note.at), ("api", context.now()));
}

#[test]
fn notes_of_another_project_are_not_on_the_board() {
    let context = TestContext::new();
    Messages(&context).board_write(None, "plan", ("here", NoteWrite::Set), None).unwrap();
    let other = context.project().join("other");
    std::fs::create_dir(&other).unwrap();
    assert!(Messages(&context).board_list(Some(&other)).unwrap().is_empty());
    assert_eq!(Messages(&context).board_list(None).unwrap().len(), 1);
}

#[test]
fn note_beyond_the_limit_is_refused_and_leaves_the_note_as_it_was() {
    let context = TestContext::new();
    Messages(&context).board_write(None, "log", ("small", NoteWrite::Set), None).unwrap();
    let long = "x".repeat(usize::try_from(MAX_NOTE_BYTES).unwrap());
    assert!(Messages(&context).board_write(None, "log", (&long, NoteWrite::Append), None).is_err());
    assert_eq!(Messages(&context).board_get(None, "log").unwrap().value.as_deref(), Some("small"));
}

#[test]
fn missing_note_is_an_error_that_lists_existing_notes() {
    let context = TestContext::new();
    Messages(&context).board_write(None, "planning", ("x", NoteWrite::Set), None).unwrap();
    let error = Messages(&context).board_get(None, "plannin").unwrap_err();
    assert!(error.text().contains("planning"), "{}", error.text());
    assert!(!Messages(&context).board_remove(None, "plannin").unwrap());
    assert!(Messages(&context).board_remove(None, "planning").unwrap());
}

#[test]
fn later_agent_with_the_name_of_a_removed_one_gets_no_mail_of_it() {
    let context = TestContext::new();
    let former = context.agent("api", Status::Stopped);
    send(&context, None, "api", "hello");
    AgentRemoval(&context).rm(&former.name, Removal::Careful).unwrap();
    context.agent("api", Status::Idle);
    let filter = MessageFilter { of: Some(agent_name("api")), all: true, newest: None };
    assert!(Messages(&context).message_list(&filter).unwrap().is_empty());
}
