//! The `agent finish` command.

mod pull_request;

use clap::{ArgGroup, Args};

use crate::cli::agent::groups::discard_others::{self, WithOthers};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::cli::{Invocation, agent::sharing::attach_shared};
use crate::error::{Code, Error};
use crate::manager::{
    CheckPolicy, DiscardPreview, FinishReport, FinishRequest, Finishing, InterruptedFinish,
};
use crate::model::{AgentName, FinishMethod, FinishPlan};
use crate::rules::workspace::finish::plan::describe;
use crate::rules::workspace::finish::refusal::listed;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "finish",
    "Merge an agent's work into its base branch and clean up",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent), ("others", ArgumentValue::Agent)])
.aliases(&["merge"]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON, group = ArgGroup::new("method"), group = ArgGroup::new("conflict"), group = ArgGroup::new("checks"))]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Message of the commits that are made [default: the agent's last words]
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
    /// Merge all changes as one commit
    #[arg(long, group = "method")]
    squash: bool,
    /// Copy each commit onto the base branch
    #[arg(long, group = "method")]
    rebase: bool,
    /// Make a merge commit
    #[arg(long, group = "method")]
    merge: bool,
    /// Local branch that gets the work [default: the base branch of the agent]
    #[arg(long, value_name = "BRANCH", allow_hyphen_values = true)]
    into: Option<String>,
    /// Keep the agent, its worktree and its branch
    #[arg(long)]
    keep: bool,
    /// Push the branch and open a pull request instead, with gh or glab if installed
    #[arg(long, conflicts_with_all = ["method", "keep", "continues", "abort", "discard_others"])]
    pr: bool,
    /// Finish without the checks
    #[arg(long, group = "checks")]
    no_checks: bool,
    /// Trust the checks of the project as they are now
    #[arg(long, group = "checks", conflicts_with = "dry_run")]
    trust: bool,
    /// If there is a conflict, send it to the agent as a task
    #[arg(long, group = "conflict")]
    resolve: bool,
    /// Continue with the same options after the agent resolved a conflict
    #[arg(long = "continue", group = "conflict", conflicts_with_all = ["method", "message", "into", "keep"])]
    continues: bool,
    /// Revert an interrupted run, and forget the options stored for --continue
    #[arg(long, group = "conflict", conflicts_with_all = ["method", "message", "into", "keep", "dry_run"])]
    abort: bool,
    /// Then discard the other agents of its group, or the agents named after it
    #[arg(long, conflicts_with = "abort")]
    discard_others: bool,
    /// Agents to discard
    #[arg(requires = "discard_others", value_name = "OTHER")]
    others: Vec<String>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Show the plan and change nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

const JSON: &str = "\
The result is computed before anything changes, so a conflict changes nothing. If the command is interrupted, the next \
one continues. [finish] in config.toml sets the default method.

JSON of --dry-run:
  agent      name of the agent
  base       branch that gets the work
  steps      [{step, ...}]; step is end-agent, commit, merge, move-base, advance, bring-in,
             check, remove-worktree, remove-branch, push or open-pull-request
  conflicts  paths with conflicts; if there are any, there are no steps
  remarks    facts to know, as sentences
  discarded  with --discard-others: what would be discarded, as in `agent discard --dry-run`

JSON of --pr:
  agent      name of the agent
  branch     branch that was pushed
  base       branch that gets the work
  remote     name of the remote
  url        address of the pull request, or null
  command    command that opens the pull request, or null if it is open
  steps      what was done: [{text, undo}]

JSON of --resolve, if there is a conflict:
  task       number of the task that the agent got
  conflicts  paths with conflicts

JSON of --abort:
  aborted    name of the agent
  task       number of the task that the agent still has, or null
  reverted   base branch of an interrupted run, which does not have the work, or null

JSON of the result:
  finished   name of the agent
  base       branch that got the work
  method     squash, rebase or merge
  from       commit of the base branch before
  commit     commit of the base branch now, or null if it had all of the work already
  steps      what was done: [{text, undo}]; undo is a command, or null
  recovered  copy of the commits that a squash or rebase replaced, or null
  discarded  with --discard-others: the agents that were discarded, as in `agent discard`";

impl Arguments {
    fn method(&self) -> Option<FinishMethod> {
        match (self.squash, self.rebase, self.merge) {
            (true, ..) => Some(FinishMethod::Squash),
            (_, true, _) => Some(FinishMethod::Rebase),
            (.., true) => Some(FinishMethod::Merge),
            _ => None,
        }
    }

    fn checks(&self) -> CheckPolicy {
        match (self.no_checks, self.trust) {
            (true, _) => CheckPolicy::Skip,
            (_, true) => CheckPolicy::Trust,
            _ => CheckPolicy::Run,
        }
    }
}

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let finishing = Finishing(&context.manager);
    if args.abort {
        return abort(&name, context);
    }
    let others = match args.discard_others {
        true => discard_others::planned(&name, &args.others, context)?,
        false => Vec::new(),
    };
    if !args.dry_run
        && let Some(code) = continue_interrupted(&name, &args, &others, context)?
    {
        return Ok(code);
    }
    let mut request = match args.continues {
        true => FinishRequest { checks: args.checks(), ..finishing.stored_request(&name)? },
        false => FinishRequest {
            name: name.clone(),
            into: args.into.clone(),
            method: args.method(),
            message: args.message.clone().filter(|message| !message.trim().is_empty()),
            keeps: args.keep,
            checks: args.checks(),
            opens_pull_request: args.pr,
        },
    };
    if request.opens_pull_request {
        return pull_request::run(request, &args, context);
    }
    let draft = plan_with_consent(&mut request, context, |request| finishing.finish_plan(request))?;
    if args.dry_run {
        match context.ui.json {
            true if args.discard_others => {
                context.ui.json(&WithOthers { main: &draft.plan, discarded: &others });
            }
            true => context.ui.json(&draft.plan),
            false => context.ui.data(&discard_others::described(described(&draft.plan), &others)),
        }
        return Ok(u8::from(!draft.plan.conflicts.is_empty()));
    }
    if !draft.plan.conflicts.is_empty() {
        return handle_conflict(&request, &draft.plan, &args, context);
    }
    let discards = if args.discard_others { &["--yes", "--discard-others"][..] } else { &["--yes"] };
    let command = args.others.iter().fold(request.command(discards), |text, other| format!("{text} {other}"));
    let text = discard_others::described(described(&draft.plan), &others);
    if !args.yes && !confirmed((&name, &command), &text, context)? {
        return Ok(1);
    }
    conclude(&finishing.finish(&request, &draft)?, &others, context)
}

