//! Notices to the user, and questions that are sent to a parent.

use super::*;

#[test]
fn waiting_agent_causes_one_notice() {
    let context = TestContext::new();
    let mut announcer = Announcer::new(10);
    context.agent("api", Status::Working);
    context.agent("docs", Status::Working);
    context.attach_driver("docs");
    assert!(announce(&context, &mut announcer).is_empty());
    context.edit("api", |record| {
        record.status =
            StatusNote::waiting(WaitingFor::Approval, record.status.since, "delete the database?");
    });
    let sent = announce(&context, &mut announcer);
    assert!(
        matches!(&sent[..], [notice] if notice.contains("api") && notice.contains("delete the database?")),
        "{sent:?}"
    );
    assert!(context.sent_to_tmux(&["delete the database?"]), "attached terminals show it");
    assert!(announce(&context, &mut announcer).is_empty());
    assert!(announce(&context, &mut Announcer::new(10)).is_empty(), "nor after a restart of the supervisor");
}

#[test]
fn notices_beyond_the_rate_limit_are_summed_up_a_minute_later() {
    let context = TestContext::new();
    let mut announcer = Announcer::new(1);
    let mut sent = Vec::new();
    for name in ["one", "two", "three"] {
        context.agent(name, Status::Working);
        context.set_status(name, Status::Crashed, "exit code 1");
        sent.extend(announce(&context, &mut announcer));
    }
    assert!(matches!(&sent[..], [notice] if notice.contains("one")), "{sent:?}");
    context.advance_seconds(59);
    assert!(announce(&context, &mut announcer).is_empty());
    context.advance_seconds(1);
    let sent = announce(&context, &mut announcer);
    assert!(matches!(&sent[..], [notice] if notice.starts_with("2 notices were held back")), "{sent:?}");
}

#[test]
fn question_of_an_agent_is_announced_even_beyond_the_rate_limit() {
    let context = TestContext::new();
    let mut announcer = Announcer::new(1);
    context.agent("one", Status::Working);
    context.set_status("one", Status::Crashed, "exit code 1");
    announce(&context, &mut announcer);
    context.agent("two", Status::Working);
    context.edit("two", |record| {
        record.status = StatusNote::waiting(WaitingFor::Question, record.status.since, "which port?");
    });
    let sent = announce(&context, &mut announcer);
    assert!(matches!(&sent[..], [notice] if notice.contains("which port?")), "{sent:?}");
}

#[test]
fn only_configured_events_are_announced() {
    let context = TestContext::new();
    context.configure("[notify]\non = [\"crashed\"]\n");
    context.agent("api", Status::Working);
    context.set_status("api", Status::Idle, "done");
    context.agent("docs", Status::Working);
    context.set_status("docs", Status::Crashed, "exit code 1");
    let sent = Notifications(&context).send_due_notices(&mut Announcer::new(10)).unwrap().sent;
    let events: Vec<_> = sent.iter().map(|sent| sent.notice.on).collect();
    assert_eq!(events, [NotifyOn::Crashed]);
}

#[test]
fn quiet_hours_keep_notices_off_the_terminals() {
    let context = TestContext::new();
    context.configure("[notify]\nquiet_hours = \"00:00-23:59\"\n");
    context.agent("docs", Status::Working);
    context.attach_driver("docs");
    context.agent("api", Status::Working);
    context.set_status("api", Status::Crashed, "exit code 1");
    assert_eq!(announce(&context, &mut Announcer::new(10)).len(), 1, "the user's command still gets it");
    assert!(!context.sent_to_tmux(&["display-message"]), "{:?}", context.tmux.received());
}

#[test]
fn events_of_a_removed_agent_do_not_block_the_notices_of_others() {
    let context = TestContext::new();
    let gone = context.agent("gone", Status::Working);
    context.set_status("gone", Status::Crashed, "exit code 1");
    RegistryWriter(&context).write(|edit| edit.remove(&gone.name)).unwrap();
    context.agent("api", Status::Working);
    context.set_status("api", Status::Crashed, "exit code 2");
    let sent = announce(&context, &mut Announcer::new(10));
    assert!(sent.iter().any(|notice| notice.contains("api")), "{sent:?}");
}

#[test]
fn question_of_a_child_is_sent_to_its_parent_once() {
    let context = TestContext::new();
    context.agent("lead", Status::Working);
    context.agent_with("child", Status::Working, |record| record.parent = Some(agent_name("lead")));
    context.advance_seconds(1);
    let since = context.now();
    context.edit("child", |record| {
        record.status = StatusNote::waiting(WaitingFor::Question, since, "which port?");
    });
    assert_eq!(Maintenance(&context).forward_questions().unwrap(), [agent_name("child")]);
    assert!(Maintenance(&context).forward_questions().unwrap().is_empty());
    let filter = MessageFilter { of: Some(agent_name("lead")), ..MessageFilter::default() };
    let mail = Messages(&context).message_list(&filter).unwrap();
    assert!(
        matches!(&mail[..], [notice] if notice.from == "child" && notice.text.contains("which port?")),
        "{mail:?}"
    );
}

#[test]
fn agent_that_is_given_up_is_announced_instead_of_its_last_crash() {
    let context = TestContext::new();
    context.configure("[restart]\nmost = 0\n");
    restarting(&context, "api");
    restart_round(&context);
    let sent = Notifications(&context).send_due_notices(&mut Announcer::new(10)).unwrap().sent;
    let events: Vec<_> = sent.iter().map(|sent| (sent.notice.on, sent.notice.title.as_str())).collect();
    assert_eq!(events, [(NotifyOn::GaveUp, "api is no longer restarted")]);
}

#[test]
fn a_notification_service_that_does_not_answer_delays_no_notice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bus");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let address = format!("unix:path={}", path.display());
    let context = TestContext::of_caller(&[("DBUS_SESSION_BUS_ADDRESS", &address)]);
    context.agent("api", Status::Working);
    context.set_status("api", Status::Crashed, "exit code 1");
    let mut announcer = Announcer::new(10);
    let sent = Notifications(&context).send_due_notices(&mut announcer).unwrap().sent;
    // A round that waits for the service reports that it did not answer.
    assert!(matches!(&sent[..], [sent] if sent.failures.is_empty()), "{sent:?}");
    // The service refuses the connection, which ends the thread.
    drop(listener.accept().unwrap());
    let failures = std::iter::repeat_with(|| {
        std::thread::yield_now();
        Notifications(&context).send_due_notices(&mut announcer).unwrap().desktop_failures
    });
    let failures = failures.take(100_000).find(|failures| !failures.is_empty());
    assert_eq!(failures.map(|failures| failures.len()), Some(1));
}
