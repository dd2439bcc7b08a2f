//! Tests of the specs adapter from files to a resolved spec or a list of errors.

mod mistakes;
mod property;
mod resolve;
mod search;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// The kinds that these tests know.
const KINDS: &[&str] = &["claude", "codex", "demo", "command"];

/// A project and an environment in a temporary directory.
struct TestProject {
    dir: tempfile::TempDir,
}

impl TestProject {
    /// Creates files by their path: `project/…` and `home/…`.
    fn with(files: &[(&str, &str)]) -> TestProject {
        let disk = TestProject { dir: tempfile::tempdir().unwrap() };
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
    fn project(text: &str) -> TestProject {
        TestProject::with(&[("project/.symposium/agents.toml", text)])
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn specs(&self) -> Specs {
        self.find_with_config(None).unwrap()
    }

    fn find_with_config(&self, config: Option<&Path>) -> Result<Specs, SpecError> {
        let (dir, home) = (self.path("project/deep/down"), self.path("home"));
        Specs::find(&SpecSearch { dir: &dir, home: &home, config })
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

    fn shorten(&self, mistakes: &[SpecMistake]) -> Vec<String> {
        let root = format!("{}/", self.dir.path().display());
        mistakes.iter().map(|mistake| mistake.to_string().replace(&root, "")).collect()
    }
}