/// Continues an interrupted run after the user agreed. Returns `None` if a new run can start, and for a pull request,
/// which is refused later.
fn continue_interrupted(
    name: &AgentName,
    args: &Arguments,
    others: &[DiscardPreview],
    context: &Invocation,
) -> Result<Option<u8>, Error> {
    let finishing = Finishing(&context.manager);
    if let Some(interrupted) = finishing.interrupted_finish(name)? {
        if args.pr {
            return Ok(None);
        }
        let discards = if args.discard_others { "--yes --discard-others" } else { "--yes" };
        let command = format!("symposium agent finish {discards} {name}");
        let command = args.others.iter().fold(command, |text, other| format!("{text} {other}"));
        let text = discard_others::described(continuation(&interrupted), others);
        if !args.yes && !confirmed((name, &command), &text, context)? {
            return Ok(Some(1));
        }
    }
    let Some(report) = finishing.continue_interrupted(name)? else { return Ok(None) };
    context.ui.say("an interrupted run was continued");
    conclude(&report, others, context).map(Some)
}

/// Returns the steps that are left of an interrupted run as numbered lines.
fn continuation(interrupted: &InterruptedFinish) -> String {
    let base = clean(&interrupted.base);
    let moved = (!interrupted.has_moved).then(|| format!("complete the update of `{base}`"));
    let cleaned = match interrupted.keeps {
        true => "bring the result to the worktree",
        false => "end the agent, and remove its worktree and branch",
    };
    let steps = moved.into_iter().chain([cleaned.to_owned()]).enumerate();
    let steps = steps.map(|(at, step)| format!("  {}. {step}", at + 1));
    let head = format!("continue the interrupted run for `{}` into `{base}`:", interrupted.agent);
    std::iter::once(head).chain(steps).collect::<Vec<_>>().join("\n")
}

/// Reports what was done and discards the other agents.
fn conclude(report: &FinishReport, others: &[DiscardPreview], context: &Invocation) -> Result<u8, Error> {
    if others.is_empty() {
        show(report, context);
        return Ok(0);
    }
    if !context.ui.json {
        show(report, context);
    }
    let (code, discarded) = discard_others::discard_all(others, context);
    if context.ui.json {
        context.ui.json(&WithOthers { main: report, discarded: &discarded });
    }
    Ok(code)
}

/// Shows a plan and asks whether it shall be carried out. `command` is the one that does not ask.
fn confirmed(
    (name, command): (&AgentName, &str),
    described: &str,
    context: &Invocation,
) -> Result<bool, Error> {
    if !context.ui.can_ask() {
        let what = format!("finishing `{name}` needs a confirmation, and there is no terminal to ask");
        return Err(Error::usage(what)
            .saw_all(described.lines().map(str::to_owned))
            .hint(format!("if you agree: `{command}`")));
    }
    context.ui.say(described);
    let is_agreed = context.ui.confirm("do this?")?;
    if !is_agreed {
        context.ui.say("nothing was changed");
    }
    Ok(is_agreed)
}

