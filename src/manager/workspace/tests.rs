//! Worktrees from the request to the last setup command, the work in them, and what an interruption leaves. The
//! repositories are real.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::error::{Code, Error};
use crate::git::testing::Repository;
use crate::manager::specs::launch_plan::SpawnTarget;
use crate::manager::specs::spawn_request::{SpawnRequest, UncommittedChanges};
use crate::manager::testing::{TestContext, agent_name};
use crate::manager::workspace::withdraw::{HANDOFF_NOTE, RollbackLog};
use crate::manager::workspace::worktree::branch_now;
use crate::manager::workspace::{BranchRemoval, WorkInspection, Workspaces};
use crate::model::{AgentRecord, Status, Workspace};
use crate::store::PortRanges;

/// Returns a repository with one commit on `main`.
fn repository() -> Repository {
    let repository = Repository::new();
    repository.write("src/lib.rs", "one\n");
    repository.commit("first");
    repository
}

fn top(record: &AgentRecord) -> PathBuf {
    PathBuf::from(&record.working_directory)
}

fn status(repository: &Repository, at: &Path) -> String {
    repository.output_in(at, &["status", "--porcelain"])
}

fn own_branches(repository: &Repository) -> String {
    repository.output_in(&repository.top(), &["branch", "--list", "symposium/*"])
}

/// Spawns an agent `a` in a worktree, which fails.
fn refused(context: &TestContext, from: &Path, change: impl FnOnce(&mut SpawnRequest)) -> Error {
    context.worktree_agent_with("a", from, change).unwrap_err()
}

fn has_record(context: &TestContext) -> bool {
    context.store.find(&agent_name("a"), context.now()).unwrap().is_some()
}

#[test]
fn a_worktree_has_its_own_branch_and_tree_below_the_state_directory() {
    let (context, repository) = (TestContext::new(), repository());
    let record = context.worktree_agent("a", &repository.top().join("src"));
    let at = Workspaces(&context).workspace_of(&record);
    assert_eq!(top(&record), at.join("src"), "the agent starts in the same directory of its own tree");
    assert_eq!(record.branch.as_deref(), Some("symposium/a"));
    assert_eq!(record.project.as_deref(), repository.top().to_str());
    let note = Workspaces(&context).worktree_note(&record);
    assert!(note.finished && note.made_branch);
    assert_eq!(note.base.and_then(|base| base.branch).as_deref(), Some("main"));
    assert_eq!(fs::read_to_string(at.join("src/lib.rs")).unwrap(), "one\n");
    assert!(WorkInspection(&context).unsaved_work(&record).is_empty());
}

#[test]
fn uncommitted_changes_stay_behind_with_a_warning_or_are_copied() {
    let (context, repository) = (TestContext::new(), repository());
    repository.write(".gitignore", "target\n");
    repository.write("gone", "x\n");
    repository.commit("second");
    repository.write("src/lib.rs", "staged\n");
    repository.git(&["add", "src/lib.rs"]);
    repository.write("src/lib.rs", "changed\n");
    repository.write("new", "new\n");
    repository.write("target", "ignored\n");
    fs::remove_file(repository.top().join("gone")).unwrap();
    let before = status(&repository, &repository.top());
    let plain = context.worktree_agent("a", &repository.top());
    assert_eq!(
        context.notices(),
        [
            "not in the new worktree: 3 uncommitted files: gone, src/lib.rs, new (`--with-changes` copies them)"
        ]
    );
    assert_eq!(status(&repository, &top(&plain)), "");
    let with_changes = |request: &mut SpawnRequest| request.changes = UncommittedChanges::TakeAlong;
    let copied = context.worktree_agent_with("b", &repository.top(), with_changes).unwrap();
    assert!(context.notices().is_empty());
    assert_eq!(status(&repository, &top(&copied)), before);
    assert_eq!(fs::read_to_string(top(&copied).join("src/lib.rs")).unwrap(), "changed\n");
    assert!(!top(&copied).join("target").exists());
    assert_eq!(status(&repository, &repository.top()), before, "the original is as it was");
}

