//! Agents that stop responding.

use super::*;

#[test]
fn silent_working_agent_hangs_after_the_limit_of_its_kind() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.agent("idle", Status::Idle);
    context.advance_seconds(899);
    assert!(HangDetection(&context).find_hung(&agents(&context), None).unwrap().is_empty());
    context.advance_seconds(1);
    assert_eq!(HangDetection(&context).find_hung(&agents(&context), None).unwrap(), [agent_name("api")]);
    let record = context.stored("api");
    assert_eq!(record.status.status, Status::Working);
    assert!(record.status.reason.contains("no output and no child process for 15 min"));
    assert!(HangDetection(&context).find_hung(&agents(&context), None).unwrap().is_empty(), "reported once");
    assert_eq!(context.events("hung").len(), 1);
}

#[test]
fn agent_that_prints_does_not_hang() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.advance_seconds(899);
    let now = context.now();
    context.tmux.change(|server| server.panes[0].activity = Some(now));
    context.advance_seconds(100);
    assert!(HangDetection(&context).find_hung(&agents(&context), None).unwrap().is_empty());
}

#[test]
fn time_in_which_the_machine_was_suspended_is_not_a_hang() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.advance_seconds(3600);
    let woken = Some(context.now());
    context.advance_seconds(10);
    assert!(HangDetection(&context).find_hung(&agents(&context), woken).unwrap().is_empty());
    context.advance_seconds(900);
    assert_eq!(HangDetection(&context).find_hung(&agents(&context), woken).unwrap().len(), 1);
}

#[test]
fn hung_agent_is_not_ended_by_default() {
    let context = TestContext::new();
    context.agent_with("api", Status::Working, |record| record.restart.policy = RestartPolicy::Always);
    context.advance_seconds(900);
    HangDetection(&context).find_hung(&agents(&context), None).unwrap();
    assert_eq!(context.stored("api").status.status, Status::Working);
    assert!(restart_round(&context).schedule.next.is_none());
}

#[test]
fn agent_that_hangs_after_each_restart_reaches_the_limit_although_a_hang_outlasts_the_window() {
    let context = TestContext::new();
    context.configure("[restart]\nhung = true\nmost = 2\nwindow = \"10m\"\n");
    let started = context.now();
    context.agent_with("api", Status::Working, |record| {
        record.restart.policy = RestartPolicy::OnFailure;
        record.restarts = vec![started, started];
    });
    context.advance_seconds(900);
    let seen = agents(&context);
    // The process ends when it is signalled, which the fake server cannot notice by itself.
    context.end_process("api", crate::manager::testing::exit_code(1));
    assert_eq!(HangDetection(&context).find_hung(&seen, None).unwrap(), [agent_name("api")]);
    let record = context.stored("api");
    assert_eq!(record.status.status, Status::Crashed);
    assert!(record.status.reason.contains("it was ended"), "{}", record.status.reason);
    assert_eq!(restart_round(&context).schedule.gave_up, [agent_name("api")]);
    let why = context.stored("api").status.reason;
    assert!(why.starts_with("given up after 2 restarts in 10 min: no sign of life"), "{why}");
}
