//! The `symposium taskspace` commands.

use std::path::PathBuf;

use clap::Args;

use super::spec::ask_trust::{TrustFlag, with_trust};
use super::{
    Invocation,
    agent::{
        lifecycle::spawn::{self, ChangesFlag},
        removal::remove,
        terminal::attach,
    },
    render::ui,
};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::{Remote, RemoteMode};
use crate::error::Error;
use crate::manager::Taskspaces;
use crate::manager::{As, SpawnRequest, SpawnTarget, TaskspaceView};
use crate::model::LogEntry;
use crate::text::agent::status_word;
use crate::text::fit::clean;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "taskspace",
    "Manage taskspaces: a worktree, an agent and its task as one unit",
    &[NEW, LIST, LOG, DELETE],
);

const NEW: CommandDefinition = CommandDefinition::new(
    "new",
    "Create a worktree and an agent in it, and give the agent its task",
    Remote::ONCE.flags(&[("attach", RemoteMode::Start)]).host_before_first_line(),
    |args, context| new(parsed(args)?, context),
)
.arguments::<TaskspaceNewArguments>()
.values(&[("name", ArgumentValue::NewAgent), ("spec", ArgumentValue::Spec)]);

const LIST: CommandDefinition = CommandDefinition::new(
    "list",
    "List taskspaces; those that need you come first",
    Remote::READ_ONLY,
    |_, context| list(context),
)
.aliases(&["ls"]);

const LOG: CommandDefinition = CommandDefinition::new(
    "log",
    "Add a note to the log of a taskspace; without a text, show the log",
    Remote::ONCE,
    |args, context| log(parsed(args)?, context),
)
.arguments::<TaskspaceLogArguments>()
.values(&[("name", ArgumentValue::Agent)]);

const DELETE: CommandDefinition = CommandDefinition::new(
    "delete",
    "End the agent and remove its worktree, unless work would be lost",
    Remote::ONCE,
    |args, context| delete(&parsed(args)?, context),
)
.arguments::<TaskspaceDeleteArguments>()
.values(&[("name", ArgumentValue::Agent)])
.aliases(&["rm", "remove"]);

#[derive(Debug, Args)]
pub(super) struct TaskspaceNewArguments {
    /// Name of the taskspace; its branch is symposium/NAME
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Spec or kind [default: the spec `default`]
    spec: Option<String>,
    /// Task; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    task: String,
    /// Parameter of the spec: `{{K}}` in prompts, SYMPOSIUM_PARAM_K in the environment
    #[arg(long = "param", value_name = "K=V", value_parser = spawn::parameter, allow_hyphen_values = true)]
    params: Vec<(String, String)>,
    /// Look for specs in this file only
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Branch, existing or new [default: symposium/NAME]
    #[arg(long, value_name = "B", allow_hyphen_values = true)]
    branch: Option<String>,
    #[command(flatten)]
    changes: ChangesFlag,
    /// Repository [default: the repository of this directory]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    trust: TrustFlag,
    /// Attach this terminal immediately
    #[arg(long)]
    attach: bool,
}

#[derive(Debug, Args)]
pub(super) struct TaskspaceLogArguments {
    /// Name of the taskspace
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Text; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct TaskspaceDeleteArguments {
    /// Name of the taskspace
    #[arg(allow_hyphen_values = true)]
    name: String,
    #[command(flatten)]
    options: remove::RemovalOptions,
}

fn new(args: TaskspaceNewArguments, context: &Invocation) -> Result<u8, Error> {
    let name = spawn::name(&args.name)?;
    if args.attach && !ui::is_interactive() {
        return Err(Error::no_terminal("spawn --attach", Some(name.to_string())));
    }
    let task = match args.task.as_str() {
        "-" => ui::standard_input().map_err(Error::io("cannot read the task from stdin"))?,
        _ => args.task,
    };
    let request = SpawnRequest {
        body: SpawnTarget::Spec(args.spec),
        name: Some(name),
        dir: args.dir,
        task: Some(task),
        branch: args.branch,
        changes: args.changes.policy(),
        params: args.params,
        config: args.config,
        size: ui::agent_terminal_size(),
        ..SpawnRequest::default()
    };
    let spawned =
        with_trust(context, args.trust, || Taskspaces(&context.manager).taskspace_new(request.clone()))?;
    for warning in &spawned.warnings {
        context.ui.warn(warning);
    }
    for remark in &spawned.remarks {
        context.ui.say(remark);
    }
    if args.attach {
        return attach::to(&spawned.agent.name, As::Driver, context);
    }
    if context.ui.json {
        context.ui.json(&spawned.agent);
    } else {
        context.ui.data(spawned.agent.name.as_str());
    }
    Ok(0)
}

fn list(context: &Invocation) -> Result<u8, Error> {
    let mut views = Taskspaces(&context.manager).taskspaces()?;
    views.sort_by_key(|view| !view.needs_attention);
    if context.ui.json {
        context.ui.json(&views);
    } else if views.is_empty() {
        context.ui.say("no taskspaces yet; `symposium taskspace new NAME --task TEXT` makes one");
    } else {
        context.ui.data(&views.iter().map(card).collect::<String>());
    }
    Ok(0)
}

/// Renders a taskspace in a few lines: its status, its task and its last note.
fn card(view: &TaskspaceView) -> String {
    let agent = &view.agent;
    let attention = if view.needs_attention { " (needs you)" } else { "" };
    let tasks = agent.tasks;
    let all = tasks.queued + tasks.running + tasks.done + tasks.failed;
    let progress = if all == 0 { String::new() } else { format!(", {} of {all} tasks done", tasks.done) };
    let task = view.taskspace.description.lines().next().unwrap_or_default();
    let mut text = format!("{}  {}{attention}{progress}\n", agent.name, status_word(agent));
    text.push_str(&format!("  task    {}\n", clean(task)));
    text.push_str(&format!("  branch  {}\n", clean(agent.branch.as_deref().unwrap_or("-"))));
    if let Some(last) = view.taskspace.log.last() {
        text.push_str(&format!("  log     {} {}\n", last.at, clean(&last.text)));
    }
    text
}

fn log(args: TaskspaceLogArguments, context: &Invocation) -> Result<u8, Error> {
    let name = spawn::name(&args.name)?;
    let text = match args.text.as_deref() {
        None => {
            let taskspace = Taskspaces(&context.manager).taskspace(&name)?;
            if context.ui.json {
                context.ui.json(&taskspace.log);
            } else {
                let line = |entry: &LogEntry| format!("{}  {}\n", entry.at, indented(&entry.text));
                context.ui.data(&taskspace.log.iter().map(line).collect::<String>());
            }
            return Ok(0);
        }
        Some("-") => ui::standard_input().map_err(Error::io("cannot read the text from stdin"))?,
        Some(text) => text.to_owned(),
    };
    let entry = Taskspaces(&context.manager).taskspace_log(&name, &text)?;
    if context.ui.json {
        context.ui.json(&entry);
    }
    Ok(0)
}

/// Indents the lines of a text after the first one, below a time.
fn indented(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n                          ")
}

fn delete(args: &TaskspaceDeleteArguments, context: &Invocation) -> Result<u8, Error> {
    let name = spawn::name(&args.name)?;
    match remove::decide(&name, &args.options, context)? {
        remove::RemovalDecision::Stop(code) => Ok(code),
        remove::RemovalDecision::Remove(removal) => {
            let removed = Taskspaces(&context.manager).taskspace_delete(&name, removal)?;
            remove::report("deleted", &name, &removed, context);
            Ok(0)
        }
    }
}
