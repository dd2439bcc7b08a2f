//! When commands start a supervisor, what it says about itself, and which work waits for it.

use crate::manager::supervisor::{StartWait, Supervision, SupervisorControl};
use crate::manager::testing::{TestContext, exit_code};
use crate::model::{Heartbeat, RestartPolicy, Schedule, Status};

/// Returns a context in which commands may start a supervisor.
fn with_autostart() -> TestContext {
    TestContext::of_caller(&[("SYMPOSIUM_SUPERVISOR", "")])
}

fn supervision(context: &TestContext) -> Supervision {
    SupervisorControl(context).supervision().unwrap()
}

/// Returns whether a command would start a supervisor now.
fn is_started(context: &TestContext) -> bool {
    let before = context.tmux.received().len();
    SupervisorControl(context).ensure_supervisor();
    context.tmux.received()[before..].iter().any(|command| command.contains("new-session"))
}

#[test]
fn a_command_that_needs_a_supervisor_starts_one() {
    let context = with_autostart();
    assert!(supervision(&context).autostart);
    assert!(is_started(&context));
}

#[test]
fn no_supervisor_is_started_if_the_caller_or_the_configuration_forbids_it() {
    let context = TestContext::of_caller(&[("SYMPOSIUM_SUPERVISOR", "off")]);
    assert!(!is_started(&context));
    assert!(!supervision(&context).autostart);
    let context = with_autostart();
    context.configure("[supervisor]\nautostart = false\n");
    assert!(!is_started(&context));
    assert!(!supervision(&context).autostart);
}

#[test]
fn a_stopped_supervisor_stays_stopped_and_agents_that_need_it_get_a_remark() {
    let context = with_autostart();
    let plain = context.agent("plain", Status::Idle);
    let kept = context.agent_with("kept", Status::Idle, |record| {
        record.restart.policy = RestartPolicy::OnFailure;
    });
    assert_eq!(SupervisorControl(&context).remark_on_supervision(&kept), None);
    assert!(!SupervisorControl(&context).stop_supervisor().unwrap(), "none was running");
    assert!(supervision(&context).stopped_on_request);
    assert!(!is_started(&context));
    let remark = SupervisorControl(&context).remark_on_supervision(&kept).unwrap();
    assert!(remark.contains("symposium supervisor start"), "{remark}");
    assert_eq!(SupervisorControl(&context).remark_on_supervision(&plain), None);
}

#[test]
fn a_running_supervisor_describes_itself_until_it_ends() {
    let context = with_autostart();
    let lock = SupervisorControl(&context).become_supervisor(StartWait::Brief).unwrap();
    let state = supervision(&context);
    let card = state.card.unwrap();
    assert!(state.running && !state.stopped_on_request);
    assert_eq!((card.pid, card.since), (i32::try_from(std::process::id()).unwrap(), context.now()));
    assert_eq!(SupervisorControl(&context).supervisor(), Some(card.pid));
    assert!(!is_started(&context), "there is only one");
    drop(lock);
    let state = supervision(&context);
    assert!(!state.running);
    assert!(state.card.is_none(), "the description of a former supervisor is ignored");
}

#[test]
fn work_that_waits_for_the_supervisor_is_counted() {
    let context = TestContext::new();
    context.agent_with("api", Status::Idle, |record| {
        let (schedule, prompt) = (Schedule::Every(600), "look at the mail".into());
        record.heartbeat = Some(Heartbeat { schedule, prompt, last: None });
    });
    context.agent_with("crashed", Status::Working, |record| {
        record.restart.policy = RestartPolicy::OnFailure;
    });
    context.end_process("crashed", exit_code(1));
    context.set_status("crashed", Status::Crashed, "it ended with code 1");
    let state = supervision(&context);
    assert_eq!((state.heartbeats, state.restarts_waiting, state.tasks_waiting), (1, 1, 0));
}

#[test]
fn a_mistake_in_the_configuration_is_reported_and_does_not_hide_the_state() {
    let context = with_autostart();
    context.configure("[supervisor]\nautostart = false\n");
    std::fs::write(context.home().join("config.toml"), "[supervisor]\nautostart = maybe\n# longer\n")
        .unwrap();
    let state = supervision(&context);
    assert!(state.config_mistake.unwrap().contains("config.toml"));
    assert!(!state.autostart, "the last valid settings stay in effect");
}
