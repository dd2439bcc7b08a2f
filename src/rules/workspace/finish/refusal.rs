//! Decides when the work of an agent cannot be finished.

use std::path::{Path, PathBuf};

use crate::base::plural::counted;
use crate::base::sanitize::shell_word;
use crate::model::is_deceptive;
use crate::rules::workspace::finish::facts::FinishFacts;
use crate::rules::workspace::unsaved_work::named;

/// Number of paths that are listed before the rest is only counted.
const MAX_LISTED_PATHS: usize = 10;

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishRefusal {
    /// The reason in one sentence.
    pub message: String,
    /// Observations, one per line.
    pub observations: Vec<String>,
    /// Commands or actions that help, one per line.
    pub hints: Vec<String>,
}

impl FinishRefusal {
    /// Creates a refusal. Names from the repository are untrusted and are sanitized.
    pub fn new(message: String, observations: Vec<String>, hints: Vec<String>) -> FinishRefusal {
        let clean = |text: String| text.replace(is_deceptive, " ");
        FinishRefusal {
            message: clean(message),
            observations: observations.into_iter().map(clean).collect(),
            hints: hints.into_iter().map(clean).collect(),
        }
    }
}

/// Returns why the work cannot be finished, or `None` if it can.
pub fn refusal(facts: &FinishFacts) -> Option<FinishRefusal> {
    worktree_refusal(facts)
        .or_else(|| submodule_refusal(facts))
        .or_else(|| busy_refusal(facts))
        .or_else(|| base_refusal(facts))
        .or_else(|| upstream_refusal(facts))
}

/// Checks the worktree of the agent for an unfinished operation, conflicts and repositories in it.
fn worktree_refusal(facts: &FinishFacts) -> Option<FinishRefusal> {
    let (name, work) = (&facts.agent, &facts.work);
    let worktree = shell_word(&work.directory);
    if let Some(operation) = work.operation {
        return refuse(
            format!("a {operation} is in progress in the worktree of agent `{name}`"),
            vec![work.directory.display().to_string()],
            format!("complete or abort it: `git -C {worktree} status` shows how"),
        );
    }
    if !work.unmerged.is_empty() {
        return refuse(
            format!("the worktree of agent `{name}` has conflicts"),
            listed(&work.unmerged),
            format!("resolve them: `git -C {worktree} status` shows how"),
        );
    }
    if !work.embedded.is_empty() {
        return refuse(
            format!("the worktree of agent `{name}` contains other repositories"),
            listed(&work.embedded),
            "move them out of the worktree: git cannot commit them".to_owned(),
        );
    }
    None
}

/// Checks the submodules of the worktree for work that the base branch would not get.
fn submodule_refusal(facts: &FinishFacts) -> Option<FinishRefusal> {
    let (name, work) = (&facts.agent, &facts.work);
    if !work.in_submodules.is_empty() {
        return refuse(
            format!("a submodule of agent `{name}` has uncommitted changes"),
            vec![named("changed file", &work.in_submodules)],
            "commit them in the submodule, and the submodule in the worktree".to_owned(),
        );
    }
    let first = work.unsaved_submodules.first()?;
    let submodule = shell_word(work.directory.join(first));
    refuse(
        format!("a submodule of agent `{name}` has commits that exist only in its worktree"),
        listed(&work.unsaved_submodules),
        format!("push them: `git -C {submodule} push origin HEAD:refs/heads/{name}`"),
    )
}

/// Refuses to finish the work of an agent in the middle of a turn.
fn busy_refusal(facts: &FinishFacts) -> Option<FinishRefusal> {
    let (name, status) = (&facts.agent, facts.busy?);
    let wait = format!("wait until it is idle: `symposium agent wait {name} --for idle`");
    // An agent at its usage limit, for example, cannot be interrupted.
    let end = format!(
        "or interrupt it: `symposium agent interrupt {name}`, or end it: `symposium agent kill {name}`"
    );
    Some(FinishRefusal::new(format!("agent `{name}` is {status}"), Vec::new(), vec![wait, end]))
}

/// Checks the base branch and the directory in which it is checked out.
fn base_refusal(facts: &FinishFacts) -> Option<FinishRefusal> {
    let (name, base) = (&facts.agent, &facts.base);
    if facts.work.branch.as_deref() == Some(base.branch.as_str()) {
        return refuse(
            format!("agent `{name}` works on `{}` itself", base.branch),
            vec!["there is nothing to merge".to_owned()],
            "name another branch with `--into`".to_owned(),
        );
    }
    let directory = base.directory.as_deref().unwrap_or(Path::new(""));
    if let Some(other) = base.other_directories.first() {
        let all = std::iter::once(directory).chain(base.other_directories.iter().map(PathBuf::as_path));
        return refuse(
            format!("`{}` is checked out in several working trees", base.branch),
            all.map(|top| top.display().to_string()).collect(),
            format!("leave it in all but one: `git -C {} switch --detach`", shell_word(other)),
        );
    }
    if let Some(operation) = base.operation {
        return refuse(
            format!("a {operation} is in progress where `{}` is checked out", base.branch),
            vec![directory.display().to_string()],
            format!("complete or abort it: `git -C {} status` shows how", shell_word(directory)),
        );
    }
    if !base.changed.is_empty() {
        return refuse(
            format!("`{}` is checked out with uncommitted changes", base.branch),
            vec![directory.display().to_string(), named("changed file", &base.changed)],
            format!("commit or stash them: `git -C {} stash`", shell_word(directory)),
        );
    }
    None
}

