//! Tests for messages and the board: recipients, claiming and deletion.

use super::*;
use crate::model::{MessageId, MessageState, NewMessage, Recipient};

fn new(to: &Recipient, text: &str, wake: bool) -> NewMessage {
    NewMessage { from: "lead".into(), to: to.clone(), project: None, text: text.into(), wake }
}

fn agent(name: &str) -> (AgentId, Recipient) {
    let id = AgentId::fresh();
    (id, Recipient::Agent(id, name.parse().unwrap()))
}

fn texts(ledger: &Ledger, query: &MessageQuery<'_>) -> Vec<String> {
    ledger.messages(query).unwrap().into_iter().map(|message| message.text).collect()
}

#[test]
fn mail_is_found_by_recipient_and_state() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let (id, fix) = agent("fix");
    let (_, docs) = agent("docs");
    let mail = [
        new(&fix, "one", true),
        new(&docs, "two", false),
        new(&Recipient::Person, "three", false),
        NewMessage { from: "person".into(), project: Some("/api".into()), ..new(&fix, "four", false) },
    ];
    let ids = ledger.add_messages(&mail, at(1)).unwrap();
    let all = MessageQuery::default();
    assert_eq!(texts(&ledger, &all), ["one", "two", "three", "four"]);
    assert_eq!(texts(&ledger, &MessageQuery { to: Some(&fix), ..all }), ["one", "four"]);
    assert_eq!(texts(&ledger, &MessageQuery { to: Some(&Recipient::Person), ..all }), ["three"]);
    assert_eq!(texts(&ledger, &MessageQuery { from: Some("person"), ..all }), ["four"]);
    assert_eq!(texts(&ledger, &MessageQuery { newest: Some(2), ..all }), ["three", "four"]);
    assert_eq!(texts(&ledger, &MessageQuery { since: Some(at(2)), ..all }), [""; 0]);
    let four = ledger.message(ids[3]).unwrap().unwrap();
    assert_eq!((four.project.as_deref(), four.wake, four.to_id), (Some("/api"), false, Some(id)));
    assert_eq!(ledger.message(MessageId(99)).unwrap(), None);
}

#[test]
fn only_mail_that_wakes_is_typed_in_the_oldest_first() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let (id, fix) = agent("fix");
    let mail = [new(&fix, "quiet", false), new(&fix, "one", true), new(&fix, "two", true)];
    ledger.add_messages(&mail, at(1)).unwrap();
    ledger.add_messages(&[new(&Recipient::Person, "look", true)], at(1)).unwrap();
    assert_eq!(ledger.mail().unwrap(), [id].into());
    let next = ledger.next_message(id).unwrap().unwrap();
    assert_eq!(next.text, "one");
    let claim = (MessageState::Waiting, MessageState::Dispatched);
    assert!(ledger.move_message(next.id, claim, "typed", at(2)).unwrap());
    assert!(!ledger.move_message(next.id, claim, "typed", at(2)).unwrap(), "one of two agents claims it");
    ledger.park_message(next.id, "unknown recipient", at(3)).unwrap();
    assert_eq!(ledger.next_message(id).unwrap().unwrap().text, "two", "it waits to be asked for");
    let taken: Vec<_> = ledger.take_messages(&fix, at(4)).unwrap().into_iter().map(|m| m.text).collect();
    assert_eq!(taken, ["quiet", "one", "two"]);
    ledger.park_message(next.id, "too late", at(5)).unwrap();
    assert_eq!(ledger.take_messages(&fix, at(5)).unwrap(), [], "read messages stay read");
    assert!(ledger.mail().unwrap().is_empty());
}

#[test]
fn mail_is_deleted_with_its_agent_and_when_old_and_read() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let (id, fix) = agent("fix");
    let (_, docs) = agent("docs");
    ledger.add_messages(&[new(&fix, "read", true)], at(1)).unwrap();
    ledger.take_messages(&fix, at(2)).unwrap();
    let mail = [new(&fix, "gone", true), new(&docs, "kept", true), new(&Recipient::Person, "yours", false)];
    ledger.add_messages(&mail, at(3)).unwrap();
    ledger.drop_mail(id).unwrap();
    assert_eq!(texts(&ledger, &MessageQuery::default()), ["read", "kept", "yours"]);
    assert_eq!(ledger.forget_before(at(2)).unwrap(), 0);
    assert_eq!(ledger.forget_before(at(9)).unwrap(), 1);
    assert_eq!(texts(&ledger, &MessageQuery::default()), ["kept", "yours"], "unread mail is kept");
}

#[test]
fn note_is_replaced_or_appended_and_records_its_author() {
    let env = TestLedger::new();
    let ledger = env.ledger();
    let write = |key: &str, value: &str, writing, author: &str, seconds| {
        ledger.board_write(("/api", key), (value, writing), (author, at(seconds)), 10).unwrap()
    };
    assert_eq!(write("plan", "one", NoteWrite::Append, "person", 1), Ok(()));
    assert_eq!(write("plan", "two", NoteWrite::Append, "fix", 2), Ok(()));
    let plan = ledger.board_get("/api", "plan").unwrap().unwrap();
    assert_eq!(plan.value.as_deref(), Some("one\ntwo"));
    assert_eq!((plan.author.as_str(), plan.at, plan.version, plan.size), ("fix", at(2), 2, 7));
    assert_eq!(write("plan", "more", NoteWrite::Append, "fix", 3), Err(12));
    assert_eq!(write("plan", "ärger", NoteWrite::Set, "docs", 4), Ok(()));
    assert_eq!(ledger.board_get("/web", "plan").unwrap(), None);
    assert_eq!(write("a", "", NoteWrite::Set, "docs", 5), Ok(()));
    let notes = ledger.board_list("/api").unwrap();
    let notes: Vec<_> = notes.iter().map(|n| (n.key.as_str(), n.size, n.version, &n.value)).collect();
    assert_eq!(notes, [("a", 0, 1, &None), ("plan", 6, 3, &None)]);
    assert!(ledger.board_remove("/api", "plan").unwrap());
    assert!(!ledger.board_remove("/api", "plan").unwrap());
}
