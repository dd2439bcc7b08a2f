//! The `agent attach HOST:NAME` command.

use clap::ArgMatches;

use super::argv::Taken;
use crate::cli::{
    Invocation,
    agent::{attach_shared, spawn},
    render::ui,
};
use crate::error::Error;
use crate::manager::Hosts;
use crate::manager::{As, FarAttach, LinkNews, TAKE, WITHIN_TMUX};
use crate::model::{AgentName, HostName};

pub(super) fn run(
    matches: &ArgMatches,
    taken: &Taken,
    host: HostName,
    context: &Invocation,
) -> Result<u8, Error> {
    if let Some((owner, name)) =
        taken.names.first().and_then(|text| attach_shared::address(text)).transpose()?
    {
        return Err(Error::LocalOnly {
            what: format!("agent attach {owner}/{name}"),
            why: "it is shared with whom you are there".to_owned(),
            host: Hosts(&context.manager).host(&host)?.for_ssh(),
        });
    }
    let name = taken.names.first().map(|text| spawn::name(text)).transpose()?;
    let Some(name) = name else {
        return Err(Error::Usage {
            what: "which agent there?".to_owned(),
            hint: Some(format!(
                "`symposium agent list --host {host}` shows them; `agent attach {host}:NAME`"
            )),
        });
    };
    if !ui::is_interactive() {
        return Err(Error::NoTerminal { verb: "attach", name: Some(format!("{host}:{name}")) });
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
    let terminal = ui::Terminal::save();
    if context.manager.is_within_tmux() {
        options.push(WITHIN_TMUX);
    }
    let request = FarAttach { host, name, observe, options };
    let mut news = |news| match news {
        LinkNews::Lost(wait, why) => {
            terminal.leave_screen();
            let (host, name, wait) = (&request.host, &request.name, wait.as_secs());
            context.ui.say(&match why {
                None => format!(
                    "the connection to `{host}` was lost; agent `{name}` works on; trying again in {wait} s (C-c ends)"
                ),
                Some(why) => format!("`{host}` is not there yet ({why}); trying again in {wait} s (C-c ends)"),
            });
        }
        // The input was typed before the screen was visible.
        LinkNews::Trying => ui::forget_typed(),
        LinkNews::Left(said) => terminal.restore_and_say(&said),
    };
    let at_end = terminal.clone();
    let code = Hosts(&context.manager).far_attach(&request, &mut news, move || at_end.leave_screen());
    if code.is_err() {
        terminal.leave_screen();
    }
    code
}
