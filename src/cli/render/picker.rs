//! Lets the user choose one of several agents.

mod chooser;

use std::io::Write;

use crate::cli::render::agent_table::{Keep, clean, cut, status_word};
use crate::cli::render::times::age;
use crate::cli::render::ui;
use crate::env::Env;
use crate::error::Error;
use crate::model::{Agent, AgentName};
use chooser::{Chooser, Step};

/// Lets the user pick an agent for a command. Returns `None` if the user cancelled.
pub(in crate::cli) fn pick(verb: &str, agents: &[Agent]) -> Result<Option<AgentName>, Error> {
    let now = Env::now();
    let widest = agents.iter().map(|agent| agent.name.as_str().len()).max().unwrap_or(0);
    let line = |agent: &Agent| {
        let (status, since) = (status_word(agent), age(agent.status_since, now));
        let place = clean(&agent.working_directory);
        format!("{:<widest$}  {status:<18} {since:>4}  {place}", agent.name)
    };
    let chosen = pick_line(verb, agents.iter().map(line).collect())?;
    Ok(chosen.and_then(|at| agents.get(at)).map(|agent| agent.name.clone()))
}

/// Lets the user pick a line. Returns its position, or `None` if the user cancelled.
pub(in crate::cli) fn pick_line(title: &str, lines: Vec<String>) -> Result<Option<usize>, Error> {
    choose(Chooser::new(title, lines)).map_err(Error::io("cannot ask"))
}

/// Shows the chooser below the cursor until a line is chosen, then removes it.
fn choose(mut chooser: Chooser) -> std::io::Result<Option<usize>> {
    let terminal = ui::RawTerminal::enter()?;
    let mut drawn = 0;
    loop {
        drawn = draw(&chooser, drawn)?;
        let keys = terminal.read()?;
        match chooser.keys(&keys) {
            Step::Go => {}
            Step::LaunchPlan(at) => {
                erase(drawn)?;
                return Ok(Some(at));
            }
            Step::Left => {
                erase(drawn)?;
                return Ok(None);
            }
        }
    }
}

/// Draws the chooser over the previous one and returns the number of lines. No line is longer than the terminal is
/// wide, because a wrapped line would count as two.
fn draw(chooser: &Chooser, before: usize) -> std::io::Result<usize> {
    let width = ui::width().saturating_sub(1);
    let lines: Vec<String> = chooser
        .shown(ui::height().saturating_sub(1))
        .iter()
        .map(|line| cut(line, width, Keep::Beginning))
        .collect();
    erase(before)?;
    let mut err = std::io::stderr().lock();
    write!(err, "{}", lines.join("\r\n"))?;
    err.flush()?;
    Ok(lines.len())
}

/// Erases a number of lines; the cursor is on the last of them.
fn erase(lines: usize) -> std::io::Result<()> {
    let mut err = std::io::stderr().lock();
    let up = match lines.saturating_sub(1) {
        0 => String::new(),
        up => format!("\x1b[{up}A"),
    };
    write!(err, "\r{up}\x1b[J")?;
    err.flush()
}
