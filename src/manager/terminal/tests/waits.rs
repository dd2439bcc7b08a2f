//! `agent wait`: what ends it, and what it reports.

use std::time::Duration;

use crate::error::{Code, Error};
use crate::manager::terminal::{AgentWatch, WaitRequest};
use crate::manager::testing::{TestContext, agent_name, exit_code};
use crate::model::{RestartPolicy, Status};

fn wait(context: &TestContext, statuses: &[Status], timeout: Option<Duration>) -> Result<Status, Error> {
    let request = WaitRequest { name: agent_name("api"), statuses: statuses.to_vec(), timeout };
    AgentWatch(context).wait(&request).map(|agent| agent.status)
}

#[test]
fn wait_returns_at_once_if_the_agent_has_the_status() {
    let context = TestContext::new();
    context.agent("api", Status::Idle);
    assert_eq!(wait(&context, &[Status::Waiting, Status::Idle], None).unwrap(), Status::Idle);
}

#[test]
fn wait_reports_an_agent_that_ended_and_stays_ended() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.end_process("api", exit_code(3));
    for timeout in [None, Some(Duration::from_secs(50))] {
        let error = wait(&context, &[Status::Idle], timeout).unwrap_err();
        assert_eq!(error.code(), Code::NotRunning);
        assert!(error.to_string().contains("crashed (it ended with code 3)"), "{error}");
    }
}

#[test]
fn wait_does_not_give_up_an_agent_that_will_be_restarted() {
    let context = TestContext::new();
    context.agent_with("api", Status::Working, |record| record.restart.policy = RestartPolicy::OnFailure);
    context.end_process("api", exit_code(3));
    let error = wait(&context, &[Status::Idle], Some(Duration::ZERO)).unwrap_err();
    assert_eq!(error.code(), Code::TimedOut);
    assert!(error.to_string().contains("agent `api` is crashed, it did not become idle"), "{error}");
}

#[test]
fn wait_says_that_tmux_does_not_answer() {
    let context = TestContext::new();
    context.agent("api", Status::Working);
    context.tmux.fall_silent();
    let error = wait(&context, &[Status::Idle], Some(Duration::ZERO)).unwrap_err();
    assert_eq!(error.code(), Code::TimedOut);
    assert!(error.to_string().contains("whether agent `api` became idle is not known"), "{error}");
}
