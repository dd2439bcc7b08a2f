//! Runs `gh` and `glab` in repositories of agents. What such a repository configures is untrusted.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::Publication;
use crate::manager::Context;
use crate::process::{self, Output, Run};
use crate::rules::workspace::finish::pull_request::ForgeProgram;

/// Runs the programs of forges.
#[derive(Clone, Copy)]
pub(in crate::manager) struct ForgeRunner<'a>(pub(in crate::manager) &'a Context);

impl ForgeRunner<'_> {
    /// Returns the path of a program of the user. A relative entry of PATH is not searched, because this would find
    /// programs of the repository.
    pub(in crate::manager) fn program_path(&self, program: ForgeProgram) -> Option<PathBuf> {
        let path = which::which_in(program.name(), self.0.env.var("PATH"), "/").ok();
        path.filter(|path| path.is_absolute())
    }

    /// Runs a program with the environment of the user. The git that it starts runs no program that the repository
    /// configures: hooks, filters (`gh` and `glab` call `git status`), a pager or a file system monitor.
    pub(in crate::manager) fn run(
        &self,
        program: &Path,
        args: &[String],
        top: &Path,
        timeout: Duration,
    ) -> io::Result<Output> {
        let is_free = |(name, _): &&(OsString, OsString)| !name.to_string_lossy().starts_with("GIT_");
        let harmless = Publication(&self.0.git()).harmless_environment(top).map_err(io::Error::other)?;
        let own = std::iter::once(("GH_PROMPT_DISABLED".into(), "1".into())).chain(harmless);
        let env: Vec<(OsString, OsString)> =
            self.0.env.all().iter().filter(is_free).cloned().chain(own).collect();
        process::run_bounded(&Run { program, args, dir: Some(top), env: Some(&env) }, timeout)
    }
}