#[test]
fn options_for_a_worktree_are_refused_without_one() {
    let (context, repository) = (TestContext::new(), repository());
    for (option, change) in [
        ("--branch", (Some("x".to_owned()), UncommittedChanges::StayBehind)),
        ("--with-changes", (None, UncommittedChanges::TakeAlong)),
    ] {
        let error = refused(&context, &repository.top(), |request| {
            request.workspace = Some(Workspace::InPlace);
            (request.branch, request.changes) = change;
        });
        assert_eq!(
            error.text(),
            format!("error: `{option}` is for a worktree\nhint: add `--workspace worktree`")
        );
        assert_eq!(error.code(), Code::Usage);
    }
}

#[test]
fn a_worktree_outside_of_a_repository_is_refused() {
    let context = TestContext::new();
    let error = refused(&context, &context.project(), |_| {});
    assert_eq!(error.code(), Code::NoRepository);
    let project = context.project();
    assert_eq!(
        error.text(),
        format!(
            "error: `{}` is not in a git repository, so no worktree can be created\n  nothing was started\n\
             hint: change to a repository, or create one with `git init`\n\
             hint: or start an agent in an empty directory: `symposium agent spawn --workspace scratch`",
            project.display()
        )
    );
    let empty = Repository::new();
    let error = refused(&context, &empty.top(), |_| {});
    assert!(error.to_string().contains("its repository has no commit yet"), "{error}");
    assert!(!empty.top().join(".git/worktrees").exists());
}

#[test]
fn invalid_and_taken_branches_are_refused() {
    let (context, repository) = (TestContext::new(), repository());
    for (branch, why) in
        [("main", "is checked out in"), ("a b", "cannot be the name"), ("-d", "cannot be the name")]
    {
        let error = refused(&context, &repository.top(), |request| request.branch = Some(branch.into()));
        assert_eq!(error.code(), Code::Workspace);
        assert!(error.to_string().contains(why), "{error}");
        assert!(!context.store.instance(&agent_name("a")).workspace().exists());
    }
    let named = |request: &mut SpawnRequest| request.branch = Some("topic".into());
    let record = context.worktree_agent_with("a", &repository.top(), named).unwrap();
    assert_eq!(record.branch.as_deref(), Some("topic"));
}

#[test]
fn files_are_copied_and_setup_commands_run_with_the_variables_of_the_agent() {
    let (context, repository) = (TestContext::new(), repository());
    repository.write(".env", "KEY=dummy\n");
    repository.write("taskspace.json", "of another worktree");
    context.configure(
        "[workspace]\ncopy = ['.env', 'nowhere', 'taskspace.json']\n\
         setup = ['cat .env > made', 'echo $GIVEN $SYMPOSIUM_PORT > ports']\n",
    );
    let progress = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&progress);
    context.on_progress(move |line| lines.lock().unwrap().push(line.to_owned()));
    let given = |request: &mut SpawnRequest| request.env = vec![("GIVEN".into(), "flag".into())];
    let record = context.worktree_agent_with("a", &repository.top(), given).unwrap();
    assert_eq!(
        *progress.lock().unwrap(),
        [
            "creating a worktree on branch `symposium/a`",
            "setting up: cat .env > made (config.toml)",
            "setting up: echo $GIVEN $SYMPOSIUM_PORT > ports (config.toml)",
        ]
    );
    assert_eq!(fs::read_to_string(top(&record).join("made")).unwrap(), "KEY=dummy\n");
    let ports = Workspaces(&context).port_variables(&record);
    let printed = fs::read_to_string(top(&record).join("ports")).unwrap();
    assert_eq!(printed, format!("flag {}\n", ports[0].1));
    assert!(!top(&record).join("taskspace.json").exists());
    // An unchanged copy is not unsaved work; the output of the setup is.
    let unsaved = WorkInspection(&context).unsaved_work(&record);
    let files: Vec<_> = unsaved.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["made", "ports"]);
    fs::write(top(&record).join(".env"), "KEY=other\n").unwrap();
    assert_eq!(WorkInspection(&context).unsaved_work(&record).files[0].path, ".env");
}

