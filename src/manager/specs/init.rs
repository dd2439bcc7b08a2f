//! `spec init`: writes a commented example `.symposium/agents.toml`. Never overwrites an existing one.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::manager::specs::SpecCatalog;
use crate::specs;

impl SpecCatalog<'_> {
    /// Writes the example into a directory and returns the path of the file.
    pub fn spec_init(&self, dir: Option<&Path>) -> Result<PathBuf, Error> {
        let folder = self.0.working_directory(dir)?.join(".symposium");
        let file = folder.join("agents.toml");
        // In the user's home directory this is the state directory, which must be private.
        let (dir_mode, file_mode) = if folder == self.0.home.path { (0o700, 0o600) } else { (0o755, 0o644) };
        let failed = |source| match source {
            error if ErrorKind::AlreadyExists == std::io::Error::kind(&error) => {
                Error::not_safe(format!("`{}` already exists", file.display()))
                    .hint("edit it, then run `symposium spec check`")
            }
            source => Error::io(format!("cannot write `{}`", file.display()))(source),
        };
        fs::DirBuilder::new().recursive(true).mode(dir_mode).create(&folder).map_err(failed)?;
        let mut options = fs::OpenOptions::new();
        let mut new = options.write(true).create_new(true).mode(file_mode).open(&file).map_err(failed)?;
        new.write_all(specs::init_text().as_bytes()).map_err(failed)?;
        Ok(file)
    }
}
