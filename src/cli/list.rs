//! `agent list`

use clap::Args;

use super::table::table;
use super::{Context, ui};
use crate::env::Env;
use crate::error::Error;
use crate::model::{Agent, Status};
use crate::rules::order;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Also those that exited or were stopped
    #[arg(long)]
    all: bool,
    /// Only agents of this project: a directory, or a part of its name
    #[arg(long, value_name = "P")]
    project: Option<String>,
    /// Only agents with this status
    #[arg(long, value_name = "S")]
    status: Option<Status>,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let survey = context.manager.survey()?;
    let total = survey.agents.len();
    let mut agents: Vec<Agent> =
        survey.agents.into_iter().filter(|agent| args.wants(agent, context.ui.json)).collect();
    order::for_people(&mut agents);
    if context.ui.json {
        context.ui.json(&agents);
    } else if agents.is_empty() {
        context.ui.say(&match total {
            0 => "no agents yet; `symposium agent spawn` starts one".to_owned(),
            n => format!("none of these; {n} in all, see `symposium agent list --all`"),
        });
    } else {
        let home = context.manager.user_home();
        context.ui.data(&table(&agents, home.as_deref(), ui::width(), Env::now()));
        let hidden = total - agents.len();
        if hidden > 0 && args.project.is_none() && args.status.is_none() {
            context.ui.say(&format!("{hidden} more ended; see them with --all"));
        }
    }
    match survey.silence {
        Some(silence) => Err(silence),
        None => Ok(0),
    }
}

impl Arguments {
    /// Programs get everything unless they filter; people do not want to see what ended on request.
    fn wants(&self, agent: &Agent, json: bool) -> bool {
        let ended = matches!(agent.status, Status::Exited | Status::Stopped);
        let by_status = match self.status {
            Some(status) => agent.status == status,
            None => self.all || json || !ended,
        };
        let by_project = self.project.as_deref().is_none_or(|wanted| {
            let project = agent.project.as_deref().unwrap_or_default();
            let wanted = wanted.trim_end_matches('/');
            project == wanted || project.rsplit('/').next().is_some_and(|last| last.contains(wanted))
        });
        by_status && by_project
    }
}