#[test]
fn a_failed_setup_leaves_nothing() {
    let (context, repository) = (TestContext::new(), repository());
    context.configure("[workspace]\nsetup = ['echo no such package; exit 3']\n");
    let error = refused(&context, &repository.top(), |_| {});
    assert_eq!(error.code(), Code::Workspace);
    assert_eq!(
        error.text(),
        "error: `echo no such package; exit 3` failed, so agent `a` was not started\n  code 3\n  \
         no such package\nhint: run it in the repository to see why; it is a `setup` command of config.toml"
    );
    assert!(!has_record(&context));
    assert!(!context.store.instance(&agent_name("a")).dir().exists());
    assert!(!repository.top().join(".git/worktrees").exists());
    assert_eq!(own_branches(&repository), "");
}

#[test]
fn an_agent_whose_creation_was_interrupted_cannot_start_and_holds_no_work() {
    let (context, repository) = (TestContext::new(), repository());
    let record = context.worktree_agent("a", &repository.top());
    fs::write(top(&record).join("half"), "x").unwrap();
    Workspaces(&context).refuse_unfinished(&record).unwrap();
    let mut note = Workspaces(&context).worktree_note(&record);
    note.finished = false;
    Workspaces(&context).write_worktree_note(&record, &note).unwrap();
    let error = Workspaces(&context).refuse_unfinished(&record).unwrap_err();
    assert!(error.text().contains("`symposium agent rm a`, then spawn it again"), "{}", error.text());
    assert!(WorkInspection(&context).unsaved_work(&record).is_empty());
}

#[test]
fn commits_stashes_and_files_of_a_worktree_are_unsaved_work() {
    let (context, repository) = (TestContext::new(), repository());
    let record = context.worktree_agent("a", &repository.top());
    fs::write(top(&record).join("src/lib.rs"), "two\n").unwrap();
    repository.git_in(&top(&record), &["commit", "-q", "-a", "-m", "work"]);
    fs::write(top(&record).join("src/lib.rs"), "stashed\n").unwrap();
    repository.git_in(&top(&record), &["stash", "-q"]);
    fs::write(top(&record).join("new"), "x\n").unwrap();
    let error = WorkInspection(&context).refuse_to_lose_work(&record).unwrap_err();
    assert_eq!(
        error.observations()[..3],
        [
            "1 uncommitted file: new",
            "1 commit on `symposium/a` that no remote and no other branch has",
            "1 stash made on `symposium/a`",
        ]
    );
    let counts = WorkInspection(&context).counts_of(&record);
    assert_eq!((counts.changed, counts.ahead, counts.stashes), (Some(1), Some(1), Some(1)));
    WorkInspection(&context).forget_worktree(&record, BranchRemoval::IfEmpty);
    assert_eq!(context.notices(), ["branch `symposium/a` is kept: it has commits of its own"]);
    assert_eq!(own_branches(&repository), "  symposium/a");
}

#[test]
fn a_worktree_without_its_git_file_is_forgotten_completely() {
    let (context, repository) = (TestContext::new(), repository());
    let record = context.worktree_agent("a", &repository.top());
    fs::remove_file(top(&record).join(".git")).unwrap();
    let error = WorkInspection(&context).refuse_to_lose_work(&record).unwrap_err();
    assert!(error.text().contains("git no longer recognizes it"), "{}", error.text());
    WorkInspection(&context).forget_worktree(&record, BranchRemoval::IfEmpty);
    assert!(!repository.top().join(".git/worktrees").exists());
    assert_eq!(own_branches(&repository), "");
}

#[test]
fn the_worktree_of_a_lost_record_is_not_overwritten() {
    let (context, repository) = (TestContext::new(), repository());
    let record = context.worktree_agent("a", &repository.top());
    fs::write(top(&record).join("precious"), "x").unwrap();
    context.store.update(context.now(), |edit| edit.remove(&record.name)).unwrap();
    let error = WorkInspection(&context).refuse_to_overwrite_work(&record).unwrap_err();
    assert!(error.text().contains("1 uncommitted file: precious"), "{}", error.text());
    fs::remove_file(top(&record).join("precious")).unwrap();
    WorkInspection(&context).refuse_to_overwrite_work(&record).unwrap();
}

