//! The steps of finishing, and their description in sentences.

use crate::base::plural::counted;
use crate::model::{FinishCheck, FinishMethod, FinishPlan, FinishStep, TaskId, is_deceptive};
use crate::rules::workspace::finish::facts::FinishFacts;

/// Number of ignored files that are named before the rest is only counted.
const MAX_NAMED_IGNORED: usize = 5;

/// Choices of the user, and the result of the merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishChoice {
    /// How the work gets into the base branch.
    pub method: FinishMethod,
    /// Message of the commit with uncommitted work.
    pub message: String,
    /// Number of files that change in the base branch; `None` if the base branch has all of the work already.
    pub files: Option<usize>,
    /// Whether agent, worktree and branch stay.
    pub keeps: bool,
    /// Commands that must succeed before the base branch moves.
    pub checks: Vec<FinishCheck>,
    /// Paths with conflicts.
    pub conflicts: Vec<String>,
}

/// Returns the steps in the order in which they run.
pub fn plan(facts: &FinishFacts, choice: &FinishChoice) -> FinishPlan {
    let (work, base) = (&facts.work, &facts.base);
    if !choice.conflicts.is_empty() {
        return FinishPlan {
            agent: facts.agent.clone(),
            base: base.branch.clone(),
            steps: Vec::new(),
            conflicts: choice.conflicts.clone(),
            remarks: Vec::new(),
        };
    }
    let mut steps = Vec::new();
    let ends = facts.is_running && !choice.keeps;
    let checks = if choice.files.is_some() { &choice.checks[..] } else { &[] };
    // The agent stays alive while the checks run, so that it can repair what they find.
    if ends && checks.is_empty() {
        steps.push(FinishStep::EndAgent);
    }
    let new_commits = u64::from(!work.uncommitted.is_empty());
    if new_commits > 0 {
        steps.push(FinishStep::Commit { files: work.uncommitted.len(), message: choice.message.clone() });
    }
    if !checks.is_empty() {
        let (branch, commits) = (base.branch.clone(), work.behind);
        steps.extend((commits > 0).then_some(FinishStep::BringIn { branch, commits }));
        steps.extend(checks.iter().cloned().map(FinishStep::Check));
        steps.extend(ends.then_some(FinishStep::EndAgent));
    }
    if let Some(files) = choice.files {
        steps.push(FinishStep::Merge {
            method: choice.method,
            commits: work.commits + new_commits,
            files,
            behind: work.behind,
        });
        steps.push(FinishStep::MoveBase {
            branch: base.branch.clone(),
            from: base.commit.clone(),
            directory: base.directory.clone(),
        });
    }
    if choice.keeps {
        let moves = choice.files.is_some();
        steps.extend(moves.then(|| FinishStep::Advance { directory: work.directory.clone() }));
    } else {
        steps.push(FinishStep::RemoveWorktree { directory: work.directory.clone() });
        let removed = work.own_branch.clone().filter(|_| work.left_out_commits == 0);
        steps.extend(removed.map(|branch| FinishStep::RemoveBranch { branch }));
    }
    FinishPlan {
        agent: facts.agent.clone(),
        base: base.branch.clone(),
        steps,
        conflicts: Vec::new(),
        remarks: remarks(facts, choice),
    }
}

/// Returns facts that do not prevent finishing, as sentences.
fn remarks(facts: &FinishFacts, choice: &FinishChoice) -> Vec<String> {
    let mut remarks = Vec::new();
    let base = &facts.base.branch;
    if choice.files.is_none() {
        remarks.push(format!("`{base}` has all of the work already"));
    }
    if let Some(upstream) = &facts.base.upstream {
        remarks.push(format!(
            "`{base}` is {} behind `{}`, as of the last fetch",
            counted(upstream.commits, "commit", "commits"),
            upstream.name
        ));
    }
    if let Some(branch) = facts.work.own_branch.as_ref().filter(|_| facts.work.left_out_commits > 0) {
        let commits = counted(facts.work.left_out_commits, "commit of it is", "commits of it are");
        remarks.push(format!("branch `{branch}` stays: {commits} not in this work"));
    }
    if facts.signs_commits && makes_commits(facts, choice) {
        remarks.push("new commits are not signed, although you have configured `commit.gpgSign`".to_owned());
    }
    if !choice.keeps && !facts.queued.is_empty() {
        let count = counted(facts.queued.len(), "task is", "tasks are");
        let ids = facts.queued.iter().map(TaskId::to_string).collect::<Vec<_>>().join(", ");
        remarks.push(format!("{count} queued for the agent and will not run after it ends: {ids}"));
    }
    if !choice.keeps && !facts.work.ignored.is_empty() {
        remarks.push(ignored_remark(&facts.work.ignored));
    }
    if facts.work.branch.is_none() {
        remarks.push(format!("HEAD of `{}` is detached; its commit is used", facts.agent));
    }
    remarks.into_iter().map(|remark| remark.replace(is_deceptive, " ")).collect()
}

