//! Filters and hooks of a hostile repository. The entries of its index are as new as the index, so that git compares their files
//! again whenever it writes an index.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::checkpoint::CheckpointStore;
use super::super::finish::{BranchMove, TreeUpdates};
use super::super::review::{ObjectStore, SnapshotPlan, Snapshots, TreePair};
use super::super::testing::{Repository, path};
use super::super::uncommitted::{Index, Patches, WorkingTreeChanges};
use super::super::{BranchPlan, Branches, Git, GitError, Worktrees, git_dir};

/// Whether git sees changes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeVisibility {
    /// Git sees changes of all files.
    Visible,
    /// The index hides changes of one file.
    HiddenByIndex,
}

/// A linked worktree whose files have a filter of the repository.
struct HostileWorktree {
    repository: Repository,
    top: PathBuf,
}

impl HostileWorktree {
    fn new() -> HostileWorktree {
        let r = Repository::new();
        r.write(".gitattributes", "*.evil filter=ev\n");
        r.write("a.evil", "one\n");
        r.write("b.evil", "one\n");
        r.commit("first");
        let top = r.dir.path().join("w");
        r.git(&["worktree", "add", "-q", "-b", "work", top.to_str().unwrap()]);
        let hostile = HostileWorktree { repository: r, top };
        let program = format!("touch {}; cat", hostile.marker().display());
        for key in ["clean", "smudge"] {
            hostile.repository.git(&["config", &format!("filter.ev.{key}"), &program]);
        }
        hostile
    }

    fn marker(&self) -> PathBuf {
        self.repository.dir.path().join("marker")
    }

    /// Stages a change without the filter, and makes the index older than its entries. Undoes what a command has changed,
    /// so that one repository serves for several commands.
    fn stage(&self, visibility: ChangeVisibility) {
        fs::write(self.top.join("a.evil"), "two\n").unwrap();
        fs::write(self.top.join("b.evil"), "one\n").unwrap();
        let without_filter = |args: &[&str]| {
            self.repository.git_in(&self.top, &[&["-c", "filter.ev.clean="], args].concat());
        };
        without_filter(&["read-tree", "HEAD"]);
        without_filter(&["add", "-A"]);
        if visibility == ChangeVisibility::HiddenByIndex {
            without_filter(&["update-index", "--assume-unchanged", "b.evil"]);
        }
        self.age_index();
    }

    fn age_index(&self) {
        let index = git_dir(&self.top).unwrap().join("index");
        let written = fs::metadata(self.top.join("a.evil")).unwrap().modified().unwrap();
        let earlier = written - Duration::from_secs(3600);
        File::options().append(true).open(index).unwrap().set_modified(earlier).unwrap();
    }
}

#[test]
fn hooks_that_the_configuration_names_are_disabled_for_commands_that_write() {
    let r = Repository::new();
    r.commit("first");
    let (log, real) = (r.dir.path().join("log"), which::which_in("git", Some(path()), "/").unwrap());
    for event in ["reference-transaction", "post-checkout"] {
        r.git(&["config", "--add", "hook.an evil.event", event]);
    }
    r.git(&["config", "hook.an evil.command", &format!("touch {}", r.dir.path().join("marker").display())]);
    r.git(&["config", "hook.jobs", "2"]);
    let fake = r.dir.path().join("bin/git");
    fs::create_dir(fake.parent().unwrap()).unwrap();
    fs::write(
        &fake,
        format!("#!/bin/sh\necho \"$@\" >> {}\nexec {} \"$@\"\n", log.display(), real.display()),
    )
    .unwrap();
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let git = Git::new(fake.parent().unwrap(), r.dir.path());
    let head = git.head(&r.top()).unwrap().unwrap();
    Branches(&git).create_at(&r.top(), "other", "HEAD").unwrap();
    Branches(&git).move_tip(&r.top(), BranchMove { branch: "other", from: &head, to: &head }).unwrap();
    Worktrees(&git)
        .add(&r.top(), &BranchPlan::Existing("other".to_owned()), &r.dir.path().join("w"))
        .unwrap();
    let log = fs::read_to_string(log).unwrap();
    let writing: Vec<&str> = [" branch ", " update-ref ", " worktree add ", " reset "]
        .iter()
        .filter_map(|command| log.lines().find(|line| line.contains(command)))
        .collect();
    assert_eq!(writing.len(), 4, "{log}");
    for line in writing {
        assert!(line.contains("-c hook.an evil.enabled=false "), "{line}");
    }
    assert!(!r.dir.path().join("marker").exists());
}