/// Makes a plan. Asks for consent at a terminal if the project has checks that the user has not agreed to.
fn plan_with_consent<T>(
    request: &mut FinishRequest,
    context: &Invocation,
    plan: impl Fn(&FinishRequest) -> Result<T, Error>,
) -> Result<T, Error> {
    match plan(request) {
        Err(error) if error.code() == Code::UntrustedChecks && context.ui.can_ask() => {
            context.ui.say(&error.to_string());
            error.observations().iter().for_each(|line| context.ui.say(&format!("  {line}")));
            if !context.ui.confirm("run these commands of the project?")? {
                return Err(error);
            }
            request.checks = CheckPolicy::Trust;
            plan(request)
        }
        planned => planned,
    }
}

/// Sends a conflict to the agent if the user wants that, and reports it otherwise.
fn handle_conflict(
    request: &FinishRequest,
    plan: &FinishPlan,
    args: &Arguments,
    context: &Invocation,
) -> Result<u8, Error> {
    match args.resolve || is_sending_wanted(plan, context)? {
        true => send(request, plan, context),
        false => Err(Finishing(&context.manager).conflict_error(plan, request)),
    }
}

/// Asks whether a conflict is sent to the agent.
fn is_sending_wanted(plan: &FinishPlan, context: &Invocation) -> Result<bool, Error> {
    if !context.ui.can_ask() {
        return Ok(false);
    }
    context.ui.say(&described(plan));
    context.ui.confirm(&format!("send the conflict to `{}` as a task?", plan.agent))
}

/// Sends a conflict to the agent as a task.
fn send(request: &FinishRequest, plan: &FinishPlan, context: &Invocation) -> Result<u8, Error> {
    let (finishing, name) = (Finishing(&context.manager), &request.name);
    let added = finishing.send_conflict(request, plan)?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "task": added.task.id, "conflicts": plan.conflicts }));
        return Ok(0);
    }
    added.remarks.iter().for_each(|remark| context.ui.say(remark));
    context.ui.say(&format!("task {} asks `{name}` to resolve the conflict", added.task.id));
    context.ui.say(&format!("when it is done: `symposium agent finish {name} --continue`"));
    Ok(0)
}

/// Reverts an interrupted run, and forgets the stored options of a run that waits for the agent.
fn abort(name: &AgentName, context: &Invocation) -> Result<u8, Error> {
    let aborted = Finishing(&context.manager).abort_finish(name)?;
    if context.ui.json {
        let (task, reverted) = (aborted.task, aborted.reverted);
        context.ui.json(&serde_json::json!({ "aborted": name, "task": task, "reverted": reverted }));
        return Ok(0);
    }
    match (&aborted.reverted, aborted.task) {
        (Some(base), _) => {
            let base = clean(base);
            context
                .ui
                .say(&format!("the interrupted run is aborted; `{base}` does not have the work of `{name}`"));
        }
        (None, None) => context.ui.say(&format!("nothing is stored for `{name}`")),
        (None, Some(_)) => context.ui.say(&format!("`{name}` will not be finished; its work stays as it is")),
    }
    if let Some(task) = aborted.task {
        context.ui.say(&format!("the agent still has task {task}: `symposium task cancel {task}`"));
    }
    Ok(0)
}

/// Returns the steps of a plan as numbered lines.
fn described(plan: &FinishPlan) -> String {
    if !plan.conflicts.is_empty() {
        let head = format!("the work of `{}` conflicts with `{}`:", plan.agent, clean(&plan.base));
        let paths = listed(&plan.conflicts).into_iter().map(|path| format!("  {}", clean(&path)));
        return std::iter::once(head).chain(paths).collect::<Vec<_>>().join("\n");
    }
    let head = format!("finish `{}` into `{}`:", plan.agent, clean(&plan.base));
    let steps = plan.steps.iter().enumerate();
    let steps = steps.map(|(at, step)| format!("  {}. {}", at + 1, describe(step)));
    let remarks = plan.remarks.iter().map(|remark| format!("  {remark}"));
    std::iter::once(head).chain(steps).chain(remarks).collect::<Vec<_>>().join("\n")
}

fn show(report: &FinishReport, context: &Invocation) {
    if context.ui.json {
        return context.ui.json(report);
    }
    context.ui.say(&format!("`{}` is finished", report.finished));
    for step in &report.steps {
        context.ui.say(&format!("  {}", clean(&step.text)));
        if let Some(undo) = &step.undo {
            context.ui.say(&format!("    undo: {}", clean(undo)));
        }
    }
}