/// Returns whether finishing makes new commits. A rebase onto the commit on which the work is based makes none.
fn makes_commits(facts: &FinishFacts, choice: &FinishChoice) -> bool {
    let is_replaced = choice.method != FinishMethod::Rebase || facts.work.behind > 0;
    !facts.work.uncommitted.is_empty() || (choice.files.is_some() && is_replaced)
}

/// Names ignored files that are deleted with the worktree. Files come before directories: a file such as `.env` is
/// more likely to exist only once.
fn ignored_remark(ignored: &[String]) -> String {
    let mut paths: Vec<&str> = ignored.iter().map(String::as_str).collect();
    paths.sort_by_key(|path| path.ends_with('/'));
    let more = if paths.len() > MAX_NAMED_IGNORED { ", …" } else { "" };
    let named = paths.iter().take(MAX_NAMED_IGNORED).map(|path| format!("`{path}`"));
    let count = counted(ignored.len(), "ignored file or directory is", "ignored files and directories are");
    let named = named.collect::<Vec<_>>().join(", ");
    format!("{count} deleted with the worktree: {named}{more}; `--keep` keeps the worktree")
}

/// Describes a step in one line.
pub fn describe(step: &FinishStep) -> String {
    let text = match step {
        FinishStep::EndAgent => "end the agent; its record and recap stay".to_owned(),
        FinishStep::Commit { files, message } => {
            let subject = message.lines().next().unwrap_or_default();
            format!("commit {}: {subject}", counted(*files, "uncommitted file", "uncommitted files"))
        }
        FinishStep::Merge { method, commits, files, behind } => {
            let commits = counted(*commits, "commit", "commits");
            let files = counted(*files, "changed file", "changed files");
            let verb = match method {
                FinishMethod::Squash => "squash",
                FinishMethod::Rebase => "rebase",
                FinishMethod::Merge => "merge",
            };
            let moved = match behind {
                0 => String::new(),
                behind => {
                    format!(", on top of {} of the base", counted(*behind, "new commit", "new commits"))
                }
            };
            format!("{verb} {commits} with {files}{moved}")
        }
        FinishStep::MoveBase { branch, from, directory } => {
            let from: String = from.chars().take(12).collect();
            match directory {
                Some(directory) => {
                    format!("update `{branch}` (at {from}), checked out in {}", directory.display())
                }
                None => format!("update `{branch}` (at {from}), checked out nowhere"),
            }
        }
        FinishStep::BringIn { branch, commits } => {
            let commits = counted(*commits, "commit", "commits");
            format!("bring {commits} of `{branch}` into the worktree")
        }
        FinishStep::Check(check) => format!("check: {} ({})", check.line, check.origin),
        FinishStep::Advance { directory } => format!("bring the result to {}", directory.display()),
        FinishStep::RemoveWorktree { directory } => format!("remove the worktree {}", directory.display()),
        FinishStep::RemoveBranch { branch } => format!("remove the branch `{branch}`"),
        FinishStep::Push { branch, remote, url } => format!("push `{branch}` to `{remote}` ({url})"),
        FinishStep::OpenPullRequest { program: Some(program), title } => {
            format!("open a pull request with `{program}`: {title}")
        }
        FinishStep::OpenPullRequest { program: None, title } => {
            format!("print the command that opens a pull request: {title}")
        }
    };
    text.replace(is_deceptive, " ")
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::model::{ChangeKind, ChangedFile};
    use crate::rules::workspace::finish::facts::{BaseFacts, UpstreamFacts, WorkFacts};

    /// An agent with two commits and one uncommitted file, whose base is checked out in a clean tree.
    pub fn facts() -> FinishFacts {
        FinishFacts {
            agent: "fix".parse().unwrap(),
            is_running: true,
            busy: None,
            queued: Vec::new(),
            signs_commits: false,
            work: WorkFacts {
                directory: "/w".into(),
                branch: Some("symposium/fix".into()),
                own_branch: Some("symposium/fix".into()),
                left_out_commits: 0,
                head: "1".repeat(40),
                operation: None,
                unmerged: Vec::new(),
                embedded: Vec::new(),
                in_submodules: Vec::new(),
                unsaved_submodules: Vec::new(),
                uncommitted: vec![ChangedFile { kind: ChangeKind::Untracked, path: "new".into() }],
                ignored: Vec::new(),
                commits: 2,
                behind: 1,
            },
            base: BaseFacts {
                branch: "main".into(),
                commit: "2".repeat(40),
                directory: Some("/p".into()),
                other_directories: Vec::new(),
                changed: Vec::new(),
                operation: None,
                upstream: None,
            },
        }
    }

    fn choice() -> FinishChoice {
        FinishChoice {
            method: FinishMethod::Squash,
            message: "Fix it\n\nbody".into(),
            files: Some(3),
            keeps: false,
            checks: Vec::new(),
            conflicts: Vec::new(),
        }
    }

    fn lines(facts: &FinishFacts, choice: &FinishChoice) -> Vec<String> {
        plan(facts, choice).steps.iter().map(describe).collect()
    }

    #[test]
    fn a_plan_commits_merges_and_cleans_up() {
        assert_eq!(
            lines(&facts(), &choice()),
            [
                "end the agent; its record and recap stay",
                "commit 1 uncommitted file: Fix it",
                "squash 3 commits with 3 changed files, on top of 1 new commit of the base",
                "update `main` (at 222222222222), checked out in /p",
                "remove the worktree /w",
                "remove the branch `symposium/fix`",
            ]
        );
    }

    #[test]
    fn keep_leaves_the_agent_and_brings_the_result_to_it() {
        let kept = lines(&facts(), &FinishChoice { keeps: true, ..choice() });
        assert_eq!(kept.last().map(String::as_str), Some("bring the result to /w"));
        assert!(
            !kept.iter().any(|line| line.contains("remove") || line.contains("end the agent")),
            "{kept:?}"
        );
    }

    #[test]
    fn checks_run_after_the_base_was_brought_in_and_before_the_agent_ends() {
        let check = FinishCheck { line: "make test".into(), origin: "config.toml".into() };
        let lines = lines(&facts(), &FinishChoice { checks: vec![check], ..choice() });
        assert_eq!(
            lines[..4],
            [
                "commit 1 uncommitted file: Fix it",
                "bring 1 commit of `main` into the worktree",
                "check: make test (config.toml)",
                "end the agent; its record and recap stay",
            ]
        );
    }

    #[test]
    fn a_branch_with_commits_that_are_not_part_of_the_work_stays() {
        let mut facts = facts();
        facts.work.left_out_commits = 2;
        assert_eq!(lines(&facts, &choice()).last().map(String::as_str), Some("remove the worktree /w"));
        assert_eq!(
            plan(&facts, &choice()).remarks,
            ["branch `symposium/fix` stays: 2 commits of it are not in this work"]
        );
    }

    #[test]
    fn ignored_files_that_are_deleted_are_named_before_directories() {
        let mut facts = facts();
        facts.work.ignored = ["a/", "target/", "b", ".env", "c/", "d/"].map(str::to_owned).to_vec();
        assert_eq!(
            plan(&facts, &choice()).remarks,
            [
                "6 ignored files and directories are deleted with the worktree: `b`, `.env`, `a/`, `target/`, `c/`, \
             …; `--keep` keeps the worktree"
            ]
        );
        assert!(plan(&facts, &FinishChoice { keeps: true, ..choice() }).remarks.is_empty());
    }

    #[test]
    fn queued_tasks_of_an_agent_that_ends_are_named() {
        let mut facts = facts();
        facts.queued = vec![TaskId(3), TaskId(7)];
        assert_eq!(
            plan(&facts, &choice()).remarks,
            ["2 tasks are queued for the agent and will not run after it ends: 3, 7"]
        );
        assert!(plan(&facts, &FinishChoice { keeps: true, ..choice() }).remarks.is_empty());
    }

    #[test]
    fn commits_that_are_not_signed_are_announced() {
        let mut facts = FinishFacts { signs_commits: true, ..facts() };
        let remark = "new commits are not signed, although you have configured `commit.gpgSign`";
        assert_eq!(plan(&facts, &choice()).remarks, [remark]);
        facts.work.uncommitted.clear();
        let rebase = FinishChoice { method: FinishMethod::Rebase, ..choice() };
        assert_eq!(plan(&facts, &rebase).remarks, [remark]);
        facts.work.behind = 0;
        assert!(plan(&facts, &rebase).remarks.is_empty());
    }

    #[test]
    fn a_plan_with_conflicts_has_no_steps() {
        let plan = plan(&facts(), &FinishChoice { conflicts: vec!["a".into()], ..choice() });
        assert_eq!((plan.steps.len(), plan.conflicts), (0, vec!["a".to_owned()]));
    }

    #[test]
    fn work_that_is_merged_already_is_only_cleaned_up() {
        let mut facts = facts();
        facts.work.uncommitted.clear();
        facts.is_running = false;
        facts.base.upstream = Some(UpstreamFacts { name: "origin/main".into(), commits: 2, in_work: 0 });
        let choice = FinishChoice { files: None, ..choice() };
        assert_eq!(lines(&facts, &choice), ["remove the worktree /w", "remove the branch `symposium/fix`"]);
        assert_eq!(
            plan(&facts, &choice).remarks,
            [
                "`main` has all of the work already",
                "`main` is 2 commits behind `origin/main`, as of the last fetch"
            ]
        );
    }
}
