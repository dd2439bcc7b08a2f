//! The `symposium supervisor` commands: `run`, `start`, `stop`, `status` and `log`.

mod log;

use std::net::SocketAddr;

use clap::{Args, Subcommand};

use super::{Invocation, render::times};
use crate::env::Env;
use crate::error::Error;
use crate::manager::SupervisorControl;
use crate::manager::{Supervision, Turn};
use crate::supervisor::{self, Options};

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Run it in this terminal until C-c
    Run(RunArguments),
    /// Run it again and again
    #[command(hide = true)]
    Keep,
    /// Start it in our tmux server, where it is kept alive
    Start,
    /// End it; agents go on, but nothing is restarted, queued work waits
    Stop,
    /// Whether it runs, and what waits for it
    Status,
    /// Print its log; with --json, each line as it was written
    Log(log::Arguments),
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// Serve Prometheus metrics at http://ADDR/metrics
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
    /// Wait for the place of one that runs
    #[arg(long, hide = true)]
    kept: bool,
}

pub(super) fn run(verb: Verb, context: Invocation) -> Result<u8, Error> {
    match verb {
        // tmux starts these with the binary of the command that started the keeper.
        Verb::Run(_) | Verb::Keep => context.manager.mend_hook_link(),
        _ => context.manager.claim_hook_link(),
    }
    match verb {
        Verb::Run(args) => {
            let turn = if args.kept { Turn::Kept } else { Turn::Now };
            if let (Turn::Now, pid @ Some(_)) = (turn, SupervisorControl(&context.manager).supervisor()) {
                return Err(Error::SupervisorRuns { pid });
            }
            context.ui.say("the supervisor runs; its log is supervisor.log in the state directory");
            supervisor::run(context.manager, Options { turn, metrics: args.metrics })?;
        }
        Verb::Keep => SupervisorControl(&context.manager).keep_supervisor()?,
        Verb::Start => {
            let begun = SupervisorControl(&context.manager).start_supervisor()?;
            tell(&context, if begun { "the supervisor runs" } else { "the supervisor runs already" })?;
        }
        Verb::Stop => {
            let ended = SupervisorControl(&context.manager).stop_supervisor()?;
            tell(&context, if ended { "the supervisor is stopped" } else { "no supervisor runs" })?;
        }
        Verb::Log(args) => return log::run(&args, &context),
        Verb::Status => {
            let supervision = SupervisorControl(&context.manager).supervision()?;
            if context.ui.json {
                context.ui.json(&supervision);
            } else {
                context.ui.data(&words(&supervision));
            }
        }
    }
    Ok(0)
}

fn tell(context: &Invocation, text: &str) -> Result<(), Error> {
    if context.ui.json {
        context.ui.json(&SupervisorControl(&context.manager).supervision()?);
    } else {
        context.ui.say(text);
    }
    Ok(())
}

fn words(supervision: &Supervision) -> String {
    let mut lines = vec![match (&supervision.card, supervision.stopped_on_request) {
        (Some(card), _) => {
            let age = times::age(card.since, Env::now());
            format!("the supervisor runs: pid {}, version {}, for {age}", card.pid, card.version)
        }
        (None, _) if supervision.running => "the supervisor runs".to_owned(),
        (None, true) => {
            "the supervisor was stopped on request; `symposium supervisor start` starts it".to_owned()
        }
        (None, false) if supervision.autostart => {
            "no supervisor runs; the next agent that is started brings it along".to_owned()
        }
        (None, false) => "no supervisor runs; `symposium supervisor start` starts it".to_owned(),
    }];
    if let Some(stall) = &supervision.stall {
        lines = vec![
            format!("the supervisor does not respond: {}", stall.description()),
            format!("hint: {}", stall.remedy()),
        ];
    }
    if let Some(mistake) = &supervision.config_mistake {
        lines.push(format!("the settings before this mistake are in force: {mistake}"));
    }
    let works = supervision.running && supervision.stall.is_none();
    let waits = if works { "" } else { ", waiting for it" };
    for (number, one, several) in [
        (supervision.restarts_waiting, "restart planned", "restarts planned"),
        (supervision.tasks_waiting, "task not done", "tasks not done"),
        (supervision.heartbeats, "agent with a heartbeat", "agents with a heartbeat"),
    ] {
        match number {
            0 => {}
            1 => lines.push(format!("1 {one}{waits}")),
            _ => lines.push(format!("{number} {several}{waits}")),
        }
    }
    lines.join("\n")
}
