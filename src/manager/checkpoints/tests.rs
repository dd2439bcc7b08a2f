//! Checkpoints of agents in real repositories, taken and restored by the calls that the hidden command and the user
//! make.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Code;
use crate::git::testing::Repository;
use crate::manager::checkpoints::Checkpoints;
use crate::manager::checkpoints::restore::CheckpointRestore;
use crate::manager::testing::{TestContext, agent_name};
use crate::model::{AgentId, Checkpoint, CheckpointReason, Status, Workspace};
use crate::store::AgentLocks;

/// A repository in which the agent `fix` works in place.
struct Project {
    context: TestContext,
    repository: Repository,
}

impl Project {
    fn new() -> Project {
        let context = TestContext::of_caller(&[("SYMPOSIUM_CHECKPOINT_PROMPT", "fix it")]);
        let repository = Repository::new();
        repository.write("lib.rs", "one\n");
        repository.commit("first");
        let top = repository.top().to_string_lossy().into_owned();
        context.agent_with("fix", Status::Idle, |record| record.working_directory = top);
        Project { context, repository }
    }

    fn checkpoints(&self) -> Checkpoints<'_> {
        Checkpoints(&self.context)
    }

    /// Takes the checkpoint of a turn, as its process does.
    fn turn(&self) {
        let id = self.context.stored("fix").id;
        self.checkpoints().take_for_turn(&agent_name("fix"), id).unwrap();
    }

    fn listed(&self) -> Vec<Checkpoint> {
        self.checkpoints().list(&agent_name("fix")).unwrap().checkpoints
    }

    fn numbers(&self) -> Vec<u64> {
        self.listed().iter().map(|checkpoint| checkpoint.number).collect()
    }

    fn restore(&self, number: u64) -> CheckpointRestore {
        self.checkpoints().restore(&agent_name("fix"), Some(number)).unwrap()
    }

    fn refusal(&self, number: Option<u64>) -> (Code, String) {
        let error = self.checkpoints().restore(&agent_name("fix"), number).unwrap_err();
        (error.code(), error.text())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.repository.top().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

#[test]
fn the_files_of_a_turn_come_back_and_the_restore_can_be_undone() {
    let project = Project::new();
    project.repository.write("untracked", "before\n");
    project.turn();
    let first = &project.listed()[0];
    assert_eq!(first.number, 1);
    assert_eq!(first.note.reason, CheckpointReason::Turn);
    assert_eq!((first.note.prompt.as_deref(), first.note.branch.as_deref()), (Some("fix it"), Some("main")));
    project.repository.write("lib.rs", "wrong\n");
    fs::remove_file(project.path("untracked")).unwrap();
    project.repository.write("new", "new\n");
    project.context.advance_seconds(60);
    let restored = project.restore(1);
    assert_eq!((restored.restored.number, restored.saved.number), (1, 2));
    assert_eq!(restored.changed, ["lib.rs", "new", "untracked"]);
    assert_eq!(restored.remarks, [""; 0]);
    assert_eq!((project.read("lib.rs"), project.read("untracked")), ("one\n".into(), "before\n".into()));
    assert!(!project.path("new").exists());
    assert_eq!(restored.saved.note.reason, CheckpointReason::Restore);
    project.restore(2);
    assert_eq!((project.read("lib.rs"), project.read("new")), ("wrong\n".into(), "new\n".into()));
    assert!(!project.path("untracked").exists());
}

#[test]
fn commits_since_the_checkpoint_stay_and_are_mentioned() {
    let project = Project::new();
    project.turn();
    project.repository.write("lib.rs", "two\n");
    project.repository.commit("second");
    let restored = project.restore(1);
    assert!(restored.remarks[0].contains("commits since the checkpoint stay"), "{:?}", restored.remarks);
    assert_eq!(project.read("lib.rs"), "one\n");
}

#[test]
fn a_turn_without_changes_since_the_last_one_adds_no_checkpoint() {
    let project = Project::new();
    project.turn();
    project.turn();
    assert_eq!(project.numbers(), [1]);
    project.repository.write("lib.rs", "two\n");
    project.turn();
    assert_eq!(project.numbers(), [2, 1]);
}

#[test]
fn a_process_of_a_former_agent_takes_no_checkpoint_of_the_present_one() {
    let project = Project::new();
    project.checkpoints().take_for_turn(&agent_name("fix"), AgentId::fresh()).unwrap();
    assert_eq!(project.numbers(), [0; 0]);
}

#[test]
fn a_second_turn_does_not_wait_for_a_checkpoint_that_is_being_taken() {
    let project = Project::new();
    let lock =
        AgentLocks(&project.context.store).lock_checkpoints(&agent_name("fix"), Duration::ZERO).unwrap();
    assert!(lock.is_some());
    project.turn();
    assert_eq!(project.numbers(), [0; 0]);
}

#[test]
fn large_files_are_named_and_never_touched() {
    let project = Project::new();
    let big = vec![b'x'; (10 << 20) + 1];
    fs::write(project.path("big"), &big).unwrap();
    project.turn();
    let note = &project.listed()[0].note;
    assert_eq!((note.left_out[0].path.as_str(), note.left_out[0].bytes), ("big", big.len() as u64));
    let diff = project.checkpoints().diff(&agent_name("fix"), None).unwrap().diff;
    assert_eq!(diff.remarks, ["not in the checkpoint because of the size limit: 1 file"]);
    project.repository.write("lib.rs", "wrong\n");
    let restored = project.restore(1);
    assert_eq!(restored.changed, ["lib.rs"]);
    assert_eq!(
        restored.remarks,
        [
            "not in the checkpoint because of the size limit: 1 file",
            "not changed because of the size limit: 1 file"
        ]
    );
    assert_eq!(fs::read(project.path("big")).unwrap(), big);
}

#[test]
fn files_that_git_ignores_now_are_stored_before_a_restore_replaces_them() {
    let project = Project::new();
    project.repository.write("notes", "one\n");
    project.repository.write("place", "a file\n");
    project.turn();
    fs::remove_file(project.path("place")).unwrap();
    project.repository.write(".gitignore", "notes\n*.log\n");
    project.repository.write("notes", "two\n");
    project.repository.write("place/a.log", &"x".repeat((10 << 20) + 1));
    let (code, text) = project.refusal(Some(1));
    assert_eq!(code, Code::Workspace);
    assert!(text.contains("\n  place/a.log\n") && text.contains("nothing was changed"), "{text}");
    assert!(text.contains("larger than 10 MiB"), "{text}");
    assert_eq!((project.numbers(), project.read("notes")), (vec![1], "two\n".into()));
    project.repository.write("place/a.log", "log\n");
    project.restore(1);
    assert_eq!((project.read("notes"), project.read("place")), ("one\n".into(), "a file\n".into()));
    project.restore(2);
    assert_eq!((project.read("notes"), project.read("place/a.log")), ("two\n".into(), "log\n".into()));
}

#[test]
fn a_file_that_was_copied_into_a_worktree_is_neither_stored_nor_replaced() {
    let project = Project::new();
    project.repository.write("secret", "of the user\n");
    project.context.configure("[workspace]\ncopy = ['secret']\n");
    let record = project.context.worktree_agent("copy", &project.repository.top());
    let at = PathBuf::from(&record.working_directory);
    fs::write(at.join("new"), "x\n").unwrap();
    Checkpoints(&project.context).take_for_turn(&record.name, record.id).unwrap();
    let taken = Checkpoints(&project.context).list(&record.name).unwrap().checkpoints.remove(0);
    let files = project.repository.output_in(&at, &["ls-tree", "--name-only", &taken.tree]);
    assert_eq!(files, "lib.rs\nnew");
    assert_eq!(fs::read_to_string(at.join("secret")).unwrap(), "of the user\n");
}

#[test]
fn nothing_is_restored_while_an_agent_works_in_the_directory() {
    let project = Project::new();
    project.turn();
    project.repository.write("lib.rs", "two\n");
    let top = project.repository.top().to_string_lossy().into_owned();
    project.context.set_status("fix", Status::Waiting, "Bash: make");
    let (code, text) = project.refusal(None);
    assert_eq!(code, Code::StillRunning);
    assert!(text.contains("agent `fix` is waiting in this directory"), "{text}");
    project.context.set_status("fix", Status::Idle, "its turn is over");
    project.context.agent_with("other", Status::Working, |record| record.working_directory = top);
    let (_, text) = project.refusal(None);
    assert!(text.contains("agent `other` is working in this directory"), "{text}");
    assert_eq!(project.read("lib.rs"), "two\n");
    project.context.set_status("other", Status::Idle, "its turn is over");
    project.restore(1);
    assert_eq!(project.read("lib.rs"), "one\n");
}

#[test]
fn an_unresolved_merge_and_missing_checkpoints_are_refused() {
    let project = Project::new();
    assert_eq!(project.refusal(None).0, Code::NoSuchCheckpoint);
    project.turn();
    let (code, text) = project.refusal(Some(9));
    assert_eq!(code, Code::NoSuchCheckpoint);
    assert!(text.contains("agent `fix` has no checkpoint 9"), "{text}");
    let blob = "0123456789012345678901234567890123456789";
    let index = format!("100644 {blob} 1\tlib.rs\n100644 {blob} 2\tlib.rs\n100644 {blob} 3\tlib.rs\n");
    let entries = project.path("../entries");
    fs::write(&entries, index).unwrap();
    let script =
        format!("git rm -q --cached lib.rs && git update-index --index-info < {}", entries.display());
    project.repository.git(&["-c", &format!("alias.conflict=!{script}"), "conflict"]);
    let (code, text) = project.refusal(Some(1));
    assert_eq!(code, Code::Workspace);
    assert!(text.contains("has conflicts"), "{text}");
}

#[test]
fn the_reason_why_no_checkpoint_was_taken_is_shown_until_the_next_one() {
    let project = Project::new();
    let record = project.context.worktree_agent("tree", &project.repository.top());
    let at = PathBuf::from(&record.working_directory);
    let link = fs::read(at.join(".git")).unwrap();
    let take = || Checkpoints(&project.context).take_for_turn(&record.name, record.id);
    let skipped = || Checkpoints(&project.context).list(&record.name).unwrap().skipped;
    fs::remove_file(at.join(".git")).unwrap();
    project.repository.git_in(&at, &["init", "-q"]);
    assert!(take().is_err());
    let reason = skipped().unwrap();
    assert_eq!(reason.at, project.context.now());
    assert!(reason.reason.contains("another repository"), "{}", reason.reason);
    fs::remove_dir_all(at.join(".git")).unwrap();
    fs::write(at.join(".git"), link).unwrap();
    take().unwrap();
    assert_eq!(skipped(), None);
}

#[test]
fn old_checkpoints_expire_and_the_newest_stays() {
    let project = Project::new();
    project.context.configure("[checkpoints]\nkeep = 3\nmax_age = '7d'\n");
    for text in ["a", "b", "c", "d"] {
        project.repository.write("lib.rs", text);
        project.turn();
    }
    assert_eq!(project.numbers(), [4, 3, 2], "the limit applies to each new one");
    project.checkpoints().expire_all().unwrap();
    assert_eq!(project.numbers(), [4, 3, 2]);
    // git gives a checkpoint the time of the system, so they are old a century later in any case.
    project.context.advance(Duration::from_secs(100 * 366 * 86_400));
    project.checkpoints().expire_all().unwrap();
    assert_eq!(project.numbers(), [4]);
}

#[test]
fn the_checkpoints_of_an_agent_are_deleted_with_it_and_those_of_others_stay() {
    let project = Project::new();
    project.turn();
    let top = project.repository.top().to_string_lossy().into_owned();
    let other = project.context.agent_with("other", Status::Idle, |record| record.working_directory = top);
    Checkpoints(&project.context).take_for_turn(&other.name, other.id).unwrap();
    project.checkpoints().forget(&project.context.stored("fix"));
    assert_eq!(project.numbers(), [0; 0]);
    assert_eq!(Checkpoints(&project.context).list(&other.name).unwrap().checkpoints.len(), 1);
    assert!(project.context.notices().is_empty());
}

#[test]
fn agents_without_a_repository_have_no_checkpoints() {
    let context = TestContext::new();
    let record = context.agent("api", Status::Idle);
    Checkpoints(&context).begin_turn(&record, "x");
    let error = Checkpoints(&context).list(&record.name).unwrap_err();
    assert_eq!(error.code(), Code::NoRepository);
    assert_eq!(Checkpoints(&context).restore(&record.name, None).unwrap_err().code(), Code::NoRepository);
    Checkpoints(&context).expire_all().unwrap();
    assert!(Checkpoints(&context).forget(&record).is_some());
}

#[test]
fn a_scratch_agent_has_no_checkpoints_of_the_repository_around_its_folder() {
    let context = TestContext::new();
    let repository = Repository::new();
    let scratch = repository.top().join("scratch");
    fs::create_dir(&scratch).unwrap();
    context.agent_with("api", Status::Idle, |record| {
        record.workspace = Workspace::Scratch;
        record.working_directory = scratch.to_string_lossy().into_owned();
    });
    let error = Checkpoints(&context).list(&agent_name("api")).unwrap_err();
    assert_eq!(error.code(), Code::NoRepository);
}
