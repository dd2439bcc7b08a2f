//! The `agent compare` command.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::columns::columns;
use crate::cli::{Invocation, agent::sharing::attach_shared, render::ui};
use crate::error::Error;
use crate::manager::{CheckPolicy, ComparedChecks, Groups};
use crate::model::{AgentName, CheckResult, ComparedAgent, MergeForecast};
use crate::text::fit::{Keep, clean, cut};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "compare",
    "Compare the work of several agents: changes, conflicts, checks, last words",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("names", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON)]
pub(in crate::cli) struct Arguments {
    /// Names of the agents; a single name stands for its whole group
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Run the checks of `agent finish` in each worktree
    #[arg(long)]
    checks: bool,
    /// Trust the checks of the project as they are now
    #[arg(long, requires = "checks")]
    trust: bool,
}

const JSON: &str = "\
Results of checks are shown as long as the work is the same; without --checks, nothing runs.

JSON, for each agent:
  name, kind, status, waiting_for
  work       {base, commits, uncommitted, files, insertions, deletions}, or null
  merge      {state, ...}; state is clean, nothing, conflicts (with paths) or unknown (with reason)
  checks     {passed, failed, at}, or null if they have not run on this work
  last_line  last line of the last reply, or null
  remarks    facts to know, as sentences";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let names: Vec<AgentName> =
        args.names.iter().map(|text| attach_shared::own(text)).collect::<Result<_, _>>()?;
    let checks = match (args.checks, args.trust) {
        (false, _) => ComparedChecks::Known,
        (true, false) => ComparedChecks::Run(CheckPolicy::Run),
        (true, true) => ComparedChecks::Run(CheckPolicy::Trust),
    };
    let compared = Groups(&context.manager).compare(&names, checks)?;
    if context.ui.json {
        context.ui.json(&compared);
        return Ok(0);
    }
    context.ui.data(&table(&compared, ui::width()));
    for agent in &compared {
        remarks(agent).iter().for_each(|remark| context.ui.say(&format!("{}: {remark}", agent.name)));
    }
    Ok(0)
}

/// Renders one line for each agent, and below them the last words of each. Names are never cut.
fn table(compared: &[ComparedAgent], width: usize) -> String {
    let head = ["NAME", "KIND", "STATUS", "COMMITS", "FILES", "LINES", "MERGE", "CHECKS"];
    let mut text = columns(head, &compared.iter().map(row).collect::<Vec<_>>(), usize::MAX);
    let mut words =
        compared.iter().filter_map(|agent| Some((&agent.name, agent.last_line.as_ref()?))).peekable();
    if words.peek().is_some() {
        text.push('\n');
    }
    for (name, line) in words {
        let line = format!("{name}: {}", clean(line.trim()));
        text.push_str(&format!("{}\n", cut(&line, width, Keep::Beginning)));
    }
    text
}

fn row(agent: &ComparedAgent) -> [String; 8] {
    let work = agent.work.as_ref();
    let number = |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let status = match agent.waiting_for {
        Some(what) => format!("{}({what})", agent.status),
        None => agent.status.to_string(),
    };
    [
        agent.name.to_string(),
        agent.kind.clone(),
        status,
        number(work.map(|work| work.commits)),
        number(work.map(|work| work.files)),
        work.map_or_else(|| "-".to_owned(), |work| format!("+{} -{}", work.insertions, work.deletions)),
        match &agent.merge {
            MergeForecast::Clean => "clean".to_owned(),
            MergeForecast::Nothing => "nothing".to_owned(),
            MergeForecast::Conflicts { .. } => "conflict".to_owned(),
            MergeForecast::Unknown { .. } => "-".to_owned(),
        },
        match &agent.checks {
            None => "-".to_owned(),
            Some(CheckResult { passed: true, .. }) => "passed".to_owned(),
            Some(_) => "failed".to_owned(),
        },
    ]
}

/// Returns what the table has no space for, as sentences.
fn remarks(agent: &ComparedAgent) -> Vec<String> {
    let mut remarks = Vec::new();
    match &agent.merge {
        MergeForecast::Conflicts { paths } => remarks.push(format!("conflicts in {}", paths.join(", "))),
        MergeForecast::Unknown { reason } => remarks.push(reason.clone()),
        MergeForecast::Clean | MergeForecast::Nothing => {}
    }
    if let Some(line) = agent.checks.as_ref().and_then(|checks| checks.failed.as_ref()) {
        remarks.push(format!("`{line}` failed"));
    }
    remarks
        .extend(agent.remarks.iter().filter(|remark| !remarks.contains(remark)).cloned().collect::<Vec<_>>());
    remarks
}
