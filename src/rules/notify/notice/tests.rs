//! Tests of notices, case by case.

use proptest::prelude::*;

use crate::model::{Config, WaitingFor};
use crate::rules::lifecycle::capacity::tests::{agent, terminal};
use crate::rules::notify::notice::*;
use crate::rules::status::decide::tests::at;

fn choices() -> NotifyChoices {
    NotifyChoices { usual: Config::default().notify.on, own: HashMap::new() }
}

fn event(agent: &Agent, what: EventKind, why: &str) -> LedgerEvent {
    LedgerEvent { at: at(50), agent: agent.id, name: agent.name.clone(), what, why: why.into() }
}

fn became(agent: &Agent, from: Status, why: &str) -> LedgerEvent {
    let what = EventKind::Status {
        seq: 1,
        from: Some(from),
        to: agent.status,
        waiting_for: agent.waiting_for,
        exit: agent.exit,
    };
    event(agent, what, why)
}

fn waiting(name: &str) -> Agent {
    Agent { waiting_for: Some(WaitingFor::Approval), ..agent(name, Status::Waiting) }
}

fn notices(happened: &[LedgerEvent], agents: &[Agent], choices: &NotifyChoices) -> Vec<Notice> {
    crate::rules::notify::notice::notices(happened, agents, choices, &TimeZone::UTC)
}

/// Returns titles and bodies of the notices.
fn texts(happened: &[LedgerEvent], agents: &[Agent]) -> Vec<(String, String)> {
    notices(happened, agents, &choices()).into_iter().map(|notice| (notice.title, notice.body)).collect()
}

fn single_notice(title: &str, body: &str) -> Vec<(String, String)> {
    vec![(title.into(), body.into())]
}

#[test]
fn each_reason_has_a_description() {
    use Status::*;
    let api = waiting("api-fix");
    let waits = became(&api, Working, "run `rm -rf build`?");
    assert_eq!(texts(&[waits], &[api]), single_notice("api-fix waits for approval", "run `rm -rf build`?"));
    for (what, title) in
        [(WaitingFor::Question, "a waits for an answer"), (WaitingFor::Setup, "a waits to be set up")]
    {
        let a = Agent { waiting_for: Some(what), ..agent("a", Waiting) };
        assert_eq!(texts(&[became(&a, Working, "which?")], &[a]), single_notice(title, "which?"));
    }
    let plain = agent("a", Waiting);
    assert_eq!(texts(&[became(&plain, Working, "")], &[plain]), single_notice("a waits for you", ""));
    for (status, title) in [(Idle, "a is done"), (Exited, "a is done"), (Crashed, "a crashed")] {
        let a = agent("a", status);
        assert_eq!(texts(&[became(&a, Working, "why")], &[a]), single_notice(title, "why"));
    }
    let a = agent("a", Working);
    for (what, title) in [
        (EventKind::GaveUp, "a is no longer restarted"),
        (EventKind::Hung, "a gives no sign of life"),
        (EventKind::Wrote, "a wrote to you"),
    ] {
        assert_eq!(texts(&[event(&a, what, "why")], std::slice::from_ref(&a)), single_notice(title, "why"));
    }
}

#[test]
fn unchanged_state_is_not_announced() {
    use Status::*;
    let idle = agent("a", Idle);
    for from in [Starting, Waiting, Unknown, Hibernated] {
        assert_eq!(texts(&[became(&idle, from, "")], std::slice::from_ref(&idle)), []);
    }
    let stopped = became(&idle, Working, crate::rules::status::from_hook::INTERRUPTED);
    assert_eq!(texts(&[stopped], std::slice::from_ref(&idle)), []);
    for status in [Working, Starting, Stopped, Lost, Hibernated, Unknown] {
        let a = agent("a", status);
        assert_eq!(texts(&[became(&a, Working, "")], &[a]), [], "{status}");
    }
    for what in [
        EventKind::Attached,
        EventKind::Restarted,
        EventKind::Heartbeat,
        EventKind::Messaged,
        EventKind::Removed,
    ] {
        assert_eq!(texts(&[event(&idle, what, "")], std::slice::from_ref(&idle)), []);
    }
}

#[test]
fn outdated_events_are_not_announced_except_giving_up() {
    let api = waiting("a");
    let waits = became(&api, Status::Working, "run it?");
    let answered = Agent { status: Status::Working, ..api.clone() };
    assert_eq!(texts(std::slice::from_ref(&waits), &[answered]), []);
    assert_eq!(texts(&[waits], &[]), []);
    let stopped = Agent { status: Status::Stopped, ..api };
    assert_eq!(
        texts(&[event(&stopped, EventKind::GaveUp, "5 times")], std::slice::from_ref(&stopped)).len(),
        1
    );
}

