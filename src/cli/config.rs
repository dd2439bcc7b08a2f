//! `symposium config`

use clap::Subcommand;

use super::Context;
use crate::error::Error;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Apply changes of tmux.conf and config.toml, and tell which need a restart
    Reload,
}

pub(super) fn run(verb: &Verb, context: &Context) -> Result<u8, Error> {
    let Verb::Reload = verb;
    let reloaded = context.manager.reload_config()?;
    if context.ui.json {
        context.ui.json(&reloaded);
    } else {
        for line in reloaded.lines() {
            context.ui.say(&line);
        }
    }
    Ok(u8::from(!reloaded.mistakes.is_empty()))
}
