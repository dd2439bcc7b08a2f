//! Tests of notices, case by case.

use proptest::prelude::*;

use crate::model::{Config, WaitingFor};
use crate::rules::lifecycle::evict::tests::{agent, terminal};
use crate::rules::notify::notice::*;
use crate::rules::status::decide::tests::at;

fn wishes() -> Wishes {
    Wishes { usual: Config::default().notify.on, own: HashMap::new() }
}

fn happening(agent: &Agent, what: What, why: &str) -> LedgerEvent {
    LedgerEvent { at: at(50), agent: agent.id, name: agent.name.clone(), what, why: why.into() }
}

fn became(agent: &Agent, from: Status, why: &str) -> LedgerEvent {
    let what = What::Status {
        seq: 1,
        from: Some(from),
        to: agent.status,
        waiting_for: agent.waiting_for,
        exit: agent.exit,
    };
    happening(agent, what, why)
}

fn waiting(name: &str) -> Agent {
    Agent { waiting_for: Some(WaitingFor::Approval), ..agent(name, Status::Waiting) }
}

fn notices(happened: &[LedgerEvent], agents: &[Agent], wishes: &Wishes) -> Vec<Notice> {
    crate::rules::notify::notice::notices(happened, agents, wishes, &TimeZone::UTC)
}

/// Returns titles and bodies of the notices.
fn told(happened: &[LedgerEvent], agents: &[Agent]) -> Vec<(String, String)> {
    notices(happened, agents, &wishes()).into_iter().map(|notice| (notice.title, notice.body)).collect()
}

fn one(title: &str, body: &str) -> Vec<(String, String)> {
    vec![(title.into(), body.into())]
}

#[test]
fn each_reason_has_its_words() {
    use Status::*;
    let api = waiting("api-fix");
    let asked = became(&api, Working, "run `rm -rf build`?");
    assert_eq!(told(&[asked], &[api]), one("api-fix waits for approval", "run `rm -rf build`?"));
    for (what, title) in
        [(WaitingFor::Question, "a waits for an answer"), (WaitingFor::Setup, "a waits to be set up")]
    {
        let a = Agent { waiting_for: Some(what), ..agent("a", Waiting) };
        assert_eq!(told(&[became(&a, Working, "which?")], &[a]), one(title, "which?"));
    }
    let plain = agent("a", Waiting);
    assert_eq!(told(&[became(&plain, Working, "")], &[plain]), one("a waits for you", ""));
    for (status, title) in [(Idle, "a is done"), (Exited, "a is done"), (Crashed, "a crashed")] {
        let a = agent("a", status);
        assert_eq!(told(&[became(&a, Working, "why")], &[a]), one(title, "why"));
    }
    let a = agent("a", Working);
    for (what, title) in [
        (What::GaveUp, "a is given up"),
        (What::Hung, "a gives no sign of life"),
        (What::Wrote, "a wrote to you"),
    ] {
        assert_eq!(told(&[happening(&a, what, "why")], std::slice::from_ref(&a)), one(title, "why"));
    }
}

#[test]
fn what_is_no_news_is_not_told() {
    use Status::*;
    let idle = agent("a", Idle);
    for from in [Starting, Waiting, Unknown, Hibernated] {
        assert_eq!(told(&[became(&idle, from, "")], std::slice::from_ref(&idle)), []);
    }
    let stopped = became(&idle, Working, crate::rules::status::from_hook::INTERRUPTED);
    assert_eq!(told(&[stopped], std::slice::from_ref(&idle)), []);
    for status in [Working, Starting, Stopped, Lost, Hibernated, Unknown] {
        let a = agent("a", status);
        assert_eq!(told(&[became(&a, Working, "")], &[a]), [], "{status}");
    }
    for what in [What::Attached, What::Restarted, What::Heartbeat, What::Messaged, What::Removed] {
        assert_eq!(told(&[happening(&idle, what, "")], std::slice::from_ref(&idle)), []);
    }
}

#[test]
fn news_that_is_over_is_not_told_but_giving_up_is() {
    let api = waiting("a");
    let asked = became(&api, Status::Working, "run it?");
    let answered = Agent { status: Status::Working, ..api.clone() };
    assert_eq!(told(std::slice::from_ref(&asked), &[answered]), []);
    assert_eq!(told(&[asked], &[]), []);
    let stopped = Agent { status: Status::Stopped, ..api };
    assert_eq!(
        told(&[happening(&stopped, What::GaveUp, "5 times")], std::slice::from_ref(&stopped)).len(),
        1
    );
}

#[test]
fn one_that_was_ended_because_it_hung_is_told_once() {
    let mut a = agent("a", Status::Crashed);
    a.reason = "no sign of life: no output; it was ended".into();
    let news = [happening(&a, What::Hung, "no sign"), became(&a, Status::Working, &a.reason.clone())];
    assert_eq!(told(&news, std::slice::from_ref(&a)), one("a crashed", &a.reason.clone()));
    let wishes = Wishes { usual: vec![NotifyOn::Hung], own: HashMap::new() };
    assert_eq!(notices(&news, std::slice::from_ref(&a), &wishes).len(), 1);
    a.status = Status::Starting;
    a.reason = format!("it is started again (1 of 5): {}", a.reason);
    assert_eq!(notices(&news, std::slice::from_ref(&a), &wishes).len(), 1);
    a.reason = "it was just started".into();
    assert_eq!(notices(&news, &[a], &wishes), []);
}

#[test]
fn who_drives_an_agent_is_not_told_and_who_watches_is() {
    let mut a = waiting("a");
    let asked = [became(&a, Status::Working, "run it?")];
    a.clients = vec![terminal(true)];
    assert_eq!(told(&asked, std::slice::from_ref(&a)).len(), 1);
    a.clients.push(terminal(false));
    assert_eq!(told(&asked, &[a]), []);
}

