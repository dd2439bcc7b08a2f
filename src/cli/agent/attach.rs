//! `agent attach`

use crate::manager::{Hosts, Terminals};
use clap::Args;

use crate::cli::{
    Invocation,
    agent::{attach_shared, recap, show, spawn},
    render::{picker, ui},
};
use crate::env::Env;
use crate::error::{Error, Report};
use crate::manager::{Around, Arrival, As, AttachRequest, Attaching, Before};
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

/// What went wrong here, for somebody at a machine that calls this one so: a command that they paste must come back here.
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
    // Who drove before the connection was lost drives again.
    let before = args.link.map(|link| Hosts(&context.manager).take_link(&name, link)).transpose()?;
    let how = if before == Some(Before::Driver) && how == As::Driver { As::Taker } else { how };
    let around = if args.within_tmux { Around::OwnTmux } else { Terminals(&context.manager).around() };
    let host = args.known_as.as_ref();
    come(&name, &Coming { how, host, before: before.unwrap_or(Before::Nobody), around }, context)
}

/// How somebody comes to an agent.
struct Coming<'a> {
    how: As,
    /// What the machine that they sit at calls this one.
    host: Option<&'a HostName>,
    before: Before,
    around: Around,
}

/// Attaches; the way out is said before the screen is taken over, and stays in the status line.
pub(in crate::cli) fn to(name: &AgentName, how: As, context: &Invocation) -> Result<u8, Error> {
    come(
        name,
        &Coming { how, host: None, before: Before::Nobody, around: Terminals(&context.manager).around() },
        context,
    )
}

fn come(name: &AgentName, coming: &Coming<'_>, context: &Invocation) -> Result<u8, Error> {
    let Coming { how, host, before: link, around } = *coming;
    context.tell_notices();
    // Whoever attaches goes by these: who may type, above all.
    if let Err(error) = context.manager.config() {
        context.ui.warn(&format!("{}; attaching as if nothing was set", error.report().message));
    }
    let before = |agent: &Agent, prefix: &str| {
        let keys = way_out(around, prefix);
        // On the screen it is said again, by whoever decides it.
        if let Some(driver) = agent.clients.iter().find(|client| client.driver && how == As::Driver) {
            let who = show::terminal(driver, Env::now());
            let host = host.map(|host| format!("{host}:")).unwrap_or_default();
            let take = format!("symposium agent attach {host}{name} --take");
            context.ui.say(&format!("{who}: you will watch; `{take}` takes over"));
        }
        context.ui.say(&format!("attaching to `{name}`; leave with {keys}, the agent goes on"));
        // What was typed while the connection was made anew has come with it, and was meant for no screen.
        if link != Before::Nobody {
            ui::forget_typed();
        }
    };
    let arrival = if link == Before::Gone { Arrival::Back } else { Arrival::Anew };
    let cover = recap::after_absence(name, context);
    let request = AttachRequest { name, how, host, arrival, around, cover: cover.as_ref() };
    let terminal = ui::Terminal::save();
    match Terminals(&context.manager).attach(request, before)? {
        Attaching::Switched => Ok(0),
        Attaching::Left(exit) => {
            // A client that lost its server exits with 1, and its words went with the screen.
            if terminal.reclaim() && exit.code == Some(1) {
                context
                    .ui
                    .warn("the tmux server has ended; `symposium agent restore --all` brings agents back");
            }
            Ok(exit_code(exit))
        }
    }
}

/// The exit code of a client, as a shell would tell it.
fn exit_code(exit: Exit) -> u8 {
    let code = exit.code.or(exit.signal.map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// The keys that leave.
pub(in crate::cli) fn way_out(around: Around, prefix: &str) -> String {
    match around {
        // Theirs may be another one; that is theirs to know.
        Around::OwnTmux => format!("{prefix} {prefix} d ({prefix} d if your own tmux has another prefix)"),
        Around::Terminal => format!("{prefix} d"),
    }
}

/// What every tmux has unless somebody has changed it, and what takes a guest out.
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