/// Refuses a base branch that lacks commits of its upstream on which the work is based.
fn upstream_refusal(facts: &FinishFacts) -> Option<FinishRefusal> {
    let (name, base) = (&facts.agent, &facts.base);
    let upstream = base.upstream.as_ref().filter(|upstream| upstream.in_work > 0)?;
    let update = match &base.directory {
        Some(directory) => {
            format!("git -C {} merge --ff-only {}", shell_word(directory), shell_word(&upstream.name))
        }
        None => {
            let worktree = shell_word(&facts.work.directory);
            let refs = format!("{}:{}", upstream.name, base.branch);
            format!("git -C {worktree} fetch . {}", shell_word(&refs))
        }
    };
    let commits = counted(upstream.in_work, "commit", "commits");
    refuse(
        format!("`{}` is behind `{}`, on which the work of `{name}` is based", base.branch, upstream.name),
        vec![format!("{commits} would count as work of the agent")],
        format!("update the branch first: `{update}`"),
    )
}

fn refuse(message: String, observations: Vec<String>, hint: String) -> Option<FinishRefusal> {
    Some(FinishRefusal::new(message, observations, vec![hint]))
}

/// Returns the refusal for files that finishing would overwrite or delete in a working tree.
pub fn files_in_the_way(directory: &Path, paths: &[String]) -> FinishRefusal {
    FinishRefusal::new(
        format!("files that git does not track are in the way in {}", directory.display()),
        listed(paths),
        vec!["move them to another place: finishing would overwrite or delete them".to_owned()],
    )
}

/// Returns the refusal for changes in a working tree that its index hides and that finishing would overwrite.
pub fn hidden_changes(directory: &Path, paths: &[String]) -> FinishRefusal {
    FinishRefusal::new(
        format!("files with changes that git does not report would be overwritten in {}", directory.display()),
        listed(paths),
        vec![
            "save your changes at another place: the files are marked with `git update-index --assume-unchanged` or `--skip-worktree`".to_owned(),
            format!(
                "then let git see them: `git -C {} update-index --no-assume-unchanged FILE`, or `--no-skip-worktree`",
                shell_word(directory)
            ),
        ],
    )
}

/// Returns the first paths, and how many follow.
pub fn listed(paths: &[String]) -> Vec<String> {
    let more = paths.len().saturating_sub(MAX_LISTED_PATHS);
    let first = paths.iter().take(MAX_LISTED_PATHS).cloned();
    first.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ChangeKind, ChangedFile, Status};
    use crate::rules::workspace::finish::facts::UpstreamFacts;
    use crate::rules::workspace::finish::plan::tests::facts;

    #[test]
    fn each_obstacle_is_a_reason_of_its_own() {
        assert_eq!(refusal(&facts()), None);
        let with = |change: fn(&mut FinishFacts)| {
            let mut facts = facts();
            change(&mut facts);
            refusal(&facts).map(|refusal| refusal.message).unwrap_or_default()
        };
        assert_eq!(
            with(|facts| facts.work.operation = Some("rebase")),
            "a rebase is in progress in the worktree of agent `fix`"
        );
        assert_eq!(
            with(|facts| facts.work.unmerged = vec!["a".into()]),
            "the worktree of agent `fix` has conflicts"
        );
        assert_eq!(
            with(|facts| {
                facts.work.in_submodules =
                    vec![ChangedFile { kind: ChangeKind::Modified, path: "m/a".into() }]
            }),
            "a submodule of agent `fix` has uncommitted changes"
        );
        assert_eq!(with(|facts| facts.busy = Some(Status::Working)), "agent `fix` is working");
        assert_eq!(with(|facts| facts.busy = Some(Status::Waiting)), "agent `fix` is waiting");
        assert_eq!(
            with(|facts| facts.work.branch = Some("main".into())),
            "agent `fix` works on `main` itself"
        );
        assert_eq!(
            with(|facts| facts.base.other_directories = vec!["/q".into()]),
            "`main` is checked out in several working trees"
        );
        assert_eq!(
            with(|facts| {
                facts.base.changed = vec![ChangedFile { kind: ChangeKind::Modified, path: "a".into() }]
            }),
            "`main` is checked out with uncommitted changes"
        );
        assert_eq!(
            with(|facts| {
                facts.base.upstream =
                    Some(UpstreamFacts { name: "origin/main".into(), commits: 2, in_work: 1 });
            }),
            "`main` is behind `origin/main`, on which the work of `fix` is based"
        );
    }
}