#[test]
fn only_what_was_asked_for_is_told() {
    let a = waiting("a");
    let asked = [became(&a, Status::Working, "run it?")];
    let wishes = Wishes { usual: vec![NotifyOn::Crashed], own: HashMap::new() };
    assert_eq!(notices(&asked, &[a], &wishes), []);
}

#[test]
fn what_its_spec_chose_is_told_in_place_of_what_is_usual() {
    use NotifyOn::*;
    let agents = [waiting("a"), waiting("b"), agent("c", Status::Crashed), agent("d", Status::Crashed)];
    let happened: Vec<_> = agents.iter().map(|agent| became(agent, Status::Working, "")).collect();
    let [a, b, c, d] = agents.each_ref().map(|agent| agent.id);
    for (usual, own, titles) in [
        (vec![Crashed], vec![(a, vec![Waiting])], vec!["a waits for approval", "2 agents crashed: c, d"]),
        (vec![Waiting], vec![(a, vec![]), (c, vec![Crashed])], vec!["b waits for approval", "c crashed"]),
        (vec![], vec![(b, vec![Crashed]), (d, vec![Crashed, Waiting])], vec!["d crashed"]),
    ] {
        let wishes = Wishes { usual, own: own.into_iter().collect() };
        let told: Vec<String> =
            notices(&happened, &agents, &wishes).into_iter().map(|notice| notice.title).collect();
        assert_eq!(told, titles);
    }
}

#[test]
fn several_at_once_are_one_notice_for_each_reason() {
    let agents = [waiting("a"), waiting("b"), waiting("c"), agent("d", Status::Crashed)];
    let happened: Vec<_> = agents.iter().map(|agent| became(agent, Status::Working, "run\nit?")).collect();
    let notices = notices(&happened, &agents, &wishes());
    assert_eq!(notices.len(), 2);
    assert_eq!(notices[0].title, "3 agents wait for you: a, b, c");
    assert_eq!(notices[0].body, "a: run it?\nb: run it?\nc: run it?");
    assert_eq!(notices[0].agents.len(), 3);
    assert_eq!((&notices[1].title[..], notices[1].on), ("d crashed", NotifyOn::Crashed));
    let many: Vec<_> = (0..8).map(|n| waiting(&format!("a{n}"))).collect();
    let happened: Vec<_> = many.iter().map(|agent| became(agent, Status::Working, "")).collect();
    assert_eq!(told(&happened, &many)[0].0, "8 agents wait for you: a0, a1, a2, a3, a4 and 3 more");
}

#[test]
fn the_last_word_counts_and_giving_up_includes_the_crash() {
    let a = waiting("a");
    let asked = ["first?", "second?"].map(|why| became(&a, Status::Working, why));
    assert_eq!(told(&asked, &[a]), one("a waits for approval", "second?"));
    let b = agent("b", Status::Crashed);
    let fell =
        [became(&b, Status::Working, "code 3"), happening(&b, What::GaveUp, "given up after 5 restarts")];
    assert_eq!(told(&fell, &[b]), one("b is given up", "given up after 5 restarts"));
}

#[test]
fn a_renamed_agent_is_told_by_its_new_name() {
    let a = waiting("new");
    let asked = LedgerEvent { name: "old".parse().unwrap(), ..became(&a, Status::Working, "run it?") };
    assert_eq!(told(&[asked], &[a])[0].0, "new waits for approval");
}

#[test]
fn a_notice_is_json_with_these_names() {
    let a = waiting("a");
    let notices = notices(&[became(&a, Status::Working, "run it?")], &[a], &wishes());
    assert_eq!(
        serde_json::to_string(&notices).unwrap(),
        r#"[{"title":"a waits for approval","body":"run it?","urgency":"normal","agent":"a","agents":["a"],"on":"waiting","at":"1970-01-01T00:00:50.000Z"}]"#
    );
}

proptest! {
    #[test]
    fn a_body_is_a_short_clean_line(why in any::<String>()) {
        let a = waiting("a");
        let (_, body) = told(&[became(&a, Status::Working, &why)], &[a]).remove(0);
        prop_assert!(!body.chars().any(is_deceptive));
        prop_assert!(body.chars().count() <= MOST_CHARS + 1);
    }
}

#[test]
fn a_failed_turn_is_named_with_its_cause_and_reset_time() {
    use FailureCause::{Credit, Error, Limit, Login};
    let failed = |cause, resets_at: Option<i64>| FailedTurn {
        cause,
        at: at(50),
        resets_at: resets_at.map(at),
        held_until: None,
        in_a_row: 1,
        source: crate::model::FailureSource::Hook,
        paused: false,
    };
    for (status, failure, title) in [
        (Status::Waiting, failed(Limit, None), "e2 hit its usage limit"),
        (Status::Waiting, failed(Limit, Some(15 * 3600)), "e2 hit its usage limit, resets at 15:00"),
        (Status::Waiting, failed(Limit, Some(39 * 3600)), "e2 hit its usage limit, resets at Jan 2, 15:00"),
        (Status::Waiting, failed(Login, None), "e2 is not logged in"),
        (Status::Waiting, failed(Credit, None), "e2 has no credit left"),
        (Status::Idle, failed(Error, None), "a turn of e2 failed"),
    ] {
        let e2 = Agent { failure: Some(failure), ..agent("e2", status) };
        assert_eq!(told(&[became(&e2, Status::Working, "why")], &[e2]), one(title, "why"));
    }
}
