//! Tests with real repositories, including hostile ones.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::super::testing::{Repository, path};
use super::super::uncommitted::WorkingTreeChanges;
use super::*;
use crate::model::{ChangeKind, ChangedFile, UncommittedWork};

fn long_ago() -> Timestamp {
    Timestamp::from_second(1_000_000_000).unwrap()
}

#[test]
fn commits_are_listed_newest_first_and_bounded() {
    let repository = Repository::new();
    let git = repository.ours();
    assert_eq!(
        History(&git).commits_since(&repository.top(), long_ago(), 9).unwrap(),
        Some(vec![]),
        "none yet"
    );
    for subject in ["one", "two: ü \u{202e}x", "three\n\nwith a body"] {
        repository.commit(subject);
    }
    let history = History(&git).commits_since(&repository.top(), long_ago(), 9).unwrap().unwrap();
    assert_eq!(
        history.iter().map(|c| c.subject.as_str()).collect::<Vec<_>>(),
        ["three", "two: ü \u{202e}x", "one"]
    );
    assert!(history.iter().all(|commit| commit.id.len() >= 4 && commit.at > long_ago()));
    let two = History(&git).commits_since(&repository.top(), long_ago(), 2).unwrap().unwrap();
    assert_eq!(two, history[..2]);
    let later = history[0].at + jiff::SignedDuration::from_secs(60);
    assert_eq!(History(&git).commits_since(&repository.top(), later, 9).unwrap(), Some(vec![]));
}

#[test]
fn changes_are_counted_by_kind_and_lines() {
    let repository = Repository::new();
    let git = repository.ours();
    repository.write("new", "x\n");
    repository.git(&["add", "new"]);
    let before_any_commit = WorkingTreeChanges(&git).summary(&repository.top()).unwrap().unwrap();
    assert_eq!(before_any_commit.files, [ChangedFile { kind: ChangeKind::Added, path: "new".into() }]);
    repository.write("kept", "1\n2\n3\n");
    repository.write("gone", "1\n2\n");
    repository.commit("one");
    assert_eq!(
        WorkingTreeChanges(&git).summary(&repository.top()).unwrap(),
        Some(UncommittedWork::default())
    );
    repository.write("kept", "1\nzwei\n3\nvier\n");
    fs::remove_file(repository.top().join("gone")).unwrap();
    repository.write("un known\tä\n", "?\n");
    repository.write("added", "1\n");
    repository.git(&["add", "added"]);
    let history = WorkingTreeChanges(&git).summary(&repository.top()).unwrap().unwrap();
    let files: Vec<_> = history.files.iter().map(|file| (file.kind, file.path.as_str())).collect();
    assert_eq!(
        files,
        [
            (ChangeKind::Added, "added"),
            (ChangeKind::Deleted, "gone"),
            (ChangeKind::Modified, "kept"),
            (ChangeKind::Untracked, "un known\tä\n"),
        ]
    );
    assert_eq!((history.insertions, history.deletions), (3, 3));
}

#[test]
fn directory_without_a_repository_has_no_history() {
    let dir = tempfile::tempdir().unwrap();
    let git = Git::new("/nowhere", "/nowhere");
    for path in [dir.path().to_owned(), dir.path().join("gone")] {
        assert_eq!(WorkingTreeChanges(&git).summary(&path).unwrap(), None);
        assert_eq!(History(&git).commits_since(&path, long_ago(), 9).unwrap(), None);
    }
}

#[test]
fn missing_slow_and_failing_git_are_reported() {
    let repository = Repository::new();
    let bin = tempfile::tempdir().unwrap();
    let git = Git::new(bin.path(), "/nowhere");
    assert!(matches!(WorkingTreeChanges(&git).summary(&repository.top()), Err(GitError::Missing)));
    let fake = |script: &str| {
        fs::write(bin.path().join("git"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(bin.path().join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    fake("/bin/sleep 1000 & /bin/sleep 1000");
    let slow = git.clone().with_timeout(Duration::from_millis(200));
    assert!(matches!(WorkingTreeChanges(&slow).summary(&repository.top()), Err(GitError::Slow { .. })));
    fake("kill -9 $$");
    let error = git.commit(&repository.top(), "HEAD").unwrap_err();
    assert_eq!(error.to_string(), "git rev-parse was ended by signal 9", "the commit may exist");
    fake("echo 'fatal: detected dubious ownership' >&2; exit 128");
    let error = History(&git).commits_since(&repository.top(), long_ago(), 9).unwrap_err();
    assert_eq!(error.to_string(), "git log failed: fatal: detected dubious ownership");
}

#[test]
fn a_hostile_repository_runs_nothing() {
    let repository = Repository::new();
    let (top, mark) = (repository.top(), repository.dir.path().join("mark"));
    repository.write("a.txt", "1\n");
    repository.write("b.bin", "1\n");
    repository.commit("innocent");
    let evil = repository.dir.path().join("evil");
    fs::write(&evil, format!("#!/bin/sh\necho \"$0 $*\" >> {}\nexec cat\n", mark.display())).unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = evil.to_str().unwrap();
    let hooks = top.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction"] {
        fs::copy(evil, hooks.join(hook)).unwrap();
    }
    for (key, value) in [
        ("core.fsmonitor", evil),
        ("core.pager", evil),
        ("pager.log", evil),
        ("pager.status", evil),
        ("log.showSignature", "true"),
        ("gpg.program", evil),
        ("diff.external", evil),
        ("diff.x.command", evil),
        ("diff.x.textconv", evil),
        ("filter.x.clean", evil),
        ("filter.x.process", evil),
        ("filter.x.required", "true"),
        ("filter.Two.Words.clean", evil),
        ("core.sshCommand", evil),
        ("core.askPass", evil),
        ("credential.helper", evil),
    ] {
        repository.git(&["config", key, value]);
    }
    fs::create_dir_all(top.join(".git/info")).unwrap();
    fs::write(top.join(".git/info/attributes"), "b.bin filter=Two.Words diff=x\n").unwrap();
    repository.write(".gitattributes", "*.txt filter=x diff=x\n");
    repository.write("a.txt", "2\n");
    repository.write("b.bin", "2\n");
    let before = fs::read(top.join(".git/index")).unwrap();
    let git = repository.ours();
    let history = WorkingTreeChanges(&git).summary(&top).unwrap().unwrap();
    assert_eq!((history.files.len(), history.insertions), (3, 2));
    assert_eq!(History(&git).commits_since(&top, long_ago(), 9).unwrap().unwrap().len(), 1);
    assert!(!mark.exists(), "it ran: {}", fs::read_to_string(&mark).unwrap());
    assert_eq!(fs::read(top.join(".git/index")).unwrap(), before, "nothing was written");
}

#[test]
fn a_program_of_the_repository_is_not_taken_for_git() {
    let repository = Repository::new();
    repository.write("git", "#!/bin/sh\ntouch ran\n");
    fs::set_permissions(repository.top().join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut here_first = OsString::from(".:");
    here_first.push(path());
    let git = Git::new(here_first, repository.dir.path());
    WorkingTreeChanges(&git).summary(&repository.top()).unwrap();
    assert!(!repository.top().join("ran").exists());
}

#[test]
fn a_filter_that_cannot_be_switched_off_is_refused() {
    let repository = Repository::new();
    let config = repository.top().join(".git/config");
    let text = fs::read_to_string(&config).unwrap() + "[filter \"a=b\"]\n\tclean = false\n";
    fs::write(config, text).unwrap();
    assert!(matches!(
        WorkingTreeChanges(&repository.ours()).summary(&repository.top()),
        Err(GitError::Failed { .. })
    ));
}
