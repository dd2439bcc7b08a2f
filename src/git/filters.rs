//! Determines which filters and hooks git may run. Filters that a repository configures are untrusted; those in the
//! user's own configuration, such as Git LFS, are allowed. No hook runs: since version 2.54, git also runs hooks that the
//! configuration names, which `core.hooksPath` does not disable.
//!
//! Git LFS is a filter of the user, but it runs programs that the repository configures: extensions, and programs for
//! downloads. Extensions are disabled. If the repository configures programs for downloads, nothing is downloaded.

use std::path::{Path, PathBuf};

use super::command::{Git, GitError};

/// Settings of a working tree that decide how git converts files. They are read once for several commands that follow
/// each other immediately.
#[derive(Debug)]
pub(super) struct ConversionSettings {
    /// The directory that they were read in.
    pub directory: PathBuf,
    /// Configuration values that disable all hooks, and the filters that the repository itself configures.
    pub programs_off: Vec<String>,
    /// The value of `core.autocrlf`; `None` if it is not set.
    pub autocrlf: Option<String>,
}

impl ConversionSettings {
    /// Reads the settings of a working tree.
    pub(super) fn read(git: &Git, dir: &Path) -> Result<ConversionSettings, GitError> {
        let args = [
            "config",
            "--null",
            "--show-scope",
            "--get-regexp",
            r"^(filter\..*|hook\..*|lfs\..*|credential\..*|core\.(autocrlf|sshcommand|askpass))$",
        ];
        let output = match git.output(dir, &[], &args) {
            Ok(output) => output,
            // git reports in this way that there are none.
            Err(GitError::Failed { output, .. }) if output.is_empty() => Vec::new(),
            Err(error) => return Err(error),
        };
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let (mut programs, mut autocrlf) = (Vec::new(), None);
        for pair in fields.chunks_exact(2) {
            let mut parts = pair[1].splitn(2, |byte| *byte == b'\n');
            let (key, value) = (parts.next().unwrap_or_default(), parts.next());
            match key {
                // A key without a value means true.
                b"core.autocrlf" => {
                    autocrlf = Some(value.map_or("true".into(), String::from_utf8_lossy).into_owned())
                }
                key => programs.push((pair[0], key)),
            }
        }
        let is_off = |scope: &str| scope != "global" && scope != "system";
        let programs_off = values_that_disable(programs.into_iter(), is_off)?;
        Ok(ConversionSettings { directory: dir.to_owned(), programs_off, autocrlf })
    }
}

/// Configuration values that disable filters and hooks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filters<'a>(pub &'a Git);

impl Filters<'_> {
    /// Returns configuration values that disable all hooks and every configured filter: git would run them to compare
    /// files.
    pub(super) fn all_off(&self, dir: &Path) -> Result<Vec<String>, GitError> {
        self.off(dir, &[], |_scope| true)
    }

    /// Returns configuration values that disable all hooks, and the filters that the repository itself configures, for a
    /// command with the additional values `configs`.
    ///
    /// They are read in the directory of each command: `includeIf "onbranch:…"` and `includeIf "gitdir:…"` may give a
    /// worktree another configuration than the tree it was created from.
    pub(super) fn own_off(&self, dir: &Path, configs: &[String]) -> Result<Vec<String>, GitError> {
        self.off(dir, configs, |scope| scope != "global" && scope != "system")
    }

    /// Returns the filter in the user's configuration whose missing program the error output of git names.
    pub(super) fn missing(&self, stderr: &[u8]) -> Option<GitError> {
        let stderr = String::from_utf8_lossy(stderr);
        let args = ["config", "--null", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$"];
        let output = self.0.output(Path::new("/"), &[], &args).ok()?;
        let output = String::from_utf8_lossy(&output).into_owned();
        output.split('\0').find_map(|entry| {
            let (key, command) = entry.split_once('\n')?;
            let (filter, _) = key.strip_prefix("filter.")?.rsplit_once('.')?;
            let program = command.split_whitespace().next()?;
            let is_missing = stderr.contains(program) && !self.0.is_installed(program);
            is_missing
                .then(|| GitError::MissingFilter { filter: filter.to_owned(), program: program.to_owned() })
        })
    }

    fn off(
        &self,
        dir: &Path,
        configs: &[String],
        is_off: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, GitError> {
        let args = [
            "config",
            "--null",
            "--show-scope",
            "--name-only",
            "--get-regexp",
            r"^((filter|hook|lfs|credential)\.|core\.(sshcommand|askpass)$)",
        ];
        let names = match self.0.output(dir, configs, &args) {
            Ok(names) => names,
            // git reports in this way that there are none.
            Err(GitError::Failed { output, .. }) if output.is_empty() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let fields: Vec<&[u8]> = names.split(|byte| *byte == 0).collect();
        values_that_disable(fields.chunks_exact(2).map(|pair| (pair[0], pair[1])), is_off)
    }
}

/// Makes Git LFS leave all files as pointers, so that it downloads nothing.
const LFS_POINTERS_ONLY: &str = "lfs.fetchexclude=*";

/// Returns whether Git LFS may start a program that this setting names when it downloads a file.
fn starts_program_for_download(key: &str) -> bool {
    key.starts_with("credential.")
        || key.starts_with("lfs.customtransfer.")
        || (key.starts_with("lfs.") && key.ends_with(".standalonetransferagent"))
        || matches!(key, "core.sshcommand" | "core.askpass")
}

/// Returns configuration values that disable all hooks with these keys, and the filters with these scopes and keys.
fn values_that_disable<'a>(
    keys: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    is_off: impl Fn(&str) -> bool,
) -> Result<Vec<String>, GitError> {
    let text =
        |bytes| std::str::from_utf8(bytes).map_err(|_| refused("the name of a filter or hook is not text"));
    let mut off = Vec::new();
    for (scope, key) in keys {
        let (scope, key) = (text(scope)?, text(key)?);
        if starts_program_for_download(key) {
            if is_off(scope) && !off.iter().any(|value| value == LFS_POINTERS_ONLY) {
                off.push(LFS_POINTERS_ONLY.to_owned());
            }
            continue;
        }
        let Some((program, key)) = key.rsplit_once('.') else { continue };
        let value = match key {
            _ if program.starts_with("lfs.") && !program.starts_with("lfs.extension.") => continue,
            _ if program.starts_with("hook.") => format!("{program}.enabled=false"),
            _ if !is_off(scope) => continue,
            "clean" | "smudge" | "process" => format!("{program}.{key}="),
            "required" => format!("{program}.{key}=false"),
            _ => continue,
        };
        if program.contains('=') {
            match is_off(scope) {
                true => return Err(refused("the name of a filter or hook has a `=` in it")),
                false => continue,
            }
        }
        if !off.contains(&value) {
            off.push(value);
        }
    }
    Ok(off)
}

fn refused(output: &str) -> GitError {
    GitError::Failed { what: "config".to_owned(), output: output.to_owned() }
}

#[cfg(test)]
mod tests;
