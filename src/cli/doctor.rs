//! The `symposium doctor` command: checks the environment and prints the result of each check.

use super::render::ui::Ui;
use crate::cli::grammar::definition::CommandDefinition;
use crate::env::Env;
use crate::error::Error;
use crate::manager::Diagnostics;
use crate::manager::{Check, Context, Health};

pub(super) const COMMAND: CommandDefinition = CommandDefinition::standalone(
    "doctor",
    "Check tmux, directories, registry, server and agent CLIs",
    |_, alone| run(Context::open(Env::capture(), alone.home), alone.ui),
);

fn run(manager: Result<Context, Error>, ui: &Ui) -> Result<u8, Error> {
    let checks = match &manager {
        Ok(manager) => Diagnostics(manager).doctor(),
        Err(error) => Diagnostics::doctor_without_home(error),
    };
    let code = u8::from(checks.iter().any(|check| check.health == Health::Bad));
    if ui.json {
        ui.json(&checks);
    } else {
        ui.data(&checks.iter().map(line).collect::<String>());
    }
    Ok(code)
}

fn line(check: &Check) -> String {
    let word = match check.health {
        Health::Good => "ok  ",
        Health::Note => "note",
        Health::Bad => "BAD ",
    };
    let advice = check.advice.as_ref().map(|advice| format!("      do: {advice}\n")).unwrap_or_default();
    format!("{word}  {}: {}\n{advice}", check.what, check.saw)
}
