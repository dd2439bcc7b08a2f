//! Plans, results and refusals of `agent finish`. The repositories are real; the agents have no processes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Code, Error};
use crate::git::testing::Repository;
use crate::manager::finish::{CheckPolicy, FinishReport, FinishRequest, Finishing};
use crate::manager::testing::{TestContext, agent_name};
use crate::manager::workspace::Workspaces;
use crate::model::{FinishMethod, Status, StatusNote, WaitingFor};

/// A repository with one commit on `main`, and the environment of its agents.
struct Project {
    context: TestContext,
    repository: Repository,
}

impl Project {
    fn new() -> Project {
        let repository = Repository::new();
        repository.git(&["config", "user.name", "me"]);
        repository.git(&["config", "user.email", "me@example.org"]);
        repository.write("src/lib.rs", "// one\n");
        repository.commit("first");
        Project { context: TestContext::new(), repository }
    }

    fn top(&self) -> PathBuf {
        self.repository.top()
    }

    fn git(&self, args: &[&str]) -> String {
        self.repository.output_in(&self.top(), args)
    }

    /// Adds an agent with two commits, a changed file and an untracked file. Returns its worktree.
    fn agent_with_work(&self, name: &str) -> PathBuf {
        let record = self.context.worktree_agent(name, &self.top());
        let at = Workspaces(&self.context).workspace_of(&record);
        for file in ["one", "two"] {
            self.commit_in(&at, file, &format!("{file}\n"));
        }
        fs::write(at.join("src/lib.rs"), "// changed\n").unwrap();
        fs::write(at.join("new"), "new\n").unwrap();
        at
    }

    /// Adds a commit to the branch that is checked out in a directory.
    fn commit_in(&self, dir: &Path, file: &str, text: &str) {
        fs::write(dir.join(file), text).unwrap();
        self.repository.git_in(dir, &["add", "-f", file]);
        self.repository.git_in(dir, &["commit", "-q", "-m", &format!("add {file}")]);
    }

    fn finish(&self, request: &FinishRequest) -> Result<FinishReport, Error> {
        let draft = Finishing(&self.context).finish_plan(request)?;
        Finishing(&self.context).finish(request, &draft)
    }

    /// Returns the refusal of a plan, which must leave the repository as it was.
    fn refused(&self, request: &FinishRequest) -> Error {
        let state = || {
            let at = self.worktree("fix");
            [
                self.git(&["rev-parse", "main"]),
                self.git(&["status", "--porcelain"]),
                self.repository.output_in(&at, &["rev-parse", "HEAD"]),
                self.repository.output_in(&at, &["status", "--porcelain"]),
            ]
        };
        let before = state();
        let error = self.finish(request).unwrap_err();
        assert_eq!(state(), before, "{error}");
        let is_unchanged = error.observations().iter().any(|line| line.contains("nothing was changed"));
        assert!(is_unchanged || request.keeps, "{:?}", error.observations());
        assert_eq!(self.context.stored("fix").status.status, Status::Idle);
        error
    }

    fn worktree(&self, name: &str) -> PathBuf {
        Workspaces(&self.context).workspace_of(&self.context.stored(name))
    }

    fn subjects(&self, range: &str) -> Vec<String> {
        self.git(&["log", "--format=%s", range]).lines().map(str::to_owned).collect()
    }

    /// Checks that `main` has all files of the agent, and that worktree and branch are gone.
    #[track_caller]
    fn assert_finished(&self, name: &str, worktree: &Path) {
        for (file, text) in [("one", "one"), ("two", "two"), ("new", "new"), ("src/lib.rs", "// changed")] {
            assert_eq!(self.git(&["show", &format!("main:{file}")]), text, "{file}");
        }
        assert!(!worktree.exists());
        assert_eq!(self.git(&["branch", "--list", &format!("symposium/{name}")]), "");
        assert_eq!(self.context.stored(name).status.status, Status::Stopped);
    }
}

fn request(name: &str) -> FinishRequest {
    FinishRequest {
        name: agent_name(name),
        into: None,
        method: None,
        message: None,
        keeps: false,
        checks: CheckPolicy::Run,
        opens_pull_request: false,
    }
}

