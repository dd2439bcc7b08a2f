//! The `symposium config` commands.

use clap::Subcommand;

use super::Invocation;
use crate::error::Error;
use crate::manager::Diagnostics;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Apply changes of tmux.conf and config.toml, and tell which need a restart
    Reload,
}

pub(super) fn run(verb: &Verb, context: &Invocation) -> Result<u8, Error> {
    let Verb::Reload = verb;
    let reloaded = Diagnostics(&context.manager).reload_config()?;
    if context.ui.json {
        context.ui.json(&reloaded);
    } else {
        for line in reloaded.lines() {
            context.ui.say(&line);
        }
    }
    Ok(u8::from(!reloaded.mistakes.is_empty()))
}