#[test]
fn agent_ended_for_hanging_is_announced_once() {
    let mut a = agent("a", Status::Crashed);
    a.reason = "no sign of life: no output; it was ended".into();
    let events = [event(&a, EventKind::Hung, "no sign"), became(&a, Status::Working, &a.reason.clone())];
    assert_eq!(texts(&events, std::slice::from_ref(&a)), single_notice("a crashed", &a.reason.clone()));
    let choices = NotifyChoices { usual: vec![NotifyOn::Hung], own: HashMap::new() };
    assert_eq!(notices(&events, std::slice::from_ref(&a), &choices).len(), 1);
    a.status = Status::Starting;
    a.reason = format!("it is restarted (1 of 5): {}", a.reason);
    assert_eq!(notices(&events, std::slice::from_ref(&a), &choices).len(), 1);
    a.reason = "it was just started".into();
    assert_eq!(notices(&events, &[a], &choices), []);
}

#[test]
fn driver_gets_no_message_and_observers_do() {
    let mut a = waiting("a");
    let waits = [became(&a, Status::Working, "run it?")];
    a.clients = vec![terminal(true)];
    assert_eq!(texts(&waits, std::slice::from_ref(&a)).len(), 1);
    a.clients.push(terminal(false));
    assert_eq!(texts(&waits, &[a]), []);
}

#[test]
fn only_selected_events_are_announced() {
    let a = waiting("a");
    let waits = [became(&a, Status::Working, "run it?")];
    let choices = NotifyChoices { usual: vec![NotifyOn::Crashed], own: HashMap::new() };
    assert_eq!(notices(&waits, &[a], &choices), []);
}

#[test]
fn notify_choice_of_a_spec_replaces_the_default() {
    use NotifyOn::*;
    let agents = [waiting("a"), waiting("b"), agent("c", Status::Crashed), agent("d", Status::Crashed)];
    let happened: Vec<_> = agents.iter().map(|agent| became(agent, Status::Working, "")).collect();
    let [a, b, c, d] = agents.each_ref().map(|agent| agent.id);
    for (usual, own, titles) in [
        (vec![Crashed], vec![(a, vec![Waiting])], vec!["a waits for approval", "2 agents crashed: c, d"]),
        (vec![Waiting], vec![(a, vec![]), (c, vec![Crashed])], vec!["b waits for approval", "c crashed"]),
        (vec![], vec![(b, vec![Crashed]), (d, vec![Crashed, Waiting])], vec!["d crashed"]),
    ] {
        let choices = NotifyChoices { usual, own: own.into_iter().collect() };
        let texts: Vec<String> =
            notices(&happened, &agents, &choices).into_iter().map(|notice| notice.title).collect();
        assert_eq!(texts, titles);
    }
}

#[test]
fn several_at_once_are_one_notice_for_each_reason() {
    let agents = [waiting("a"), waiting("b"), waiting("c"), agent("d", Status::Crashed)];
    let happened: Vec<_> = agents.iter().map(|agent| became(agent, Status::Working, "run\nit?")).collect();
    let notices = notices(&happened, &agents, &choices());
    assert_eq!(notices.len(), 2);
    assert_eq!(notices[0].title, "3 agents wait for you: a, b, c");
    assert_eq!(notices[0].body, "a: run it?\nb: run it?\nc: run it?");
    assert_eq!(notices[0].agents.len(), 3);
    assert_eq!((&notices[1].title[..], notices[1].on), ("d crashed", NotifyOn::Crashed));
    let many: Vec<_> = (0..8).map(|n| waiting(&format!("a{n}"))).collect();
    let happened: Vec<_> = many.iter().map(|agent| became(agent, Status::Working, "")).collect();
    assert_eq!(texts(&happened, &many)[0].0, "8 agents wait for you: a0, a1, a2, a3, a4 and 3 more");
}

#[test]
fn last_event_counts_and_giving_up_includes_the_crash() {
    let a = waiting("a");
    let waits = ["first?", "second?"].map(|why| became(&a, Status::Working, why));
    assert_eq!(texts(&waits, &[a]), single_notice("a waits for approval", "second?"));
    let b = agent("b", Status::Crashed);
    let fell =
        [became(&b, Status::Working, "code 3"), event(&b, EventKind::GaveUp, "given up after 5 restarts")];
    assert_eq!(texts(&fell, &[b]), single_notice("b is no longer restarted", "given up after 5 restarts"));
}

