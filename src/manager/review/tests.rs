//! The base of an agent's work, its changes, and summaries and pull requests that are kept for a while. The
//! repositories are real; `gh` is a script that counts its calls.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use crate::error::Code;
use crate::git::testing::Repository;
use crate::manager::review::forge::ForgeRunner;
use crate::manager::review::{DiffPart, DiffRequest, Reviews};
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{
    AgentRecord, BaseSource, DiffSide, MergeForecast, MergedWork, Status, WorkDiff, WorkSummary, Workspace,
};
use crate::rules::workspace::finish::pull_request::ForgeProgram;
use crate::store::RunFiles;

/// Returns a repository with one commit on `main`.
fn repository() -> Repository {
    let repository = Repository::new();
    repository.write("lib.rs", "one\n");
    repository.commit("first");
    repository
}

fn top(record: &AgentRecord) -> PathBuf {
    PathBuf::from(&record.working_directory)
}

fn write(record: &AgentRecord, name: &str, text: &str) {
    fs::write(top(record).join(name), text).unwrap();
}

/// Commits all files of an agent's working tree.
fn commit(repository: &Repository, record: &AgentRecord, message: &str) {
    repository.git_in(&top(record), &["add", "-A"]);
    repository.git_in(&top(record), &["commit", "-q", "-m", message]);
}

fn diff_since(context: &TestContext, name: &str, base: Option<&str>) -> WorkDiff {
    let base = base.map(str::to_owned);
    let request = DiffRequest { name: agent_name(name), base, part: DiffPart::All };
    Reviews(context).diff(&request).unwrap().diff
}

fn paths(diff: &WorkDiff) -> Vec<&str> {
    diff.files.iter().map(|file| file.path.as_str()).collect()
}

fn summaries(context: &TestContext) -> Vec<WorkSummary> {
    Reviews(context).work_summaries(&context.agents())
}

#[test]
fn commits_and_uncommitted_files_are_compared_with_the_branch_that_the_worktree_came_from() {
    let (context, repository) = (TestContext::new(), repository());
    let fix = context.worktree_agent("fix", &repository.top());
    write(&fix, "committed", "x\n");
    commit(&repository, &fix, "add a file");
    write(&fix, "lib.rs", "two\n");
    repository.write("other", "x\n");
    repository.commit("of the base branch");
    let diff = diff_since(&context, "fix", None);
    assert_eq!(paths(&diff), ["committed", "lib.rs"]);
    assert_eq!((diff.base.name.as_deref(), diff.base.source), (Some("main"), BaseSource::Spawn));
    assert_eq!(diff.commits.iter().map(|commit| commit.subject.as_str()).collect::<Vec<_>>(), ["add a file"]);
    assert_eq!((diff.uncommitted, diff.remarks), (vec!["lib.rs".to_owned()], vec![]));
    let part = |part| {
        let request = DiffRequest { name: agent_name("fix"), base: None, part };
        let diff = Reviews(&context).diff(&request).unwrap().diff;
        paths(&diff).join(" ")
    };
    assert_eq!(
        (part(DiffPart::Committed), part(DiffPart::Uncommitted)),
        ("committed".to_owned(), "lib.rs".to_owned())
    );
}

#[test]
fn the_base_can_be_chosen_and_is_remembered() {
    let (context, repository) = (TestContext::new(), repository());
    repository.git(&["checkout", "-q", "-b", "stacked"]);
    repository.write("below", "x\n");
    repository.commit("below");
    let fix = context.worktree_agent("fix", &repository.top());
    write(&fix, "above", "y\n");
    assert_eq!(paths(&diff_since(&context, "fix", None)), ["above"]);
    let chosen = diff_since(&context, "fix", Some("main"));
    assert_eq!((paths(&chosen), chosen.base.source), (vec!["above", "below"], BaseSource::Chosen));
    assert_eq!(paths(&diff_since(&context, "fix", None)), ["above", "below"]);
    for wrong in ["no-such", "--output=x", "HEAD:below"] {
        let request = DiffRequest { name: agent_name("fix"), base: Some(wrong.into()), part: DiffPart::All };
        let error = Reviews(&context).diff(&request).map(drop).unwrap_err();
        assert_eq!(error.code(), Code::Usage, "{wrong}");
        assert!(error.to_string().contains("cannot be the base of `fix`"), "{error}");
    }
    assert_eq!(diff_since(&context, "fix", None).base.name.as_deref(), Some("main"));
    // A fork is compared with the same base.
    let fork = context.worktree_agent("fork", &repository.top());
    Reviews(&context).copy_chosen_base(&fix, &fork.name).unwrap();
    assert_eq!(diff_since(&context, "fork", None).base.name.as_deref(), Some("main"));
    // After the base branch was merged and deleted, the recorded commit still is the base.
    let next = context.worktree_agent("next", &repository.top());
    write(&next, "above", "y\n");
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["branch", "-q", "-D", "stacked"]);
    let next = diff_since(&context, "next", None);
    assert_eq!((paths(&next), next.base.source), (vec!["above"], BaseSource::Spawn));
}

