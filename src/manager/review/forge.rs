//! Runs `gh` and `glab` in repositories of agents. What such a repository configures is untrusted.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::manager::Context;
use crate::process::{self, Output, Run};
use crate::rules::workspace::finish::pull_request::ForgeProgram;

/// Settings for the git that a forge program starts in the untrusted repository.
const FORGE_ENVIRONMENT: [(&str, &str); 8] = [
    ("GH_PROMPT_DISABLED", "1"),
    ("GIT_CONFIG_COUNT", "3"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_KEY_2", "core.pager"),
    ("GIT_CONFIG_VALUE_2", "cat"),
];

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

    /// Runs a program with the environment of the user, except for the variables of git.
    pub(in crate::manager) fn run(
        &self,
        program: &Path,
        args: &[String],
        top: &Path,
        timeout: Duration,
    ) -> io::Result<Output> {
        let is_free = |(name, _): &&(OsString, OsString)| !name.to_string_lossy().starts_with("GIT_");
        let own = FORGE_ENVIRONMENT.map(|(name, value)| (name.into(), value.into()));
        let env: Vec<(OsString, OsString)> =
            self.0.env.all().iter().filter(is_free).cloned().chain(own).collect();
        process::run_bounded(&Run { program, args, dir: Some(top), env: Some(&env) }, timeout)
    }
}
