//! The `agent attach` command.

use clap::Args;

use crate::cli::{
    Invocation,
    agent::{attach_shared, recap, show, spawn},
    render::{picker, ui},
};
use crate::env::Env;
use crate::error::{Error, Report};
use crate::manager::{Around, As, AttachRequest, Attaching, Before, JoinReason};
use crate::manager::{Hosts, Terminals};
use crate::model::{Agent, AgentName, Exit, HostName};
use crate::rules::remote::pasted_from;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent, or OWNER/NAME of a shared one [default: the agent of this project, or a choice]
    #[arg(allow_hyphen_values = true)]
    name: Option<String>,
    /// Watch only: keys are not delivered, and the size does not change
    #[arg(long, conflicts_with = "take")]
    observe: bool,
    /// Take over from the terminal that drives, which then watches
    #[arg(long)]
    take: bool,
    /// What the attaching from another machine is called; it takes the place of the one of that name
    #[arg(long, hide = true)]
    link: Option<uuid::Uuid>,
    /// What the machine that one attaches from calls this one
    #[arg(long, hide = true, value_name = "HOST")]
    known_as: Option<HostName>,
    /// There is a tmux around the terminal on the machine that one attaches from
    #[arg(long, hide = true)]
    within_tmux: bool,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let host = args.known_as.clone();
    match (attach(args, context), host) {
        (Err(error), Some(host)) => Ok(context.ui.error(&seen_from(&host, error.report()))),
        (done, _) => done,
    }
}

/// Rewrites an error for a user on another machine, where this machine is called `host`: pasted commands must address
/// this machine.
fn seen_from(host: &HostName, report: Report) -> Report {
    let message = format!("on `{host}`: {}", report.message);
    let hints = report.hints.iter().map(|hint| pasted_from(host, hint)).collect();
    Report { message, hints, ..report }
}

fn attach(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let how = match (args.observe, args.take) {
        (true, _) => As::Observer,
        (false, true) => As::Taker,
        (false, false) => As::Driver,
    };
    let name = match args.name.as_deref().and_then(attach_shared::address).transpose()? {
        Some((owner, name)) => match attach_shared::to(&owner, &name, how, context)? {
            Some(code) => return Ok(code),
            None => Some(name),
        },
        None => args.name.as_deref().map(spawn::name).transpose()?,
    };
    if !ui::is_interactive() {
        name.as_ref().map_or(Ok(()), |name| Terminals(&context.manager).refuse_unknown(name))?;
        return Err(Error::NoTerminal { verb: "attach", name: name.map(|name| name.to_string()) });
    }
    let name = match name {
        Some(name) => name,
        None => match choose(context)? {
            Some(name) => name,
            None => return Ok(0),
        },
    };
    // A client that was the driver before the connection was lost becomes the driver again.
    let before = args.link.map(|link| Hosts(&context.manager).take_link(&name, link)).transpose()?;
    let how = if before == Some(Before::Driver) && how == As::Driver { As::Taker } else { how };
    let around = if args.within_tmux { Around::OwnTmux } else { Terminals(&context.manager).around() };
    let host = args.known_as.as_ref();
    come(&name, &Coming { how, host, before: before.unwrap_or(Before::NotAttached), around }, context)
}

/// Describes how a client attaches to an agent.
struct Coming<'a> {
    how: As,
    /// The name of this machine on the machine of the user.
    host: Option<&'a HostName>,
    before: Before,
    around: Around,
}

/// Attaches to an agent. The keys that detach are printed before the screen is taken over, and stay in the status
/// line.
pub(in crate::cli) fn to(name: &AgentName, how: As, context: &Invocation) -> Result<u8, Error> {
    come(
        name,
        &Coming {
            how,
            host: None,
            before: Before::NotAttached,
            around: Terminals(&context.manager).around(),
        },
        context,
    )
}

fn come(name: &AgentName, coming: &Coming<'_>, context: &Invocation) -> Result<u8, Error> {
    let Coming { how, host, before: link, around } = *coming;
    context.tell_notices();
    // Attaching depends on the configuration, mainly on which client may type.
    if let Err(error) = context.manager.config() {
        context.ui.warn(&format!("{}; attaching as if nothing was set", error.report().message));
    }
    let before = |agent: &Agent, prefix: &str| {
        let keys = way_out(around, prefix);
        // The message is repeated on the screen once the driver is determined.
        if let Some(driver) = agent.clients.iter().find(|client| client.driver && how == As::Driver) {
            let who = show::terminal(driver, Env::now());
            let host = host.map(|host| format!("{host}:")).unwrap_or_default();
            let take = format!("symposium agent attach {host}{name} --take");
            context.ui.say(&format!("{who}: you will watch; `{take}` takes over"));
        }
        context.ui.say(&format!("attaching to `{name}`; leave with {keys}, the agent goes on"));
        // Input that was typed during the reconnect arrives with it and was not meant for the agent.
        if link != Before::NotAttached {
            ui::forget_typed();
        }
    };
    let arrival = if link == Before::Gone { JoinReason::Back } else { JoinReason::Anew };
    let cover = recap::after_absence(name, context);
    let request = AttachRequest { name, how, host, arrival, around, cover: cover.as_ref() };
    let terminal = ui::Terminal::save();
    match Terminals(&context.manager).attach(request, before)? {
        Attaching::Switched => Ok(0),
        Attaching::Left(exit) => {
            // A client that lost its server exits with 1, and its message disappeared with the screen.
            if terminal.reclaim() && exit.code == Some(1) {
                context
                    .ui
                    .warn("the tmux server has ended; `symposium agent restore --all` brings agents back");
            }
            Ok(exit_code(exit))
        }
    }
}

/// Returns the exit code of a client by the convention of shells: 128 plus the signal number for a signal.
fn exit_code(exit: Exit) -> u8 {
    let code = exit.code.or(exit.signal.map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// Returns the keys that detach.
pub(in crate::cli) fn way_out(around: Around, prefix: &str) -> String {
    match around {
        // The prefix of the user's own tmux may differ; the user knows it.
        Around::OwnTmux => format!("{prefix} {prefix} d ({prefix} d if your own tmux has another prefix)"),
        Around::Terminal => format!("{prefix} d"),
    }
}

/// The default prefix of tmux, which also detaches a guest.
pub(in crate::cli) const USUAL_PREFIX: &str = "C-b";

fn choose(context: &Invocation) -> Result<Option<AgentName>, Error> {
    let mut candidates = Terminals(&context.manager).candidates()?;
    match candidates.len() {
        0 => Err(Error::NoAgents { what: "there is no agent to attach to".into() }),
        1 if Terminals(&context.manager).are_of_this_project(&candidates) => {
            Ok(Some(candidates.remove(0).name))
        }
        _ => picker::pick("attach to", &candidates),
    }
}
