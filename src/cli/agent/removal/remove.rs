//! The `agent rm` command, and the confirmation that it shares with `taskspace delete`.

use clap::Args;

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::Error;
use crate::manager::AgentRemoval;
use crate::manager::{Removal, Removed};
use crate::model::{AgentName, RemovalPreview};
use crate::rules::workspace::unsaved_work::ignored_remark;

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::new("rm", "Remove an agent and its files", Remote::ONCE, |args, context| {
        run(parsed(args)?, context)
    })
    .arguments::<Arguments>()
    .values(&[("name", ArgumentValue::Agent)])
    .aliases(&["remove", "delete"])
    .short_forms(&["rm", "remove", "delete"]);

/// Options of a command that removes an agent.
#[derive(Debug, Args)]
pub(in crate::cli) struct RemovalOptions {
    /// Remove it even if it runs or has unsaved work; a copy is kept for 30 days
    #[arg(long)]
    force: bool,
    /// Do not ask for confirmation; without a terminal, --force is enough
    #[arg(short, long)]
    yes: bool,
    /// Show what would be lost and change nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = DRY_RUN_JSON)]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    #[command(flatten)]
    options: RemovalOptions,
}

const DRY_RUN_JSON: &str = "\
JSON of --dry-run:
  name         name of the agent
  running      whether it has running processes
  workspace    in-place, worktree or scratch
  path         directory that would be deleted; null for in-place
  branch       branch of its worktree, or null
  files        uncommitted files, [{kind, path}]; all entries of a scratch folder
  commits      commits that no remote and no other branch has (their branch stays)
  stashes      stashes made on its branch (they stay)
  unknown      why git could not report the state of the worktree, or null
  summary      the same as sentences
  ignored      ignored files of the worktree, which are deleted without a copy
  shared_with  other running agents that work in the directory
  needs_force  whether the removal is refused without --force

JSON of a removal:
  removed      name of the agent
  summary      unsaved work that was removed, as sentences
  recovered    copy of that work, or null: {name, at, until, refs: [{repository, reference}], folder}
  recover      commands that bring the copy back";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    match decide(&name, &args.options, context)? {
        RemovalDecision::Stop(code) => Ok(code),
        RemovalDecision::Remove(removal) => {
            let removed = AgentRemoval(&context.manager).rm(&name, removal)?;
            report("removed", &name, &removed, context);
            Ok(0)
        }
    }
}

/// Result of evaluating the options and asking for confirmation.
pub(in crate::cli) enum RemovalDecision {
    /// Remove the agent.
    Remove(Removal),
    /// Change nothing and exit with this code: a dry run, or an answer of no.
    Stop(u8),
}

/// Decides whether and how to remove an agent.
pub(in crate::cli) fn decide(
    name: &AgentName,
    options: &RemovalOptions,
    context: &Invocation,
) -> Result<RemovalDecision, Error> {
    if options.dry_run {
        show_preview(&AgentRemoval(&context.manager).removal_preview(name)?, context);
        return Ok(RemovalDecision::Stop(0));
    }
    if !options.force {
        return Ok(RemovalDecision::Remove(Removal::Careful));
    }
    let is_confirmed = options.yes || !context.ui.can_ask() || confirmed(name, context)?;
    Ok(if is_confirmed { RemovalDecision::Remove(Removal::Force) } else { RemovalDecision::Stop(1) })
}

/// Asks for confirmation if a forced removal would end a running agent or remove unsaved work.
fn confirmed(name: &AgentName, context: &Invocation) -> Result<bool, Error> {
    let preview = AgentRemoval(&context.manager).removal_preview(name)?;
    if !preview.needs_force {
        return Ok(true);
    }
    preview.summary.iter().for_each(|line| context.ui.say(&format!("  {line}")));
    for other in &preview.shared_with {
        context.ui.say(&format!("  agent `{other}` works in the same directory"));
    }
    let question = match (preview.running, preview.summary.is_empty()) {
        (false, true) => format!("remove `{name}` with its directory?"),
        (true, true) => format!("`{name}` is running: end it and remove it?"),
        (true, false) => format!("`{name}` is running: end it and remove it with this work?"),
        (false, _) => format!("remove `{name}` with this work?"),
    };
    let is_confirmed = context.ui.confirm(&question)?;
    if !is_confirmed {
        context.ui.say("nothing was changed");
    }
    Ok(is_confirmed)
}

fn show_preview(preview: &RemovalPreview, context: &Invocation) {
    if context.ui.json {
        return context.ui.json(preview);
    }
    let name = &preview.name;
    let mut lines = Vec::new();
    if preview.running {
        lines.push(format!("`{name}` is running"));
    }
    match preview.summary.is_empty() {
        true => lines.push(format!("`{name}` holds no work that would be lost")),
        false => lines.push(format!("`{name}` contains unsaved work:")),
    }
    lines.extend(preview.summary.iter().map(|line| format!("  {line}")));
    lines.extend(ignored_remark(&preview.ignored));
    lines.extend(
        preview.shared_with.iter().map(|other| format!("agent `{other}` works in the same directory")),
    );
    context.ui.data(&lines.join("\n"));
}

/// Returns what was removed and how to bring it back as JSON.
pub(in crate::cli) fn report_json(
    verb: &str,
    name: &AgentName,
    removed: &Removed,
    context: &Invocation,
) -> serde_json::Value {
    let commands = removed
        .recovered
        .as_ref()
        .map(|copy| AgentRemoval(&context.manager).recovery_commands(copy))
        .unwrap_or_default();
    serde_json::json!({
        verb: name,
        "summary": removed.summary,
        "recovered": removed.recovered,
        "recover": commands,
    })
}

/// Prints what was removed and how to bring it back.
pub(in crate::cli) fn report(verb: &str, name: &AgentName, removed: &Removed, context: &Invocation) {
    let commands = removed
        .recovered
        .as_ref()
        .map(|copy| AgentRemoval(&context.manager).recovery_commands(copy))
        .unwrap_or_default();
    if context.ui.json {
        return context.ui.json(&report_json(verb, name, removed, context));
    }
    context.ui.say(&format!("`{name}` is {verb}"));
    removed.summary.iter().for_each(|line| context.ui.say(&format!("  {line}")));
    if !commands.is_empty() {
        context.ui.say("a copy is kept for 30 days; bring it back with:");
        commands.iter().for_each(|command| context.ui.say(&format!("  {command}")));
    }
}
