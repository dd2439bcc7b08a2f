//! The `symposium config` commands.

use super::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, Opening};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::Diagnostics;

pub(super) const GROUP: CommandDefinition =
    CommandDefinition::group("config", "Apply configuration changes to running processes", &[RELOAD]);

const RELOAD: CommandDefinition = CommandDefinition::new(
    "reload",
    "Apply changes of tmux.conf and config.toml and report those that need a restart",
    Remote::LOCAL,
    |_, context| reload(context),
)
.opening(Opening::WithoutNotices);

fn reload(context: &Invocation) -> Result<u8, Error> {
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