#[test]
fn an_agent_in_place_shows_uncommitted_changes_and_says_what_is_unknown() {
    let (context, repository) = (TestContext::new(), repository());
    let working_directory = repository.top().to_string_lossy().into_owned();
    context.agent_with("api", Status::Idle, |record| record.working_directory = working_directory);
    repository.write("lib.rs", "two\n");
    let diff = diff_since(&context, "api", None);
    assert_eq!(paths(&diff), ["lib.rs"]);
    assert!(diff.remarks[0].contains("works in place"), "{:?}", diff.remarks);
}

#[test]
fn agents_without_a_repository_have_no_diff() {
    let (context, repository) = (TestContext::new(), repository());
    context.agent("api", Status::Idle);
    let inside = repository.top().join("scratch");
    fs::create_dir(&inside).unwrap();
    context.agent_with("scratch", Status::Idle, |record| {
        record.workspace = Workspace::Scratch;
        record.working_directory = inside.to_string_lossy().into_owned();
    });
    context.agent_with("gone", Status::Idle, |record| record.working_directory = "/no/such".into());
    for (name, code) in
        [("api", Code::NoRepository), ("scratch", Code::NoRepository), ("gone", Code::BadDirectory)]
    {
        let request = DiffRequest { name: agent_name(name), base: None, part: DiffPart::All };
        assert_eq!(Reviews(&context).diff(&request).map(drop).unwrap_err().code(), code, "{name}");
    }
}

#[test]
fn a_file_of_a_diff_is_shown_in_both_versions() {
    let (context, repository) = (TestContext::new(), repository());
    let fix = context.worktree_agent("fix", &repository.top());
    repository.git_in(&top(&fix), &["mv", "lib.rs", "renamed.rs"]);
    write(&fix, "bin", "a\0b");
    let request = DiffRequest { name: agent_name("fix"), base: None, part: DiffPart::All };
    let session = Reviews(&context).diff(&request).unwrap();
    let file = |path: &str, side| session.file(path, side).unwrap();
    let old = file("renamed.rs", DiffSide::Old).unwrap();
    assert_eq!((old.path.as_str(), old.text.as_deref()), ("lib.rs", Some("one\n")));
    assert_eq!(file("renamed.rs", DiffSide::New).unwrap().text.as_deref(), Some("one\n"));
    assert_eq!(file("bin", DiffSide::New).unwrap().text, None, "a binary file");
    for missing in ["bin", "no-such", "../lib.rs", "/etc/passwd"] {
        assert!(file(missing, DiffSide::Old).is_none(), "{missing}");
    }
    let mut patch = Vec::new();
    session.write_patch(&["bin".into()], &mut patch).unwrap();
    let patch = String::from_utf8(patch).unwrap();
    assert!(patch.contains("b/bin") && !patch.contains("lib.rs"), "{patch}");
}

#[test]
fn a_stored_summary_is_used_until_the_work_or_the_base_changes() {
    let (context, repository) = (TestContext::new(), repository());
    let fix = context.worktree_agent("fix", &repository.top());
    let summary = || summaries(&context).remove(0);
    assert_eq!(summary().merged, Some(MergedWork::Empty));
    let instance = context.store.instance(&fix.name);
    let stored = instance.read_state("work-summary.json").unwrap().unwrap();
    let mut stored: serde_json::Value = serde_json::from_slice(&stored).unwrap();
    stored["summary"]["stashes"] = 77.into();
    instance.write_state("work-summary.json", stored.to_string().as_bytes()).unwrap();
    assert_eq!(summary().counts.stashes, Some(77), "nothing has changed");
    context.advance_seconds(301);
    assert_eq!(summary().counts.stashes, Some(0), "the size is measured again after five minutes");
    write(&fix, "lib.rs", "of the agent\n");
    assert_eq!(summary().merge, Some(MergeForecast::Clean));
    repository.write("lib.rs", "of main\n");
    repository.commit("of main");
    assert_eq!(summary().merge, Some(MergeForecast::Conflicts { paths: vec!["lib.rs".into()] }));
    write(&fix, "lib.rs", "one\n");
    let last = summary();
    assert_eq!(last.merge, Some(MergeForecast::Nothing));
    let base = last.base.unwrap();
    assert_eq!((base.name.as_deref(), base.ahead, base.behind), (Some("main"), 0, 1));
}

/// An idle agent in a worktree of a repository with a remote on GitHub, and a `gh` that counts its calls.
struct OnGithub {
    context: TestContext,
    repository: Repository,
    programs: tempfile::TempDir,
}

