//! Automatic restarts: when they are planned, executed and given up.

use super::*;

#[test]
fn crashed_agent_is_planned_for_a_restart_with_growing_delays() {
    let context = TestContext::new();
    restarting(&context, "api");
    let mut delays = Vec::new();
    for _ in 0..4 {
        let crashed = context.stored("api").status.since;
        let planned = restart_round(&context);
        let at = planned.schedule.next.unwrap();
        let stored = context.stored("api").restart.next_at.unwrap();
        assert_eq!(stored.as_millisecond(), at.as_millisecond(), "the plan survives the supervisor");
        assert!(planned.restarted.is_empty(), "not before the delay is over");
        delays.push(at.duration_since(crashed).as_secs_f64());
        context.advance(Duration::try_from(at.duration_since(context.now())).unwrap());
        let done = restart_round(&context);
        assert!(matches!(&done.restarted[..], [(name, Err(_))] if name.as_str() == "api"));
    }
    for (delay, least) in delays.iter().zip([1.0, 2.0, 4.0, 8.0]) {
        assert!((least..=least * 1.25).contains(delay), "{delays:?}");
    }
}

#[test]
fn restarts_end_after_the_limit_with_a_reason() {
    let context = TestContext::new();
    context.configure("[restart]\nmost = 2\n");
    restarting(&context, "api");
    let mut rounds = 0;
    let gave_up = loop {
        let round = restart_round(&context);
        if !round.schedule.gave_up.is_empty() {
            break round.schedule.gave_up;
        }
        rounds += 1;
        assert!(rounds < 10);
        context.advance_seconds(10);
    };
    assert_eq!(gave_up, [agent_name("api")]);
    let record = context.stored("api");
    assert_eq!((record.status.status, record.restart.count), (Status::Crashed, 2));
    assert!(
        record.status.reason.starts_with("given up after 2 restarts in 10 min"),
        "{}",
        record.status.reason
    );
    assert_eq!(context.events("gave-up").len(), 1);
    context.advance_seconds(3600);
    let later = restart_round(&context);
    assert!(later.restarted.is_empty() && later.schedule.next.is_none(), "it stays given up");
}

#[test]
fn restarts_before_the_window_do_not_count() {
    let context = TestContext::new();
    context.configure("[restart]\nmost = 2\n");
    restarting(&context, "api");
    let before = context.now();
    context.edit("api", |record| record.restarts = vec![before, before]);
    context.advance_seconds(11 * 60);
    assert!(restart_round(&context).schedule.gave_up.is_empty());
}

#[test]
fn agent_without_a_policy_and_stopped_agents_stay_down() {
    let context = TestContext::new();
    context.agent("never", Status::Crashed);
    context.agent_with("stopped", Status::Stopped, |record| record.restart.policy = RestartPolicy::Always);
    context.agent_with("exited", Status::Exited, |record| record.restart.policy = RestartPolicy::OnFailure);
    let round = restart_round(&context);
    assert!(round.schedule.next.is_none() && round.restarted.is_empty());
}

#[test]
fn agent_that_a_user_started_meanwhile_is_not_restarted() {
    let context = TestContext::new();
    restarting(&context, "api");
    restart_round(&context);
    context.set_status("api", Status::Working, "a user resumed it");
    context.advance_seconds(60);
    assert!(restart_round(&context).restarted.is_empty());
}

#[test]
fn due_restarts_are_executed_in_the_order_of_their_times() {
    let context = TestContext::new();
    restarting(&context, "late");
    restarting(&context, "early");
    let (now, earlier) = (context.now(), context.now() - Duration::from_secs(5));
    context.edit("late", |record| record.restart.next_at = Some(now));
    context.edit("early", |record| record.restart.next_at = Some(earlier));
    let round = restart_round(&context);
    let names: Vec<_> = round.restarted.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["early", "late"]);
}

#[test]
fn restart_that_is_planned_far_in_the_future_is_planned_again() {
    let context = TestContext::new();
    restarting(&context, "api");
    let set_back = Some("2099-01-01T00:00:00Z".parse().unwrap());
    context.edit("api", |record| record.restart.next_at = set_back);
    let next = restart_round(&context).schedule.next.unwrap();
    assert!(next.duration_since(context.now()).as_secs() <= 300, "{next}");
}

#[test]
fn restart_that_was_planned_long_ago_is_executed_once() {
    let context = TestContext::new();
    restarting(&context, "api");
    let long_ago = Some("2020-01-01T00:00:00Z".parse().unwrap());
    context.edit("api", |record| record.restart.next_at = long_ago);
    assert_eq!(restart_round(&context).restarted.len(), 1);
    assert_eq!(context.stored("api").restart.count, 1);
    assert!(restart_round(&context).restarted.is_empty());
}

#[test]
fn restart_without_free_capacity_is_put_off_and_not_counted() {
    let context = TestContext::new();
    context.configure("max_agents = 1\n");
    restarting(&context, "api");
    context.agent("other", Status::Working);
    restart_round(&context);
    context.advance_seconds(2);
    let round = restart_round(&context);
    assert!(
        matches!(&round.restarted[..], [(_, Err(error))] if error.text().contains("max_agents")),
        "{:?}",
        round.restarted
    );
    let record = context.stored("api");
    assert_eq!((record.status.status, record.restart.count), (Status::Crashed, 0));
    assert_eq!(record.restart.next_at, Some(context.now() + Duration::from_secs(5)));
}