#[test]
fn renamed_agent_is_reported_under_its_new_name() {
    let a = waiting("new");
    let waits = LedgerEvent { name: "old".parse().unwrap(), ..became(&a, Status::Working, "run it?") };
    assert_eq!(texts(&[waits], &[a])[0].0, "new waits for approval");
}

#[test]
fn a_notice_is_json_with_these_names() {
    let a = waiting("a");
    let notices = notices(&[became(&a, Status::Working, "run it?")], &[a], &choices());
    assert_eq!(
        serde_json::to_string(&notices).unwrap(),
        r#"[{"title":"a waits for approval","body":"run it?","urgency":"normal","agent":"a","agents":["a"],"on":"waiting","at":"1970-01-01T00:00:50.000Z"}]"#
    );
}

/// Returns a failed turn whose queue is released by itself.
fn failed(cause: FailureCause, resets_at: Option<i64>) -> FailedTurn {
    FailedTurn {
        cause,
        at: at(50),
        resets_at: resets_at.map(at),
        held_until: Some(at(99)),
        in_a_row: 1,
        same_cause: 1,
        source: crate::model::FailureSource::Hook,
        paused: false,
    }
}

#[test]
fn several_failed_turns_are_one_notice_for_each_cause() {
    use FailureCause::{Credit, Error, Limit, Login};
    let with =
        |name: &str, status, cause| Agent { failure: Some(failed(cause, None)), ..agent(name, status) };
    let agents = [
        with("a", Status::Waiting, Limit),
        waiting("asks"),
        with("b", Status::Waiting, Login),
        with("c", Status::Waiting, Limit),
        with("d", Status::Waiting, Login),
        with("e", Status::Idle, Error),
        with("f", Status::Idle, Error),
        agent("done", Status::Idle),
        with("g", Status::Waiting, Credit),
        with("h", Status::Waiting, Credit),
    ];
    let happened: Vec<LedgerEvent> =
        agents.iter().map(|agent| became(agent, Status::Working, "why")).collect();
    let titles: Vec<String> =
        notices(&happened, &agents, &choices()).into_iter().map(|notice| notice.title).collect();
    assert_eq!(
        titles,
        [
            "2 agents hit their usage limit: a, c",
            "asks waits for approval",
            "2 agents are not logged in: b, d",
            "2 agents had failed turns: e, f",
            "done is done",
            "2 agents have no credit left: g, h",
        ]
    );
}

#[test]
fn a_notice_says_how_a_queue_is_released_that_is_held_without_an_end() {
    let failure = FailedTurn { held_until: None, same_cause: 3, ..failed(FailureCause::Error, None) };
    let a = Agent { failure: Some(failure), ..agent("a", Status::Idle) };
    let (title, body) = texts(&[became(&a, Status::Working, "API Error: 500")], &[a]).remove(0);
    assert_eq!(title, "a turn of a failed");
    assert!(body.contains("symposium task retry") && body.ends_with(": API Error: 500"), "{body}");
}

proptest! {
    #[test]
    fn a_body_is_a_short_clean_line(why in any::<String>()) {
        let a = waiting("a");
        let (_, body) = texts(&[became(&a, Status::Working, &why)], &[a]).remove(0);
        prop_assert!(!body.chars().any(is_deceptive));
        prop_assert!(body.chars().count() <= MAX_CHARS + 1);
    }
}

#[test]
fn a_failed_turn_is_named_with_its_cause_and_reset_time() {
    use FailureCause::{Credit, Error, Limit, Login};
    for (status, failure, title) in [
        (Status::Waiting, failed(Limit, None), "e2 hit its usage limit"),
        (Status::Waiting, failed(Limit, Some(15 * 3600)), "e2 hit its usage limit, resets at 15:00"),
        (Status::Waiting, failed(Limit, Some(39 * 3600)), "e2 hit its usage limit, resets at Jan 2, 15:00"),
        (Status::Waiting, failed(Login, None), "e2 is not logged in"),
        (Status::Waiting, failed(Credit, None), "e2 has no credit left"),
        (Status::Idle, failed(Error, None), "a turn of e2 failed"),
    ] {
        let e2 = Agent { failure: Some(failure), ..agent("e2", status) };
        assert_eq!(texts(&[became(&e2, Status::Working, "why")], &[e2]), single_notice(title, "why"));
    }
}
