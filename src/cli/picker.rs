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

/// Lets the user pick an agent to do this with; `None` if the user left.
pub(super) fn pick(verb: &str, agents: &[Agent]) -> Result<Option<AgentName>, Error> {
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
    let at = pick_line(&format!("{verb} (type to filter, Esc to leave)"), &lines)?;
    Ok(at.and_then(|at| agents.get(at)).map(|agent| agent.name.clone()))
}

/// Lets the user pick a line; returns its position, or `None` if the user left.
pub(super) fn pick_line(prompt: &str, lines: &[String]) -> Result<Option<usize>, Error> {
    let chosen =
        FuzzySelect::with_theme(&SimpleTheme).with_prompt(prompt).items(lines).default(0).interact_opt();
    chosen.map_err(|dialoguer::Error::IO(source)| Error::Io { what: "cannot ask".into(), source })
}
