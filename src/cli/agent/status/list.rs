//! The `agent list` command.

use std::time::Duration;

use clap::Args;

use crate::cli::agent::status::show::WithWork;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::{Remote, RemoteMode};
use crate::cli::render::agent_table::table;
use crate::cli::render::redraw::{fitting, redraw};
use crate::cli::{
    Invocation, Ui,
    agent::sharing::attach_shared,
    render::{times, ui, work_table},
};
use crate::error::Error;
use crate::manager::{Approvals, Attachments, Reviews, Sharing, StatusTracker};
use crate::model::{Agent, HostName, Replay, Status};
use crate::rules::lifecycle::tree::{self, TreeRow};
use crate::rules::status::display_order;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "list",
    "List agents; agents that wait for you come first",
    Remote::of(RemoteMode::List).flags(&[
        ("watch", RemoteMode::Redraw),
        ("work", RemoteMode::Run(Replay::Any)),
        ("shared", RemoteMode::Run(Replay::Any)),
    ]),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("status", ArgumentValue::Status)])
.aliases(&["ls"])
.short_forms(&["ls", "list"])
.fast();

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Include agents that exited or were stopped
    #[arg(long)]
    all: bool,
    /// Only agents of this project: a directory, or a part of its name
    #[arg(long, value_name = "P")]
    project: Option<String>,
    /// Only agents with this status; may be repeated, or several with commas
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    status: Vec<Status>,
    /// List agents that other users share with you
    #[arg(long, conflicts_with_all = ["watch", "work", "tree"])]
    shared: bool,
    /// Show children below their parents
    #[arg(long)]
    tree: bool,
    /// Update the list at each change; with --json, print one array per line
    #[arg(long)]
    watch: bool,
    /// Show branch, changes, commits, conflicts, pull request and size of workspaces
    #[arg(long, conflicts_with = "watch")]
    work: bool,
    /// Time limit per machine [default: 5s, or 1s after a recent timeout]
    #[arg(long, value_name = "D", value_parser = times::duration)]
    pub(in crate::cli) timeout: Option<Duration>,
}

pub(in crate::cli) fn run(mut args: Arguments, context: &Invocation) -> Result<u8, Error> {
    if let Some(project) =
        args.project.as_deref().and_then(|text| Attachments(&context.manager).project_named(text))
    {
        args.project = Some(project);
    }
    if args.shared {
        return attach_shared::list(context);
    }
    if args.watch {
        return watch(&args, context);
    }
    let mut current_agents = StatusTracker::current_agents_for_display(&context.manager)?;
    if context.ui.json {
        Approvals(&context.manager).add_options(&mut current_agents.agents);
        Sharing(&context.manager).add_shares(&mut current_agents.agents);
    }
    show(&args, &current_agents.agents, None, context);
    if let Some(why) = current_agents.without_tmux() {
        context.ui.warn(&why);
        return Ok(0);
    }
    match current_agents.silence {
        Some(silence) => Err(silence),
        None => Ok(0),
    }
}

/// Prints these agents: of this machine and others, or of one other machine.
pub(in crate::cli) fn show(args: &Arguments, all: &[Agent], host: Option<&HostName>, context: &Invocation) {
    let agents = args.wanted(all, &context.ui);
    if context.ui.json && args.work {
        let work = Reviews(&context.manager).work_summaries(&agents);
        let agents = agents.iter().zip(work).map(|(agent, work)| WithWork { agent, work });
        context.ui.json(&agents.collect::<Vec<_>>());
        return;
    }
    if context.ui.json {
        context.ui.json(&agents);
        return;
    }
    if agents.is_empty() {
        let there = host.map(|host| format!(" --host {host}")).unwrap_or_default();
        context.ui.say(&match all.len() {
            0 => format!("no agents yet; `symposium agent spawn{there}` starts one"),
            n => format!("none of these; {n} in all, see `symposium agent list --all{there}`"),
        });
        return;
    }
    context.ui.data(&match args.work {
        true => {
            let rows = args.branches(&agents);
            let listed: Vec<Agent> = rows.iter().map(|row| row.agent.clone()).collect();
            work_table::table(&rows, &Reviews(&context.manager).work_summaries(&listed), ui::width())
        }
        false => args.lines(&agents, context),
    });
    let hidden = all.len() - agents.len();
    if hidden > 0 && args.project.is_none() && args.status.is_empty() {
        context.ui.say(&format!("{hidden} more ended; see them with --all"));
    }
}

/// Prints the list again at each change, until the reader has closed the pipe or the user presses C-c.
fn watch(args: &Arguments, context: &Invocation) -> Result<u8, Error> {
    let mut agents = Vec::new();
    redraw(context, |current_agents| {
        if let Some(current_agents) = current_agents {
            agents = args.wanted(&current_agents.agents, &context.ui);
            if context.ui.json {
                Approvals(&context.manager).add_options(&mut agents);
                Sharing(&context.manager).add_shares(&mut agents);
            }
        }
        Ok(match (context.ui.json, agents.is_empty()) {
            (true, _) => serde_json::to_string(&agents).unwrap_or_else(|_| "[]".into()),
            (false, true) => "no agents to show".into(),
            (false, false) => fitting(&args.lines(&agents, context), ui::height()),
        })
    })
}

impl Arguments {
    fn branches(&self, agents: &[Agent]) -> Vec<TreeRow> {
        let flat = |agent: &Agent| TreeRow { depth: 0, agent: agent.clone() };
        match self.tree {
            true => tree::tree(agents.to_vec()),
            false => agents.iter().map(flat).collect(),
        }
    }

    fn lines(&self, agents: &[Agent], context: &Invocation) -> String {
        table(
            &self.branches(agents),
            context.manager.user_home().as_deref(),
            ui::width(),
            context.manager.now(),
        )
    }

    /// Returns the agents to show, in display order.
    pub(in crate::cli) fn wanted(&self, all: &[Agent], ui: &Ui) -> Vec<Agent> {
        let mut agents: Vec<Agent> = all.iter().filter(|agent| self.wants(agent, ui)).cloned().collect();
        display_order::sort_for_display(&mut agents);
        agents
    }

    /// Checks whether an agent is shown. JSON output has all agents unless a filter is given; text output leaves out
    /// agents that exited or were stopped.
    fn wants(&self, agent: &Agent, ui: &Ui) -> bool {
        let ended = matches!(agent.status, Status::Exited | Status::Stopped);
        let by_status = match self.status.is_empty() {
            false => self.status.contains(&agent.status),
            true => self.all || ui.json || !ended,
        };
        let by_project = self.project.as_deref().is_none_or(|wanted| {
            let project = agent.project.as_deref().unwrap_or_default();
            let wanted = wanted.trim_end_matches('/');
            project == wanted || project.rsplit('/').next().is_some_and(|last| last.contains(wanted))
        });
        by_status && by_project
    }
}
