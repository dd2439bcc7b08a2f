//! What a recap and a digest report, and since when.

use crate::manager::messages::Messages;
use crate::manager::messages::mail::MessageRequest;
use crate::manager::recaps::Recaps;
use crate::manager::tasks::Tasks;
use crate::manager::tasks::add::TaskRequest;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{FailureCause, FailureSource, Status, TurnFailure};
use crate::rules::status::turn_failure::note_after;

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
    Recaps(&context).note_digest_seen(&digest).unwrap();
    context.advance_seconds(60);
    assert_eq!(Recaps(&context).digest(None).unwrap().since, digest.until);
}

#[test]
fn digest_that_begins_later_leaves_the_time_before_it_for_the_next_one() {
    let context = TestContext::new();
    let recaps = Recaps(&context);
    recaps.note_digest_seen(&recaps.digest(None).unwrap()).unwrap();
    let seen = context.now();
    context.advance_seconds(3600);
    let late = recaps.digest(Some(context.now() - std::time::Duration::from_secs(60))).unwrap();
    recaps.note_digest_seen(&late).unwrap();
    assert_eq!(recaps.digest(None).unwrap().since, seen);
    let early = recaps.digest(Some(seen - std::time::Duration::from_secs(60))).unwrap();
    recaps.note_digest_seen(&early).unwrap();
    assert_eq!(recaps.digest(None).unwrap().since, context.now(), "the digest had no gap");
}

#[test]
fn failed_turns_are_reported_and_need_the_user() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.agent("limited", Status::Working);
    let fail = |name: &str, cause| {
        let failure = TurnFailure { cause, message: "API Error: 500".into(), resets_at: None };
        let now = context.now();
        context.edit(name, |record| {
            record.status = note_after(&record.status, &failure, FailureSource::Hook, now);
        });
    };
    context.advance_seconds(60);
    fail("api", FailureCause::Error);
    fail("limited", FailureCause::Limit);
    let recap = Recaps(&context).recap(&agent_name("api"), None).unwrap();
    assert_eq!(
        recap.failed_turns.iter().map(|turn| turn.why.as_str()).collect::<Vec<_>>(),
        ["API Error: 500"]
    );
    assert_eq!(recap.failure.map(|failure| failure.cause), Some(FailureCause::Error));
    let digest = Recaps(&context).digest(None).unwrap();
    let names: Vec<&str> = digest.needs_you.agents.iter().map(|name| name.as_str()).collect();
    assert_eq!(names, ["api"], "the limit ends by itself");
    // After the next turn the failure is still an event of the period.
    context.advance_seconds(60);
    context.set_status("api", Status::Working, "it accepted a prompt");
    context.set_status("api", Status::Idle, "it is done");
    let recap = Recaps(&context).recap(&agent_name("api"), None).unwrap();
    assert_eq!((recap.failure, recap.failed_turns.len()), (None, 1));
    assert_eq!(context.events("turn-failed").len(), 2);
}
