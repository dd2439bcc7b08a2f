//! `agent finish --pr`: the work as a pull request.

use crate::cli::Invocation;
use crate::cli::agent::finish::{confirmed, described, plan_with_consent};
use crate::error::Error;
use crate::manager::{FinishRequest, Finishing, PullRequestReport};
use crate::text::fit::clean;

/// Shows the plan, asks, and opens the pull request.
pub(in crate::cli) fn run(
    mut request: FinishRequest,
    (is_dry_run, is_agreed): (bool, bool),
    context: &Invocation,
) -> Result<u8, Error> {
    let finishing = Finishing(&context.manager);
    let planned = plan_with_consent(&mut request, context, |request| finishing.pull_request_plan(request))?;
    if is_dry_run {
        match context.ui.json {
            true => context.ui.json(&planned.plan),
            false => context.ui.data(&shown(&planned.plan)),
        }
        return Ok(0);
    }
    let command = request.command(&["--pr", "--yes"]);
    if !is_agreed && !confirmed((&request.name, &command), &shown(&planned.plan), context)? {
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
        "`{0}` goes on; after the pull request is merged: `symposium agent finish {0}`",
        report.agent
    ));
}
