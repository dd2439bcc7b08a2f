//! Which agents a restore applies to.

use crate::manager::restore::{Restoration, RestoreScope};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::Status;

#[test]
fn lost_agents_are_found_for_a_restore_and_silence_of_tmux_is_an_error() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.agent("stopped", Status::Stopped);
    context.tmux.end();
    assert_eq!(Restoration(&context).lost().unwrap(), [agent_name("api")]);
    context.tmux.fall_silent();
    assert!(Restoration(&context).lost().is_err());
}

#[test]
fn an_agent_whose_pane_appears_during_a_restore_is_running() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.edit("api", |record| {
        record.status.status = Status::Lost;
        record.tmux = None;
        record.pid = None;
    });
    let restored = Restoration(&context).restore(&[agent_name("api")], RestoreScope::Lost, &|_| {});
    assert!(restored[0].was_back, "{restored:?}");
    let named = Restoration(&context).restore(&[agent_name("api")], RestoreScope::Named, &|_| {});
    assert!(named[0].outcome.is_err(), "{named:?}");
}
