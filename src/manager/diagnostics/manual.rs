//! `symposium man` in a terminal: shows the page with the `man` program.

use std::io::{self, Write};
use std::path::Path;

use crate::error::Error;
use crate::manager::diagnostics::Diagnostics;
use crate::process::{self, Run};

impl Diagnostics<'_> {
    /// Shows a manual page in this terminal. Returns false if there is no `man` program, or it cannot show a file.
    pub fn show_manual(page: &[u8]) -> Result<bool, Error> {
        let mut file = tempfile::Builder::new()
            .prefix("symposium-")
            .suffix(".1")
            .tempfile()
            .map_err(Error::io("cannot write the manual page"))?;
        file.write_all(page).map_err(Error::io("cannot write the manual page"))?;
        let args = ["-l".to_owned(), file.path().to_string_lossy().into_owned()];
        let run = Run { program: Path::new("man"), args: &args, dir: None, env: None };
        match process::run_foreground(&run, |_| ()) {
            Ok(exit) => Ok(exit.code == Some(0)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io("cannot start `man`")(error)),
        }
    }
}
