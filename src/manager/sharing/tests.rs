//! What is refused before an agent is shared, and which stored shares count.

use std::time::Duration;

use crate::env::Env;
use crate::error::Code;
use crate::manager::access::Access;
use crate::manager::sharing::{ConnectPurpose, ShareRequest, Sharing};
use crate::manager::status::AgentLookup;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{Share, Status};
use crate::tmux::GuestPermission;

fn share(context: &TestContext, name: &str, with: &str, lasts: Option<Duration>) -> (Code, String) {
    let request = ShareRequest { name: &agent_name(name), with, may: GuestPermission::Type, lasts };
    let error = Sharing(context).share(request).unwrap_err();
    (error.code(), error.text())
}

/// Returns the name of the user who runs the tests.
fn own_name() -> String {
    crate::process::user_name(Env::uid()).unwrap_or_else(|| "root".into())
}

#[test]
fn only_running_agents_are_shared_and_only_with_other_users() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    context.agent_with("old", Status::Stopped, |record| record.tmux = None);
    assert_eq!(share(&context, "missing", "ann", None).0, Code::NoSuchAgent);
    assert_eq!(share(&context, "old", "ann", None).0, Code::NotRunning);
    let (_, text) = share(&context, "api", "no-such-user-90001", None);
    assert!(text.contains("no-such-user-90001"), "{text}");
    let (code, text) = share(&context, "api", &own_name(), None);
    assert_eq!(code, Code::Usage);
    assert!(text.contains("is your own user"), "{text}");
    assert_eq!(Access(&context).written_shares(&agent_name("api")), []);
    assert!(!context.sent_to_tmux(&["new-session"]), "no process was started");
}

#[test]
fn a_share_has_a_positive_duration_that_a_clock_can_show() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    for lasts in [Duration::ZERO, Duration::MAX, Duration::from_secs(u64::MAX / 2)] {
        let (code, text) = share(&context, "api", "ann", Some(lasts));
        assert_eq!(code, Code::Usage);
        assert!(text.contains("must be positive"), "{text}");
    }
}

#[test]
fn agents_share_nothing() {
    let context = TestContext::of_caller(&[("SYMPOSIUM_AGENT_ID", "x")]);
    context.agent("api", Status::Idle);
    let (code, text) = share(&context, "api", "ann", None);
    assert_eq!(code, Code::Unsafe);
    assert!(text.contains("only a user can share an agent"), "{text}");
}

#[test]
fn a_stored_share_without_a_process_that_serves_it_is_not_shown() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    context.agent("docs", Status::Idle);
    let stored =
        Share { with: "ann".into(), uid: 90_001, read_only: false, since: context.now(), until: None };
    Access(&context).write_shares(&api.name, vec![stored]).unwrap();
    assert_eq!(Sharing(&context).shares(&api.name), []);
    let mut agents = vec![AgentLookup(&context).show(&api.name).unwrap()];
    Sharing(&context).add_shares(&mut agents);
    assert_eq!(agents[0].shares, []);
}

#[test]
fn an_owner_that_does_not_exist_is_reported() {
    let context = TestContext::new();
    let owner = "no-such-user-90001";
    let attach = Sharing(&context).attach_guest(owner, &agent_name("api"), ConnectPurpose::Drive);
    assert!(attach.unwrap_err().to_string().contains(owner));
    assert!(Sharing(&context).is_us(owner).is_err());
    assert!(Sharing(&context).is_us(&own_name()).unwrap());
}
