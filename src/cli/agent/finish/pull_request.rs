//! `agent finish --pr`: the work as a pull request.

use crate::cli::Invocation;
use crate::cli::agent::finish::{Arguments, confirmed, described, handle_conflict, plan_with_consent};
use crate::error::Error;
use crate::manager::{FinishRequest, Finishing, PullRequestReport};
use crate::text::fit::clean;

/// Shows the plan, asks, and opens the pull request.
pub(in crate::cli) fn run(
    mut request: FinishRequest,
    args: &Arguments,
    context: &Invocation,
) -> Result<u8, Error> {
    if args.discard_others {
        return Err(Error::usage("the stored options open a pull request, so no other agents are discarded")
            .hint(format!("`symposium agent finish {} --continue` opens it", request.name)));
    }
    let finishing = Finishing(&context.manager);
    let planned = plan_with_consent(&mut request, context, |request| finishing.pull_request_plan(request))?;
    if args.dry_run {
        match context.ui.json {
            true => context.ui.json(&planned.plan),
            false => context.ui.data(&shown(&planned.plan)),
        }
        return Ok(u8::from(!planned.plan.conflicts.is_empty()));
    }
    if !planned.plan.conflicts.is_empty() {
        return handle_conflict(&request, &planned.plan, args, context);
    }
    let command = request.command(&["--yes"]);
    if !args.yes && !confirmed((&request.name, &command), &shown(&planned.plan), context)? {
        return Ok(1);
    }
    show(&finishing.open_pull_request(&request, &planned)?, context);
    Ok(0)
}

/// Returns the steps of a plan as numbered lines.
fn shown(plan: &crate::model::FinishPlan) -> String {
    described(plan).replacen("finish `", "open a pull request for `", 1)
}

fn show(report: &PullRequestReport, context: &Invocation) {
    if context.ui.json {
        return context.ui.json(report);
    }
    for step in &report.steps {
        context.ui.say(&clean(&step.text));
        if let Some(undo) = &step.undo {
            context.ui.say(&format!("  undo: {}", clean(undo)));
        }
    }
    if let Some(command) = &report.command {
        context.ui.say(
            "neither `gh` nor `glab` is installed for this remote; the command that opens a pull request:",
        );
        context.ui.data(command);
    }
    context.ui.say(&format!(
        "agent `{0}` is kept; after the pull request is merged: `symposium agent finish {0}`",
        report.agent
    ));
}