#[test]
fn files_in_a_scratch_folder_are_unsaved_work() {
    let context = TestContext::new();
    let record = context.agent_with("a", Status::Stopped, |record| record.workspace = Workspace::Scratch);
    let folder = context.store.instance(&record.name).create_workspace().unwrap();
    WorkInspection(&context).refuse_to_lose_work(&record).unwrap();
    for name in ["notes", "draft"] {
        fs::write(folder.join(name), "x").unwrap();
    }
    let error = WorkInspection(&context).refuse_to_lose_work(&record).unwrap_err();
    assert_eq!(error.code(), Code::Unsafe);
    assert!(error.to_string().contains("the scratch folder of agent `a` holds"), "{error}");
    assert!(error.to_string().contains("draft, notes"), "{error}");
    let in_place = context.agent("b", Status::Stopped);
    context.write_file("mine", "x");
    WorkInspection(&context).refuse_to_lose_work(&in_place).unwrap();
}

#[test]
fn a_second_agent_that_writes_into_a_directory_is_warned() {
    let context = TestContext::new();
    let mut two = context.agent("two", Status::Starting);
    let warning = |two: &AgentRecord| {
        Workspaces(&context).warn_of_shared_directory(two).unwrap();
        context.notices()
    };
    context.agent_with("make", Status::Working, |record| record.kind = "command".into());
    context.agent("old", Status::Stopped);
    context.agent_with("apart", Status::Working, |record| record.workspace = Workspace::Scratch);
    assert!(warning(&two).is_empty());
    context.agent("one", Status::Idle);
    assert_eq!(
        warning(&two),
        ["agent `one` works in this directory too; \
         `symposium agent spawn --workspace scratch` gives an agent an empty one"]
    );
    let repository = repository();
    for name in ["one", "two"] {
        let top = repository.top().to_string_lossy().into_owned();
        two = context.edit(name, |record| record.working_directory = top);
    }
    assert!(warning(&two)[0].contains("--workspace worktree"));
    two.workspace = Workspace::Scratch;
    assert!(warning(&two).is_empty());
}

#[test]
fn each_worktree_has_ports_of_its_own_and_keeps_them() {
    let context = TestContext::new();
    let worktree =
        |name: &str| context.agent_with(name, Status::Idle, |record| record.workspace = Workspace::Worktree);
    let (a, b) = (worktree("a"), worktree("b"));
    let port = |record: &AgentRecord| -> u16 {
        let variables = Workspaces(&context).port_variables(record);
        assert_eq!(variables[0].0, "SYMPOSIUM_PORT");
        variables[0].1.parse().unwrap()
    };
    let first = port(&a);
    assert!(first.abs_diff(port(&b)) >= 10);
    assert_eq!(port(&a), first, "a restarted agent has the same ports");
    // The ports move with a renamed agent, and its old name gets others.
    let c = worktree("c");
    Workspaces(&context).move_ports(&a.name, &c.name);
    assert_eq!(port(&c), first);
    assert!(port(&a).abs_diff(first) >= 10);
    assert!(Workspaces(&context).port_variables(&context.agent("here", Status::Idle)).is_empty());
}

#[test]
fn ports_in_use_are_skipped_and_removed_agents_give_theirs_back() {
    let (context, repository) = (TestContext::new(), repository());
    let a = context.worktree_agent("a", &repository.top());
    let port = || Workspaces(&context).port_variables(&a)[0].1.parse::<u16>().unwrap();
    let reserved = || {
        let key = Workspaces(&context).workspace_of(&a).to_string_lossy().into_owned();
        PortRanges(&context.store).known(&key).unwrap()
    };
    let first = port();
    assert_eq!(reserved(), Some(first));
    WorkInspection(&context).forget_worktree(&a, BranchRemoval::IfEmpty);
    assert_eq!(reserved(), None);
    let _listener = TcpListener::bind(("127.0.0.1", first + 3)).unwrap();
    assert_ne!(port(), first);
}

