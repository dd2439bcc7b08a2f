//! The `agent attach` command.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::pasted::pasted_from;
use crate::cli::remote::remote_use::{Remote, RemoteMode};
use crate::cli::{
    Invocation,
    agent::{lifecycle::spawn, recaps::recap, sharing::attach_shared, status::show},
    render::{picker, ui},
};
use crate::error::Error;
use crate::manager::{
    As, AttachRequest, AttachSurroundings, Attaching, ClientProcess, JoinReason, PreviousClient,
};
use crate::manager::{Attachments, Hosts, TerminalClients};
use crate::model::{Agent, AgentName, Exit, HostName};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "attach",
    "Attach this terminal to an agent (leave with C-b d)",
    Remote::of(RemoteMode::Attach),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)])
.short_forms(&["attach"]);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent, or OWNER/NAME of a shared one [default: the agent of this project, or a choice]
    #[arg(allow_hyphen_values = true)]
    name: Option<String>,
    /// Attach as an observer: keys are ignored and the size stays unchanged
    #[arg(long, conflicts_with = "take")]
    observe: bool,
    /// Take over from the current driver, which becomes an observer
    #[arg(long)]
    take: bool,
    /// Switch this attached terminal to the agent instead, named as `agent show` does
    #[arg(long, value_name = "TTY", requires = "name", conflicts_with_all = ["observe", "take"])]
    client: Option<String>,
    /// Name of the remote attachment; replaces an earlier one of the same name
    #[arg(long, hide = true)]
    link: Option<uuid::Uuid>,
    /// Name under which the attaching machine knows this host
    #[arg(long, hide = true, value_name = "HOST")]
    known_as: Option<HostName>,
    /// The terminal of the attaching machine runs inside tmux
    #[arg(long, hide = true)]
    within_tmux: bool,
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let host = args.known_as.clone();
    match (attach(args, context), host) {
        (Err(error), Some(host)) => Ok(context.ui.error(&addressed_from(&host, error))),
        (done, _) => done,
    }
}

/// Rewrites an error for a user on another machine, where this machine is called `host`: pasted commands must address
/// this machine.
fn addressed_from(host: &HostName, error: Error) -> Error {
    let message = format!("on `{host}`: {error}");
    error.rewritten(message, |hint| pasted_from(host, hint))
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
    if let (Some(client), Some(name)) = (&args.client, &name) {
        return TerminalClients(&context.manager).switch_client(client, name).map(|()| 0);
    }
    if !ui::is_interactive() {
        name.as_ref().map_or(Ok(()), |name| Attachments(&context.manager).refuse_unknown(name))?;
        return Err(Error::no_terminal("attach", name.map(|name| name.to_string())));
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
    let how = if before == Some(PreviousClient::Driver) && how == As::Driver { As::Taker } else { how };
    let around =
        if args.within_tmux { AttachSurroundings::OwnTmux } else { Attachments(&context.manager).around() };
    let host = args.known_as.as_ref();
    come(
        &name,
        &AttachOptions { how, host, before: before.unwrap_or(PreviousClient::NotAttached), around },
        context,
    )
}

/// Describes how a client attaches to an agent.
struct AttachOptions<'a> {
    how: As,
    /// The name of this machine on the machine of the user.
    host: Option<&'a HostName>,
    before: PreviousClient,
    around: AttachSurroundings,
}

/// Attaches to an agent. The keys that detach are printed before the screen is taken over, and stay in the status
/// line.
pub(in crate::cli) fn to(name: &AgentName, how: As, context: &Invocation) -> Result<u8, Error> {
    come(
        name,
        &AttachOptions {
            how,
            host: None,
            before: PreviousClient::NotAttached,
            around: Attachments(&context.manager).around(),
        },
        context,
    )
}

fn come(name: &AgentName, coming: &AttachOptions<'_>, context: &Invocation) -> Result<u8, Error> {
    let AttachOptions { how, host, before: link, around } = *coming;
    context.print_notices();
    // Attaching depends on the configuration, mainly on which client may type.
    if let Err(error) = context.manager.config() {
        context.ui.warn(&format!("{error}; attaching with the defaults"));
    }
    let before = |agent: &Agent, prefix: &str| {
        let keys = detach_keys(around, prefix);
        // The message is repeated on the screen once the driver is determined.
        if let Some(driver) = agent.clients.iter().find(|client| client.driver && how == As::Driver) {
            let driver_text = show::terminal(driver, context.manager.now());
            let host = host.map(|host| format!("{host}:")).unwrap_or_default();
            let take = format!("symposium agent attach {host}{name} --take");
            context.ui.say(&format!("{driver_text}: you attach as an observer; `{take}` takes over"));
        }
        context.ui.say(&format!("attaching to `{name}`; leave with {keys}, the agent keeps running"));
        // Input that was typed during the reconnect arrives with it and was not meant for the agent.
        if link != PreviousClient::NotAttached {
            ui::forget_typed();
        }
    };
    let arrival = if link == PreviousClient::Gone { JoinReason::Returning } else { JoinReason::New };
    let cover = recap::after_absence(name, context);
    let request = AttachRequest {
        name,
        how,
        host,
        arrival,
        around,
        cover: cover.as_ref(),
        process: ClientProcess::SelfOrChild,
    };
    let terminal = ui::SavedTerminal::save();
    match Attachments(&context.manager).attach(request, before)? {
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
pub(in crate::cli) fn detach_keys(around: AttachSurroundings, prefix: &str) -> String {
    match around {
        // The prefix of the user's own tmux may differ; the user knows it.
        AttachSurroundings::OwnTmux => {
            format!("{prefix} {prefix} d ({prefix} d if your own tmux has another prefix)")
        }
        AttachSurroundings::Terminal => format!("{prefix} d"),
    }
}

fn choose(context: &Invocation) -> Result<Option<AgentName>, Error> {
    let mut candidates = Attachments(&context.manager).candidates()?;
    match candidates.len() {
        0 => Err(Error::no_agents("there is no agent to attach to")),
        1 if Attachments(&context.manager).are_of_this_project(&candidates) => {
            Ok(Some(candidates.remove(0).name))
        }
        _ => picker::pick("attach to", &candidates, context),
    }
}
