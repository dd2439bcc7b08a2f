//! Real repositories for the tests of this adapter.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::Git;

/// A directory with a repository in it, created with the installed git.
pub struct Repository {
    pub dir: tempfile::TempDir,
}

impl Repository {
    pub fn new() -> Repository {
        let repository = Repository { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(repository.top()).unwrap();
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    pub fn top(&self) -> PathBuf {
        self.dir.path().join("r")
    }

    pub fn git(&self, args: &[&str]) {
        self.git_in(&self.top(), args);
    }

    pub fn git_in(&self, dir: &Path, args: &[&str]) {
        self.output_in(dir, args);
    }

    /// Runs git and returns what it prints, without the last line ending.
    pub fn output_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = self.run_in(dir, args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
    }

    /// Runs git, which must fail.
    pub fn git_fails_in(&self, dir: &Path, args: &[&str]) {
        let output = self.run_in(dir, args);
        assert!(!output.status.success(), "{args:?}: {output:?}");
    }

    #[expect(clippy::disallowed_methods, reason = "a test's own repository")]
    fn run_in(&self, dir: &Path, args: &[&str]) -> Output {
        Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"])
            // A commit would start `git maintenance` as well.
            .args(["-c", "maintenance.auto=false"])
            .args(args)
            .current_dir(dir)
            .env("HOME", self.dir.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    pub fn ours(&self) -> Git {
        Git::new(path(), self.dir.path())
    }
}

#[expect(clippy::disallowed_methods, reason = "where this machine has its git")]
pub fn path() -> OsString {
    std::env::var_os("PATH").unwrap()
}
