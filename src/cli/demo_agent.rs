//! The `symposium demo-agent` command: runs the stand-in for an agent CLI.

use crate::cli::grammar::definition::{CommandDefinition, Standalone, parsed};
use crate::demo::{self, DemoArgs};
use crate::env::Env;
use crate::error::Error;

pub(super) const COMMAND: CommandDefinition = CommandDefinition::standalone(
    "demo-agent",
    "Run an interactive stand-in for an agent CLI",
    |args, alone| run(parsed(args)?, alone),
)
.arguments::<DemoArgs>();

fn run(args: DemoArgs, alone: &Standalone<'_>) -> Result<u8, Error> {
    let home = Env::capture().home(alone.home).map(|home| home.path).unwrap_or_else(|| "/tmp".into());
    let code = demo::run(args, &home.join("demo")).map_err(Error::io("the demo agent failed"))?;
    Ok(u8::try_from(code).unwrap_or(1))
}