#[test]
fn git_lfs_of_the_user_runs_no_program_of_the_repository() {
    let r = Repository::new();
    let log = r.dir.path().join("log");
    r.write(".gitattributes", "*.bin filter=lfs\n");
    r.write("a.bin", "pointer\n");
    r.commit("first");
    let smudge =
        format!("(git config lfs.fetchexclude; git config lfs.extension.ev.clean) >>{}; cat", log.display());
    fs::write(r.dir.path().join(".gitconfig"), format!("[filter \"lfs\"]\nsmudge = {smudge:?}\n")).unwrap();
    r.git(&["config", "lfs.extension.ev.clean", "evil"]);
    let settings_of_checkout = |branch: &str| {
        let plan = BranchPlan::New(branch.to_owned());
        Worktrees(&r.ours()).add(&r.top(), &plan, &r.dir.path().join(branch)).unwrap();
        let settings = fs::read_to_string(&log).unwrap();
        fs::remove_file(&log).unwrap();
        settings
    };
    assert_eq!(settings_of_checkout("extension"), "\n");
    // Settings of Git LFS that start nothing.
    r.git(&["config", "lfs.repositoryformatversion", "0"]);
    assert_eq!(settings_of_checkout("plain"), "\n");
    for key in
        ["lfs.standalonetransferagent", "lfs.customtransfer.ev.path", "core.sshCommand", "credential.helper"]
    {
        r.git(&["config", key, "evil"]);
        assert_eq!(settings_of_checkout(&key.to_lowercase()), "*\n\n", "{key}");
        r.git(&["config", "--unset", key]);
    }
}

fn snapshot(git: &Git, top: &Path, scratch: &Path) -> Result<(), GitError> {
    let plan = SnapshotPlan { left_out: &[], scratch, objects: ObjectStore::Repository };
    Snapshots(git).write(top, plan).map(drop)
}

/// A command of this adapter that uses the index of a working tree.
type IndexCommand = fn(&Git, &Path, &Path) -> Result<(), GitError>;

const COMMANDS: [(&str, IndexCommand); 12] = [
    ("snapshot", snapshot),
    ("index_tree", |git, top, scratch| Index(git).write_tree(top, scratch).map(drop)),
    ("restore_index", |git, top, _| CheckpointStore(git).restore_index(top, "HEAD^{tree}")),
    ("update_index", |git, top, _| TreeUpdates(git).update_index(top, "HEAD")),
    ("update_tree", |git, top, scratch| {
        TreeUpdates(git).update(top, TreePair { from: "HEAD", to: "HEAD" }, scratch)
    }),
    ("all_uncommitted", |git, top, _| WorkingTreeChanges(git).list_all(top).map(drop)),
    ("list_changes", |git, top, _| Index(git).list_changes(top).map(drop)),
    ("snapshot with settings that were read before", |git, top, scratch| {
        snapshot(&git.with_settings_of(top)?, top, scratch)
    }),
    ("changes", |git, top, _| WorkingTreeChanges(git).summary(top).map(drop)),
    ("has_conflicts", |git, top, _| Index(git).has_conflicts(top).map(drop)),
    ("repositories_below", |git, top, _| WorkingTreeChanges(git).repositories_below(top).map(drop)),
    ("patches", |git, top, scratch| {
        Patches(git).write(top, &[], scratch, [&scratch.join("1"), &scratch.join("2")]).map(drop)
    }),
];

#[test]
fn no_command_runs_a_filter_of_the_repository_for_a_file_as_new_as_the_index() {
    for visibility in [ChangeVisibility::Visible, ChangeVisibility::HiddenByIndex] {
        let hostile = HostileWorktree::new();
        for (name, command) in COMMANDS {
            hostile.stage(visibility);
            let scratch = tempfile::tempdir().unwrap();
            let _ = command(&hostile.repository.ours(), &hostile.top, scratch.path());
            assert!(!hostile.marker().exists(), "{name}, {visibility:?}");
        }
        // The situation is still one in which git itself runs the filter.
        hostile.stage(visibility);
        hostile.repository.git_in(&hostile.top, &["add", "-A"]);
        assert!(hostile.marker().exists(), "{visibility:?}");
    }
}
