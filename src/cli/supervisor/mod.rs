//! The `symposium supervisor` commands: `run`, `start`, `stop`, `status` and `log`.

mod log;

use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;
use jiff::Timestamp;

use super::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::{StartWait, Supervision};
use crate::manager::{SupervisorControl, SupervisorWatchdog};
use crate::supervisor::{self, Options};
use crate::text::ages;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "supervisor",
    "Manage the background supervisor (restarts, task queue, notifications)",
    &[RUN, KEEP, START, STOP, STATUS, log::COMMAND],
);

const RUN: CommandDefinition = CommandDefinition::new(
    "run",
    "Run the supervisor in this terminal until C-c",
    Remote::LOCAL,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<RunArguments>()
.opening(Opening::Unclaimed);

const KEEP: CommandDefinition = CommandDefinition::new(
    "keep",
    "Run the supervisor and restart it whenever it ends",
    Remote::LOCAL,
    |_, context| keep(context),
)
.opening(Opening::Unclaimed)
.hidden();

const START: CommandDefinition = CommandDefinition::new(
    "start",
    "Start the supervisor in the background and keep it running",
    Remote::ONCE.without_host_in_json(),
    |_, context| start(context),
)
.opening(Opening::Unclaimed);

const STOP: CommandDefinition = CommandDefinition::new(
    "stop",
    "Stop the supervisor; agents keep running, restarts and queued tasks wait",
    Remote::ONCE.without_host_in_json(),
    |_, context| stop(context),
)
.opening(Opening::Unclaimed);

const STATUS: CommandDefinition = CommandDefinition::new(
    "status",
    "Show whether the supervisor runs and which work is pending",
    Remote::READ_ONLY.without_host_in_json(),
    |_, context| status(context),
)
.opening(Opening::Unclaimed);

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// Serve Prometheus metrics at http://ADDR/metrics
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
    /// Wait until a running supervisor ends
    #[arg(long, hide = true)]
    kept: bool,
}

/// Runs the supervisor in this process until it is stopped.
fn run(args: &RunArguments, context: &Invocation) -> Result<u8, Error> {
    // tmux starts this with the binary of the command that started the watchdog.
    context.manager.mend_hook_link();
    let wait = if args.kept { StartWait::Unlimited } else { StartWait::Brief };
    if let (StartWait::Brief, pid @ Some(_)) = (wait, SupervisorControl(&context.manager).supervisor()) {
        return Err(Error::supervisor_runs(pid));
    }
    context.ui.say("the supervisor is running; its log is supervisor.log in the state directory");
    supervisor::run(Arc::clone(&context.manager), Options { wait, metrics: args.metrics })?;
    Ok(0)
}

/// Runs the supervisor again whenever it ends.
fn keep(context: &Invocation) -> Result<u8, Error> {
    context.manager.mend_hook_link();
    SupervisorWatchdog(&context.manager).keep_supervisor()?;
    Ok(0)
}

fn start(context: &Invocation) -> Result<u8, Error> {
    context.manager.claim_hook_link();
    let begun = SupervisorControl(&context.manager).start_supervisor()?;
    report(context, if begun { "the supervisor is running" } else { "the supervisor is already running" })?;
    Ok(0)
}

fn stop(context: &Invocation) -> Result<u8, Error> {
    context.manager.claim_hook_link();
    let ended = SupervisorControl(&context.manager).stop_supervisor()?;
    report(context, if ended { "the supervisor is stopped" } else { "no supervisor is running" })?;
    Ok(0)
}

fn status(context: &Invocation) -> Result<u8, Error> {
    context.manager.claim_hook_link();
    let supervision = SupervisorControl(&context.manager).supervision()?;
    if context.ui.json {
        context.ui.json(&supervision);
    } else {
        context.ui.data(&words(&supervision, context.manager.now()));
    }
    Ok(0)
}

fn report(context: &Invocation, text: &str) -> Result<(), Error> {
    if context.ui.json {
        context.ui.json(&SupervisorControl(&context.manager).supervision()?);
    } else {
        context.ui.say(text);
    }
    Ok(())
}

fn words(supervision: &Supervision, now: Timestamp) -> String {
    let mut lines = vec![match (&supervision.card, supervision.stopped_on_request) {
        (Some(card), _) => {
            let seconds = now.duration_since(card.since).as_secs().unsigned_abs();
            let age = ages::span(seconds);
            format!("the supervisor is running: pid {}, version {}, for {age}", card.pid, card.version)
        }
        (None, _) if supervision.running => "the supervisor is running".to_owned(),
        (None, true) => {
            "the supervisor was stopped on request; `symposium supervisor start` starts it".to_owned()
        }
        (None, false) if supervision.autostart => {
            "no supervisor is running; the next agent that starts also starts it".to_owned()
        }
        (None, false) => "no supervisor is running; `symposium supervisor start` starts one".to_owned(),
    }];
    if let Some(stall) = &supervision.stall {
        lines = vec![
            format!("the supervisor does not respond: {}", stall.description()),
            format!("hint: {}", stall.remedy()),
        ];
    }
    if let Some(mistake) = &supervision.config_mistake {
        lines.push(format!("the settings from before this mistake stay in use: {mistake}"));
    }
    let works = supervision.running && supervision.stall.is_none();
    let waits = if works { "" } else { ", waiting for it" };
    for (number, singular, plural) in [
        (supervision.restarts_waiting, "restart planned", "restarts planned"),
        (supervision.tasks_waiting, "task not done", "tasks not done"),
        (supervision.heartbeats, "agent with a heartbeat", "agents with a heartbeat"),
    ] {
        match number {
            0 => {}
            1 => lines.push(format!("1 {singular}{waits}")),
            _ => lines.push(format!("{number} {plural}{waits}")),
        }
    }
    lines.join("\n")
}
