//! The `agent sweep` command: removes worktrees and branches that are not needed any more.

use clap::Args;

use crate::base::plural::counted;
use crate::cli::Invocation;
use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::{AgentRemoval, SweepPlan};
use crate::model::{AgentName, CreatedWork, KeptWork, SweptWork};
use crate::rules::workspace::unsaved_work::{bytes, ignored_remark};
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "sweep",
    "Remove worktrees and branches whose work is merged, empty or gone",
    Remote::ONCE,
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>();

#[derive(Debug, Args)]
#[command(after_long_help = JSON)]
pub(in crate::cli) struct Arguments {
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Show what would be removed and what is kept, and change nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

const JSON: &str = "\
Only worktrees and branches that Symposium created are examined. Uncommitted files, commits that are not merged, \
stashes and agents that run or can continue are never proposed; no option changes that. A branch that was squashed or \
rebased counts as merged if its base or main branch contains its whole change.

JSON:
  removed  what was removed, or would be: [{agent, repository, branch, commit, path, size, ignored, reason,
           recovered}]; reason is merged, empty or gone; agent is null for a branch of a removed agent, size is in
           bytes, ignored lists files that are deleted without a copy, recovered is the copy of commits that only the
           reflog had, or null
  kept     what is kept: the same fields without recovered, with the reason as a sentence
  dry_run  whether nothing was changed";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let removal = AgentRemoval(&context.manager);
    let SweepPlan { proposed, mut kept } = removal.plan_sweep()?;
    let is_dry = args.dry_run || proposed.is_empty();
    if !context.ui.json {
        show(&proposed, &kept, context);
    }
    if !is_dry && !args.yes {
        if !context.ui.can_ask() {
            return Err(Error::usage("`agent sweep` removes files and cannot ask here")
                .saw("nothing was changed")
                .hint("`--dry-run` lists them, `--yes` removes them"));
        }
        let count = counted(proposed.len(), "entry", "entries");
        if !context.ui.confirm(&format!("remove {count}?"))? {
            context.ui.say("nothing was changed");
            return Ok(1);
        }
    }
    let mut removed = Vec::new();
    for swept in proposed {
        match if is_dry { Ok(None) } else { removal.sweep(&swept) } {
            Ok(recovered) => removed.push(SweptWork { recovered, ..swept }),
            // Its facts have changed since they were shown.
            Err(error) => {
                context.ui.warn(&error.to_string());
                kept.push(KeptWork { work: swept.work, reason: error.to_string() });
            }
        }
    }
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "removed": removed, "kept": kept, "dry_run": args.dry_run }));
    } else if !is_dry {
        let size = removed.iter().map(|swept| swept.work.size).sum();
        let count = counted(removed.len(), "entry", "entries");
        context.ui.say(&format!("{count} removed, {} freed", bytes(size)));
        for copy in removed.iter().filter_map(|swept| swept.recovered.as_ref()) {
            let name = &copy.name;
            context.ui.say(&format!("commits that no branch had are kept: `symposium agent recover {name}`"));
        }
    }
    Ok(0)
}

fn show(proposed: &[SweptWork], kept: &[KeptWork], context: &Invocation) {
    let label = |work: &CreatedWork| match (&work.agent, &work.branch) {
        (Some(agent), _) => format!("worktree of `{agent}`"),
        (None, branch) => format!("branch `{}`", clean(branch.as_deref().unwrap_or_default())),
    };
    let works = proposed.iter().map(|swept| &swept.work).chain(kept.iter().map(|kept| &kept.work));
    let width = works.map(|work| label(work).chars().count()).max().unwrap_or_default();
    let lines = proposed.iter().map(|swept| {
        let SweptWork { work, reason, .. } = swept;
        let id = work.commit.as_deref().map_or("", |id| id.get(..12).unwrap_or(id));
        let reason = reason.to_string();
        let repository = clean(&work.repository.to_string_lossy());
        format!("{:width$}  {reason:6}  {:>7}  {id:12}  {repository}", label(work), bytes(work.size))
    });
    context.ui.data(&lines.collect::<Vec<_>>().join("\n"));
    for SweptWork { work, .. } in proposed {
        let Some(remark) = ignored_remark(&work.ignored) else { continue };
        let name = work.agent.as_ref().map(AgentName::as_str).unwrap_or_default();
        context.ui.say(&remark.replacen("ignored files", &format!("ignored files of `{name}`"), 1));
    }
    for kept in kept {
        context.ui.say(&format!("kept: {:width$}  {}", label(&kept.work), clean(&kept.reason)));
    }
    if proposed.is_empty() {
        context.ui.say("nothing to remove");
    }
}
