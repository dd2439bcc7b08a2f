//! Prompts that are queued on a schedule.

use super::*;

#[test]
fn heartbeat_queues_its_prompt_when_the_interval_is_over() {
    let context = TestContext::new();
    let api = context.agent_with("api", Status::Idle, |record| record.heartbeat = heartbeat(600));
    let first = Maintenance(&context).queue_due_heartbeats().unwrap();
    assert!(first.queued.is_empty());
    assert_eq!(first.next, Some(context.now() + Duration::from_secs(600)));
    context.advance_seconds(600);
    assert_eq!(Maintenance(&context).queue_due_heartbeats().unwrap().queued, [api.name]);
    let queued = tasks(&context);
    assert_eq!((queued[0].text.as_str(), queued[0].source.as_str()), ("look at the mail", "heartbeat"));
}

#[test]
fn missed_heartbeats_are_queued_once() {
    let context = TestContext::new();
    context.agent_with("api", Status::Idle, |record| record.heartbeat = heartbeat(600));
    context.advance_seconds(6 * 3600 + 30);
    assert_eq!(Maintenance(&context).queue_due_heartbeats().unwrap().queued.len(), 1);
    let next = Maintenance(&context).queue_due_heartbeats().unwrap();
    assert!(next.queued.is_empty());
    assert_eq!(next.next, Some(context.now() + Duration::from_secs(570)), "the schedule is kept");
}

#[test]
fn heartbeat_is_skipped_while_the_last_one_is_not_done() {
    let context = TestContext::new();
    context.agent_with("api", Status::Working, |record| record.heartbeat = heartbeat(600));
    context.advance_seconds(600);
    Maintenance(&context).queue_due_heartbeats().unwrap();
    context.advance_seconds(600);
    assert!(Maintenance(&context).queue_due_heartbeats().unwrap().queued.is_empty());
    Tasks(&context).task_done(tasks(&context)[0].id, None).unwrap();
    context.advance_seconds(600);
    assert_eq!(Maintenance(&context).queue_due_heartbeats().unwrap().queued.len(), 1);
}

#[test]
fn missed_cron_heartbeat_is_queued_once_with_the_time_of_the_latest() {
    let context = TestContext::new();
    let prompt = "a new year".to_owned();
    let last = Some("2020-01-01T00:00:00Z".parse().unwrap());
    context.agent_with("api", Status::Idle, |record| {
        record.heartbeat = Some(Heartbeat { schedule: Schedule::Cron("0 0 1 1 *".into()), prompt, last });
    });
    assert_eq!(Maintenance(&context).queue_due_heartbeats().unwrap().queued.len(), 1);
    assert!(Maintenance(&context).queue_due_heartbeats().unwrap().queued.is_empty());
    let beat = context.stored("api").heartbeat.unwrap().last.unwrap();
    assert!(
        beat.to_string().starts_with("2025-12-31") || beat.to_string().starts_with("2026-01-01"),
        "{beat}"
    );
}

#[test]
fn heartbeats_continue_after_the_clock_was_set_back() {
    let context = TestContext::new();
    let last = Some("2099-01-01T00:00:00Z".parse().unwrap());
    for (name, schedule) in [("every", Schedule::Every(3600)), ("cron", Schedule::Cron("0 0 1 1 *".into()))] {
        context.agent_with(name, Status::Idle, |record| {
            record.heartbeat = Some(Heartbeat { schedule, prompt: "look".into(), last });
        });
    }
    assert_eq!(Maintenance(&context).queue_due_heartbeats().unwrap().queued.len(), 2);
    for name in ["every", "cron"] {
        assert!(context.stored(name).heartbeat.unwrap().last < last, "{name}");
    }
}
