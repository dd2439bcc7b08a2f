//! The `agent attach HOST:NAME` command.

use clap::ArgMatches;

use super::host_names::LocalArgv;
use crate::cli::{
    Invocation,
    agent::{lifecycle::spawn, sharing::attach_shared},
    render::ui,
};
use crate::error::Error;
use crate::manager::Hosts;
use crate::manager::{As, LinkEvent, RemoteAttach, TAKE, WITHIN_TMUX};
use crate::model::{AgentName, HostName};

pub(super) fn run(
    matches: &ArgMatches,
    taken: &LocalArgv,
    host: HostName,
    context: &Invocation,
) -> Result<u8, Error> {
    if let Some((owner, name)) =
        taken.names.first().and_then(|text| attach_shared::address(text)).transpose()?
    {
        return Err(Error::local_only(
            &format!("agent attach {owner}/{name}"),
            "it is shared with your user on that host",
            &Hosts(&context.manager).host(&host)?.for_ssh(),
        ));
    }
    let name = taken.names.first().map(|text| spawn::name(text)).transpose()?;
    let Some(name) = name else {
        return Err(Error::usage("the name of the agent is missing")
            .hint(format!("`symposium agent list --host {host}` shows them; `agent attach {host}:NAME`")));
    };
    if !ui::is_interactive() {
        return Err(Error::no_terminal("attach", Some(format!("{host}:{name}"))));
    }
    let observe = if matches.get_flag("observe") { As::Observer } else { As::Driver };
    // Only if this version has the option.
    let takes = matches.try_get_one::<bool>("take").ok().flatten() == Some(&true);
    to(name, host, observe, if takes { vec![TAKE] } else { vec![] }, context)
}

/// Attaches this terminal to an agent on another machine.
pub(super) fn to(
    name: AgentName,
    host: HostName,
    observe: As,
    mut options: Vec<&'static str>,
    context: &Invocation,
) -> Result<u8, Error> {
    let terminal = ui::SavedTerminal::save();
    if context.manager.is_within_tmux() {
        options.push(WITHIN_TMUX);
    }
    let request = RemoteAttach { host, name, observe, options };
    let mut on_event = |on_event| match on_event {
        LinkEvent::Lost(wait, why) => {
            terminal.leave_screen();
            let (host, name, wait) = (&request.host, &request.name, wait.as_secs());
            context.ui.say(&match why {
                None => format!(
                    "the connection to `{host}` was lost; agent `{name}` keeps running; trying again in {wait} s (C-c ends)"
                ),
                Some(why) => format!("`{host}` cannot be reached yet ({why}); trying again in {wait} s (C-c ends)"),
            });
        }
        // The input was typed before the screen was visible.
        LinkEvent::Trying => ui::forget_typed(),
        LinkEvent::Left(message) => terminal.restore_and_say(&message),
    };
    let at_end = terminal.clone();
    let code = Hosts(&context.manager).attach_remote(&request, &mut on_event, move || at_end.leave_screen());
    if code.is_err() {
        terminal.leave_screen();
    }
    code
}