impl OnGithub {
    fn new(gh: &str) -> OnGithub {
        let programs = tempfile::tempdir().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.path().display());
        let context = TestContext::of_caller(&[("PATH", &path)]);
        let repository = repository();
        repository.git(&["remote", "add", "origin", "https://me:secret@github.com/Me/project.git"]);
        context.worktree_agent("fix", &repository.top());
        let on_github = OnGithub { context, repository, programs };
        on_github.prints(gh);
        on_github
    }

    /// Lets `gh` run this from now on.
    fn prints(&self, gh: &str) {
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"$*\" >>{}\n{gh}\n", self.calls_file().display());
        // Written under another name first: a program that is being written cannot be started.
        let (new, path) = (self.programs.path().join("new"), self.programs.path().join("gh"));
        fs::write(&new, script).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o700)).unwrap();
        fs::rename(new, path).unwrap();
    }

    fn calls_file(&self) -> PathBuf {
        self.programs.path().join("calls")
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.calls_file()).unwrap_or_default().lines().count()
    }

    fn work(&self) -> WorkSummary {
        summaries(&self.context).remove(0)
    }
}

/// Returns the script of a `gh` that prints one pull request of the agent's branch.
fn pull_request(owner: &str) -> String {
    let listed = json!([{
        "number": 12,
        "url": "https://github.com/me/project/pull/12",
        "state": "OPEN",
        "headRefName": "symposium/fix",
        "headRepositoryOwner": {"login": owner},
        "closedAt": null,
        "statusCheckRollup": [{"status": "COMPLETED", "conclusion": "SUCCESS", "name": "test"}],
    }]);
    format!("echo '{listed}'")
}

#[test]
fn the_pull_requests_of_a_repository_are_asked_once_a_minute() {
    let on_github = OnGithub::new(&pull_request("me"));
    let number = |summary: WorkSummary| summary.pull_request.map(|request| request.number);
    assert_eq!((number(on_github.work()), number(on_github.work())), (Some(12), Some(12)));
    assert_eq!(on_github.calls(), 1);
    let asked = fs::read_to_string(on_github.calls_file()).unwrap();
    assert!(asked.starts_with("pr list --state=all --limit=50"), "{asked}");
    let cached = RunFiles(&on_github.context.store).read("pull-requests.json").unwrap();
    assert!(!String::from_utf8(cached).unwrap().contains("secret"), "no credential is stored");
    on_github.prints("echo '[]'");
    on_github.context.advance_seconds(59);
    assert_eq!(number(on_github.work()), Some(12));
    on_github.context.advance_seconds(1);
    assert_eq!((number(on_github.work()), on_github.calls()), (None, 2));
    let requests = Reviews(&on_github.context).branch_pull_requests(&on_github.context.agents());
    assert_eq!((requests, on_github.calls()), (vec![None], 2));
}

#[test]
fn the_pull_request_of_another_fork_is_not_listed() {
    let on_github = OnGithub::new(&pull_request("other"));
    let work = on_github.work();
    assert_eq!((work.pull_request, work.pull_request_error, on_github.calls()), (None, None, 1));
}

#[test]
fn a_failing_gh_is_asked_again_after_a_minute_and_hides_no_other_value() {
    let on_github = OnGithub::new("echo 'please run: gh auth login' >&2; exit 4");
    for _ in 0..2 {
        let work = on_github.work();
        assert_eq!(work.pull_request_error.as_deref(), Some("`gh pr list`: please run: gh auth login"));
        assert_eq!(work.merge, Some(MergeForecast::Nothing));
    }
    assert_eq!(on_github.calls(), 1);
    on_github.prints(&pull_request("me"));
    on_github.context.advance_seconds(60);
    let work = on_github.work();
    assert_eq!((work.pull_request.is_some(), work.pull_request_error), (true, None));
}

#[test]
fn gh_does_not_run_in_a_repository_that_configures_programs_or_has_no_github_remote() {
    let on_github = OnGithub::new(&pull_request("me"));
    on_github.repository.git(&["config", "core.sshCommand", "evil"]);
    let why = "the configuration of the repository sets `core.sshcommand`";
    assert_eq!(on_github.work().pull_request_error.as_deref(), Some(why));
    on_github.context.advance_seconds(60);
    let gitlab = "https://gitlab.example.org/me/project.git";
    on_github.repository.git(&["remote", "set-url", "origin", gitlab]);
    assert_eq!(on_github.work().pull_request_error, None);
    assert_eq!(on_github.calls(), 0);
}

#[test]
fn a_program_in_the_repository_is_never_taken_for_gh() {
    let context = TestContext::of_caller(&[("PATH", ":.:bin")]);
    context.write_file("bin/gh", "");
    assert_eq!(ForgeRunner(&context).program_path(ForgeProgram::Gh), None);
}