#[test]
fn a_plan_changes_nothing_and_a_squash_gets_everything_into_the_base_branch() {
    let project = Project::new();
    let at = project.agent_with_work("fix");
    let request = FinishRequest { message: Some("Rewrite it".into()), ..request("fix") };
    let objects = project.git(&["count-objects"]);
    let draft = Finishing(&project.context).finish_plan(&request).unwrap();
    assert_eq!((draft.plan.base.as_str(), draft.plan.conflicts.len()), ("main", 0));
    assert_eq!(project.git(&["count-objects"]), objects);
    let report = Finishing(&project.context).finish(&request, &draft).unwrap();
    project.assert_finished("fix", &at);
    assert_eq!(project.subjects("main"), ["Rewrite it", "first"]);
    assert_eq!(project.git(&["status", "--porcelain"]), "", "the checkout of `main` follows");
    assert_eq!(project.context.stored("fix").status.reason, "its work is in `main`");
    assert_eq!(report.steps.last().unwrap().undo.as_deref(), Some("symposium agent resume fix"));
}

#[test]
fn a_rebase_copies_each_commit_and_a_merge_keeps_them() {
    for (method, expected) in [
        (FinishMethod::Rebase, &["Work of agent fix", "add two", "add one", "add other", "first"][..]),
        (FinishMethod::Merge, &["Merge branch 'symposium/fix'"][..]),
    ] {
        let project = Project::new();
        let at = project.agent_with_work("fix");
        project.commit_in(&project.top(), "other", "1\n");
        project.context.configure(&format!("[finish]\nmethod = \"{method}\"\n"));
        project.finish(&request("fix")).unwrap();
        project.assert_finished("fix", &at);
        let subjects = project.subjects("main");
        assert_eq!(subjects[..expected.len()], *expected, "{method}");
        assert_eq!(project.git(&["show", "main:other"]), "1");
        // A rebase keeps the author of each commit, and a merge the commit itself.
        let names = if method == FinishMethod::Rebase { "a me" } else { "a a" };
        let log = ["log", "-1", "--no-merges", "--format=%an %cn", "--grep", "add two", "main"];
        assert_eq!(project.git(&log), names);
        let is_merge = project.git(&["log", "-1", "--format=%p", "main"]).contains(' ');
        assert_eq!(is_merge, method == FinishMethod::Merge);
    }
}

