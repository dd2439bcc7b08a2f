//! Lets the user choose one of several agents.

mod chooser;

use std::io::Write;

use jiff::Timestamp;

use crate::cli::{Invocation, render::ui};
use crate::error::Error;
use crate::model::{Agent, AgentName};
use crate::text::agent::{Location, status_word};
use crate::text::ages::age;
use crate::text::fit::{Keep, cut};
use chooser::{Chooser, KeyEffect};

/// Lets the user pick an agent for a command. Returns `None` if the user cancelled.
pub(in crate::cli) fn pick(
    verb: &str,
    agents: &[Agent],
    context: &Invocation,
) -> Result<Option<AgentName>, Error> {
    let home = context.manager.user_home();
    let lines = agent_lines(agents, home.as_deref(), context.manager.now());
    let chosen = pick_line(verb, lines)?;
    Ok(chosen.and_then(|at| agents.get(at)).map(|agent| agent.name.clone()))
}

/// Returns one line for each agent, with its location as in the list of agents.
fn agent_lines(agents: &[Agent], user_home: Option<&str>, now: Timestamp) -> Vec<String> {
    let widest = agents.iter().map(|agent| agent.name.as_str().len()).max().unwrap_or(0);
    let line = |agent: &Agent| {
        let (status, since) = (status_word(agent), age(agent.status_since, now));
        let location = Location::of(agent, user_home);
        format!("{:<widest$}  {status:<18} {since:>4}  {location}", agent.name)
    };
    agents.iter().map(line).collect()
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
            KeyEffect::Continue => {}
            KeyEffect::Choose(at) => {
                erase(drawn)?;
                return Ok(Some(at));
            }
            KeyEffect::Cancel => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Status, Workspace};
    use crate::rules::lifecycle::capacity::tests::agent;

    #[test]
    fn a_worktree_is_shown_as_project_and_branch() {
        let worktree = Agent {
            working_directory: "/home/u/.symposium/instances/guide/workspace".to_owned(),
            workspace: Workspace::Worktree,
            project: Some("/home/u/docs".to_owned()),
            branch: Some("symposium/guide".to_owned()),
            ..agent("guide", Status::Idle)
        };
        let now = worktree.status_since;
        let lines = agent_lines(&[worktree], Some("/home/u"), now);
        assert!(lines[0].ends_with("  docs (symposium/guide)"), "{lines:?}");
    }
}
