//! Lets a person choose one of several agents.

use dialoguer::FuzzySelect;
use dialoguer::theme::SimpleTheme;

use super::table::{Keep, clean, cut, status_word};
use super::times::age;
use super::ui;
use crate::env::Env;
use crate::error::Error;
use crate::model::{Agent, AgentName};

/// The columns before a line, which mark the one that is chosen.
const MARK: usize = 2;

/// One of them, or none when the person left.
pub(super) fn pick(agents: &[Agent]) -> Result<Option<AgentName>, Error> {
    let now = Env::now();
    let width = ui::width().saturating_sub(MARK);
    let lines: Vec<String> = agents
        .iter()
        .map(|agent| {
            let since = age(agent.status_since, now);
            let line = format!(
                "{:<24} {:<18} {:>4}  {}",
                agent.name,
                status_word(agent),
                since,
                clean(&agent.working_directory)
            );
            // A line that wraps counts as one, and pushes the first off the screen.
            cut(&line, width, Keep::Beginning)
        })
        .collect();
    let chosen = FuzzySelect::with_theme(&SimpleTheme)
        .with_prompt("attach to (type to filter, Esc to leave)")
        .items(&lines)
        .default(0)
        .interact_opt();
    match chosen {
        Ok(at) => Ok(at.and_then(|at| agents.get(at)).map(|agent| agent.name.clone())),
        Err(dialoguer::Error::IO(source)) => Err(Error::Io { what: "cannot ask".into(), source }),
    }
}
