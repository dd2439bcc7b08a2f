//! Determines which filters git may run. Filters that a repository configures are untrusted; those in the user's own
//! configuration, such as Git LFS, are allowed.

use std::path::Path;

use super::command::{Git, GitError};

impl Git {
    /// Returns configuration values that disable every configured filter: git would run them to compare files.
    pub(super) fn filters_off(&self, dir: &Path) -> Result<Vec<String>, GitError> {
        self.off(dir, &[], |_scope| true)
    }

    /// Returns configuration values that disable the filters that the repository itself configures, for a command with
    /// the additional values `configs`.
    ///
    /// They are read in the directory of each command: `includeIf "onbranch:…"` and `includeIf "gitdir:…"` may give a
    /// worktree another configuration than the tree it was created from.
    pub(super) fn own_filters_off(&self, dir: &Path, configs: &[String]) -> Result<Vec<String>, GitError> {
        self.off(dir, configs, |scope| scope != "global" && scope != "system")
    }

    /// Returns the filter in the user's configuration whose missing program the error output of git names.
    pub(super) fn missing_filter(&self, stderr: &[u8]) -> Option<GitError> {
        let stderr = String::from_utf8_lossy(stderr);
        let args = ["config", "--null", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$"];
        let output = self.output(Path::new("/"), &[], &args).ok()?;
        let output = String::from_utf8_lossy(&output).into_owned();
        output.split('\0').find_map(|entry| {
            let (key, command) = entry.split_once('\n')?;
            let (filter, _) = key.strip_prefix("filter.")?.rsplit_once('.')?;
            let program = command.split_whitespace().next()?;
            let is_missing = stderr.contains(program) && !self.is_installed(program);
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
        let args = ["config", "--null", "--show-scope", "--name-only", "--get-regexp", r"^filter\."];
        let names = match self.output(dir, configs, &args) {
            Ok(names) => names,
            // git reports in this way that there are none.
            Err(GitError::Failed { output, .. }) if output.is_empty() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let names = String::from_utf8(names).map_err(|_| refused("a filter's name is not text"))?;
        let fields: Vec<&str> = names.split('\0').collect();
        let mut off = Vec::new();
        for pair in fields.chunks_exact(2).filter(|pair| is_off(pair[0])) {
            let Some((filter, key)) = pair[1].rsplit_once('.') else { continue };
            if filter.contains('=') {
                return Err(refused("a filter's name has a `=` in it"));
            }
            match key {
                "clean" | "smudge" | "process" => off.push(format!("{filter}.{key}=")),
                "required" => off.push(format!("{filter}.{key}=false")),
                _ => {}
            }
        }
        Ok(off)
    }
}

fn refused(output: &str) -> GitError {
    GitError::Failed { what: "config".to_owned(), output: output.to_owned() }
}

#[cfg(test)]
mod tests;
