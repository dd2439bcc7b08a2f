//! What a recap and a digest report, and since when.

use crate::manager::messages::Messages;
use crate::manager::messages::mail::MessageRequest;
use crate::manager::recaps::Recaps;
use crate::manager::tasks::Tasks;
use crate::manager::tasks::add::TaskRequest;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::Status;

#[test]
fn recap_begins_when_the_last_terminal_detached() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.set_status("api", Status::Working, "before");
    context.advance_seconds(60);
    let left = context.now();
    context.edit("api", |record| record.last_detached = Some(left));
    context.advance_seconds(60);
    context.set_status("api", Status::Idle, "after");
    let recap = Recaps(&context).recap(&agent_name("api"), None).unwrap();
    assert_eq!((recap.since, recap.until), (left, context.now()));
    let text = serde_json::to_string(&recap).unwrap();
    assert!(text.contains("after") && !text.contains("before"), "{text}");
}

#[test]
fn recap_never_begins_before_the_agent_existed_or_after_now() {
    let context = TestContext::new();
    context.advance_seconds(600);
    let record = context.agent("api", Status::Idle);
    let early = record.created_at - std::time::Duration::from_secs(300);
    let recap = Recaps(&context).recap(&record.name, Some(early)).unwrap();
    assert_eq!(recap.since, record.created_at);
    let late = context.now() + std::time::Duration::from_secs(300);
    assert_eq!(Recaps(&context).recap(&record.name, Some(late)).unwrap().since, context.now());
}

#[test]
fn recap_lists_tasks_that_ended_and_mail() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let request = TaskRequest { to: "api".into(), text: "write docs".into(), ..TaskRequest::default() };
    let task = Tasks(&context).task_add(request).unwrap().task;
    Tasks(&context).task_done(task.id, Some("written")).unwrap();
    let mail = MessageRequest { to: "api".into(), text: "well done".into(), ..MessageRequest::default() };
    Messages(&context).message_send(&mail).unwrap();
    let text = serde_json::to_string(&Recaps(&context).recap(&agent_name("api"), None).unwrap()).unwrap();
    for part in ["write docs", "it was reported done", "well done"] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
}

#[test]
fn attach_offers_a_recap_only_after_a_longer_absence() {
    let context = TestContext::new();
    let record = context.agent("api", Status::Idle);
    let left = context.now();
    context.edit("api", |record| record.last_detached = Some(left));
    context.advance_seconds(299);
    assert_eq!(Recaps(&context).absent_since(&record.name), None);
    context.advance_seconds(1);
    assert_eq!(Recaps(&context).absent_since(&record.name), Some(left));
    context.configure("[attach]\nrecap = false\n");
    assert_eq!(Recaps(&context).absent_since(&record.name), None);
}

#[test]
fn digest_covers_a_day_at_first_and_then_the_time_since_the_last_one() {
    let context = TestContext::new();
    context.agent("quiet", Status::Idle);
    context.advance_seconds(25 * 3600);
    context.agent("busy", Status::Working);
    let digest = Recaps(&context).digest(None).unwrap();
    assert_eq!(digest.since, context.now() - std::time::Duration::from_secs(24 * 3600));
    let text = serde_json::to_string(&digest).unwrap();
    assert!(text.contains("busy") && !text.contains("quiet"), "{text}");
    Recaps(&context).note_digest_seen(digest.until).unwrap();
    context.advance_seconds(60);
    assert_eq!(Recaps(&context).digest(None).unwrap().since, digest.until);
}
