//! Tests of the specs adapter from files to a resolved spec or a list of errors.

mod finding;
mod mistakes;
mod property;
mod resolving;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// The kinds that these tests know.
const KINDS: &[&str] = &["claude", "codex", "demo", "command"];

/// A project and an environment in a temporary directory.
struct Disk {
    dir: tempfile::TempDir,
}

impl Disk {
    /// Creates files by their path: `project/…` and `home/…`.
    fn with(files: &[(&str, &str)]) -> Disk {
        let disk = Disk { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(disk.path("project/deep/down")).unwrap();
        fs::create_dir_all(disk.path("home")).unwrap();
        for (path, text) in files {
            let path = disk.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        disk
    }

    /// Creates one project file.
    fn project(text: &str) -> Disk {
        Disk::with(&[("project/.symposium/agents.toml", text)])
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn specs(&self) -> Specs {
        self.found(None).unwrap()
    }

    fn found(&self, config: Option<&Path>) -> Result<Specs, SpecError> {
        let (dir, home) = (self.path("project/deep/down"), self.path("home"));
        Specs::find(&Where { dir: &dir, home: &home, config })
    }

    /// Returns all errors, with paths relative to the directory.
    fn mistakes(&self) -> Vec<String> {
        self.shorten(&self.specs().check(KINDS))
    }

    /// Returns the errors of one spec.
    fn refused(&self, name: &str) -> Vec<String> {
        match self.specs().get(name) {
            Err(SpecError::Mistakes(mistakes)) => self.shorten(&mistakes),
            other => panic!("{name}: {other:?}"),
        }
    }

    fn shorten(&self, mistakes: &[Mistake]) -> Vec<String> {
        let root = format!("{}/", self.dir.path().display());
        mistakes.iter().map(|mistake| mistake.to_string().replace(&root, "")).collect()
    }
}