#[test]
fn the_error_for_a_finished_agent_says_how_it_continues() {
    let (context, repository) = (TestContext::new(), repository());
    let record = context.worktree_agent("a", &repository.top());
    let gone = || Workspaces(&context).directory_gone(&record);
    assert!(gone().to_string().contains(&record.working_directory), "{}", gone());
    let mut note = Workspaces(&context).worktree_note(&record);
    note.merged_into = Some("main".into());
    Workspaces(&context).write_worktree_note(&record, &note).unwrap();
    repository.git(&["worktree", "remove", "--force", &record.working_directory]);
    assert_eq!(
        gone().to_string(),
        "agent `a` is finished: its work is in `main`, and its worktree was removed"
    );
    let add = |from: &str| {
        let at = &record.working_directory;
        format!("`git -C {} worktree add {}`", repository.top().display(), from.replace("AT", at))
    };
    assert!(gone().text().contains(&add("AT symposium/a")), "{}", gone().text());
    repository.git(&["branch", "-q", "-D", "symposium/a"]);
    assert!(gone().text().contains(&add("-b symposium/a AT main")), "{}", gone().text());
}

#[test]
fn the_branch_of_an_agent_in_place_is_the_one_that_is_checked_out() {
    let (context, repository) = (TestContext::new(), repository());
    let mut record = context.agent_with("a", Status::Idle, |record| {
        record.working_directory = repository.top().to_string_lossy().into_owned();
        record.branch = Some("former".into());
    });
    assert_eq!(branch_now(&record).as_deref(), Some("main"));
    repository.git(&["checkout", "-q", "-b", "other"]);
    assert_eq!(branch_now(&record).as_deref(), Some("other"));
    record.workspace = Workspace::Worktree;
    assert_eq!(branch_now(&record).as_deref(), Some("former"), "a list does not start git for it");
    record.workspace = Workspace::InPlace;
    record.working_directory = "/no/such".into();
    assert_eq!(branch_now(&record).as_deref(), Some("former"));
}

#[test]
fn an_interrupted_import_is_undone_without_deleting_a_directory_of_the_user() {
    let (context, repository) = (TestContext::new(), repository());
    let record = context.agent_with("a", Status::Stopped, |record| record.workspace = Workspace::Worktree);
    let file = context.write_file("conversation.jsonl", "{}");
    let made = context.project().join("clone");
    fs::create_dir(&made).unwrap();
    let tip = repository.output_in(&repository.top(), &["rev-parse", "HEAD"]);
    repository.git(&["branch", "imported"]);
    let log = RollbackLog {
        files: vec![file.clone()],
        branch: Some((repository.top(), "imported".into(), tip)),
        made: Some(made.clone()),
    };
    let text = serde_json::to_vec(&log).unwrap();
    context.store.instance(&record.name).write_state(HANDOFF_NOTE, &text).unwrap();
    assert!(Workspaces(&context).is_half_moved(&record));
    assert!(Workspaces(&context).refuse_unfinished(&record).is_err());
    Workspaces(&context).withdraw(&record);
    assert!(!has_record(&context) && !file.exists());
    assert!(!context.store.instance(&record.name).dir().exists());
    assert_eq!(repository.output_in(&repository.top(), &["branch", "--list", "imported"]), "");
    assert!(made.exists());
    assert!(context.notices()[0].contains("was created for it and remains"), "{:?}", context.notices());
}

#[test]
fn a_setup_of_a_spec_is_unused_without_a_worktree_and_this_is_reported() {
    let context = TestContext::new();
    context.write_file(
        "specs.toml",
        "[agents.web]\nkind = 'demo'\n[agents.web.workspace]\nsetup = ['make deps']\n",
    );
    let request = SpawnRequest {
        body: SpawnTarget::Spec(Some("web".into())),
        config: Some("specs.toml".into()),
        ..SpawnRequest::default()
    };
    let plan = crate::manager::specs::LaunchPlanner(&context).chosen(&request, None, &context.project());
    let plan = plan.unwrap();
    let setup = crate::manager::workspace::WorkspaceSetup(&context);
    setup.warn_of_unused_setup(&request, &plan);
    assert!(context.notices()[0].contains("`web` works in-place: nothing was copied or run"));
    let chosen = SpawnRequest { workspace: Some(Workspace::InPlace), ..request };
    setup.warn_of_unused_setup(&chosen, &plan);
    assert!(context.notices().is_empty());
}