#[test]
fn a_base_branch_that_is_checked_out_nowhere_moves_and_no_files_change() {
    let project = Project::new();
    let at = project.agent_with_work("fix");
    project.git(&["checkout", "-q", "-b", "elsewhere"]);
    project.finish(&request("fix")).unwrap();
    project.assert_finished("fix", &at);
    assert!(!project.top().join("new").exists());
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_plan_that_does_not_fit_any_more_is_not_carried_out() {
    let project = Project::new();
    let at = project.agent_with_work("fix");
    let request = request("fix");
    let draft = Finishing(&project.context).finish_plan(&request).unwrap();
    fs::write(at.join("later"), "one more file\n").unwrap();
    let error = Finishing(&project.context).finish(&request, &draft).unwrap_err();
    assert!(error.to_string().contains("changed in the meantime"), "{error}");
    assert_eq!(project.subjects("main"), ["first"]);
    assert!(at.join("later").exists());
}

#[test]
fn uncommitted_changes_where_the_base_is_checked_out_are_not_overwritten() {
    let project = Project::new();
    project.agent_with_work("fix");
    project.repository.write("src/lib.rs", "// mine\n");
    let error = project.refused(&request("fix"));
    assert!(error.to_string().contains("`main` is checked out with uncommitted changes"), "{error}");
    assert!(error.observations().join("\n").contains("1 changed file: src/lib.rs"));
}

#[test]
fn a_conflict_names_its_files_and_how_to_resolve_it() {
    let project = Project::new();
    project.agent_with_work("fix");
    project.commit_in(&project.top(), "src/lib.rs", "// mine\n");
    let error = project.refused(&request("fix"));
    assert!(error.to_string().contains("the work of agent `fix` conflicts with `main`"), "{error}");
    assert!(error.observations().contains(&"src/lib.rs".to_owned()), "{:?}", error.observations());
    let hints = error.hints().join("\n");
    assert!(hints.contains("`symposium agent finish --resolve fix`"), "{hints}");
}

#[test]
fn ignored_files_that_the_result_would_replace_are_named_and_stay() {
    let project = Project::new();
    project.repository.write(".gitignore", "*.log\nlocal\n");
    project.repository.write("place/tracked", "1\n");
    project.repository.commit("place");
    let at = project.agent_with_work("fix");
    let in_the_way = |request: &FinishRequest, path: &str| {
        let error = project.refused(request);
        assert!(error.to_string().contains("files that git does not track are in the way"), "{error}");
        assert!(error.observations().contains(&path.to_owned()), "{:?}", error.observations());
    };
    // A directory of the base checkout becomes a file.
    project.repository.write("place/a.log", "log\n");
    fs::remove_dir_all(at.join("place")).unwrap();
    fs::write(at.join("place"), "a file\n").unwrap();
    in_the_way(&request("fix"), "place/a.log");
    assert_eq!(fs::read_to_string(project.top().join("place/a.log")).unwrap(), "log\n");
    fs::remove_file(project.top().join("place/a.log")).unwrap();
    // The base branch got a file that the worktree has as an ignored one.
    project.commit_in(&project.top(), "local", "of the project\n");
    fs::write(at.join("local"), "of the agent\n").unwrap();
    let keep = FinishRequest { keeps: true, ..request("fix") };
    in_the_way(&keep, "local");
    assert_eq!(fs::read_to_string(at.join("local")).unwrap(), "of the agent\n");
    fs::remove_file(at.join("local")).unwrap();
    project.finish(&keep).unwrap();
    assert_eq!(fs::read_to_string(at.join("local")).unwrap(), "of the project\n");
    assert_eq!(project.context.stored("fix").status.status, Status::Idle, "the agent continues");
}

#[test]
fn an_operation_that_stopped_half_way_is_named() {
    let project = Project::new();
    let at = project.agent_with_work("fix");
    project.repository.git_in(&at, &["add", "-A"]);
    project.repository.git_in(&at, &["commit", "-q", "-m", "all"]);
    project.git(&["checkout", "-q", "-b", "side"]);
    project.commit_in(&project.top(), "src/lib.rs", "// side\n");
    project.git(&["checkout", "-q", "main"]);
    project.repository.git_fails_in(&at, &["rebase", "side"]);
    let error = project.refused(&request("fix"));
    assert!(error.to_string().contains("a rebase is in progress in the worktree of agent `fix`"), "{error}");
    project.repository.git_in(&at, &["rebase", "--abort"]);
    project.commit_in(&project.top(), "src/lib.rs", "// main\n");
    project.repository.git_fails_in(&project.top(), &["rebase", "side"]);
    let error = project.refused(&request("fix"));
    assert!(error.to_string().contains("a rebase is in progress where `main` is checked out"), "{error}");
}

#[test]
fn a_base_that_lacks_commits_of_its_remote_on_which_the_work_is_based_is_refused() {
    let project = Project::new();
    project.agent_with_work("fix");
    project.git(&["remote", "add", "origin", "/nowhere"]);
    project.git(&["update-ref", "refs/remotes/origin/main", "symposium/fix~1"]);
    project.git(&["branch", "-q", "--set-upstream-to=origin/main", "main"]);
    let error = project.refused(&request("fix"));
    let expected = "`main` is behind `origin/main`, on which the work of `fix` is based";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn an_agent_that_waits_for_an_answer_is_not_finished() {
    let project = Project::new();
    let at = project.agent_with_work("fix");
    let note = StatusNote::waiting(WaitingFor::Approval, project.context.now(), "Bash: make clean");
    project.context.edit("fix", |record| record.status = note);
    let error = project.finish(&request("fix")).unwrap_err();
    assert!(error.to_string().contains("agent `fix` is waiting"), "{error}");
    assert!(error.hints().join("\n").contains("`symposium agent interrupt fix`"), "{:?}", error.hints());
    assert!(at.join("new").exists());
}

#[test]
fn an_agent_in_place_has_nothing_to_finish() {
    let context = TestContext::new();
    context.agent("here", Status::Idle);
    let error = Finishing(&context).finish_plan(&request("here")).unwrap_err();
    assert_eq!(error.code(), Code::Usage);
    assert!(error.to_string().contains("agent `here` works in place"), "{error}");
}
