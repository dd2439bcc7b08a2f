//! Stored shares: what is granted, and when it ends.

use crate::manager::access::Access;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{Share, Status};

fn share(context: &TestContext, with: &str, uid: u32) -> Share {
    Share { with: with.into(), uid, read_only: false, since: context.now(), until: None }
}

#[test]
fn stored_shares_are_read_back_and_none_leave_no_file() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let both = vec![share(&context, "ann", 90_001), share(&context, "bob", 90_002)];
    Access(&context).write_shares(&api.name, both.clone()).unwrap();
    assert_eq!(Access(&context).written_shares(&api.name), both);
    assert!(Access(&context).may_be_shared(&api.name));
    Access(&context).write_shares(&api.name, vec![]).unwrap();
    assert_eq!(context.store.instance(&api.name).read_state("shares.json").unwrap(), None);
}

#[test]
fn file_of_another_format_grants_no_access() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    for text in ["{", r#"{"format":2,"shares":[]}"#] {
        context.store.instance(&api.name).write_state("shares.json", text.as_bytes()).unwrap();
        assert_eq!(Access(&context).written_shares(&api.name), []);
    }
}

#[test]
fn ending_one_share_leaves_the_others() {
    let context = TestContext::new();
    let api = context.agent("api", Status::Idle);
    let (ann, bob) = (share(&context, "ann", 90_001), share(&context, "bob", 90_002));
    Access(&context).write_shares(&api.name, vec![ann, bob.clone()]).unwrap();
    // No process serves this share, so that the result names no guest who was disconnected.
    let _ = Access(&context).unshare(&api.name, Some("ann"));
    assert_eq!(Access(&context).written_shares(&api.name), [bob]);
}

#[test]
fn ending_a_share_that_does_not_exist_is_an_error() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    let error = Access(&context).unshare(&agent_name("api"), Some("90003")).unwrap_err();
    assert!(error.to_string().contains("90003"), "{error}");
    assert!(Access(&context).unshare(&agent_name("missing"), None).is_err());
}
