//! Child processes that must die with this process, because their partial output would remain.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use crate::manager::Context;
use crate::process::{self, Run, WITH_PARENT};

impl Context {
    /// Replaces this process with a program that dies with its parent, if the command line requests it. Returns only on
    /// failure, with the error, or `None` for any other command line.
    pub fn die_with_parent(args: &[OsString]) -> Option<io::Error> {
        let [_, verb, program, rest @ ..] = args else { return None };
        if verb != WITH_PARENT[1] {
            return None;
        }
        let words: Result<Vec<String>, _> = rest.iter().cloned().map(OsString::into_string).collect();
        let Ok(args) = words else { return Some(io::Error::other("its arguments are not text")) };
        Some(process::die_with_parent(&Run {
            program: Path::new(program),
            args: &args,
            dir: None,
            env: None,
        }))
    }

    /// Makes a write beyond the file size limit an error of the command instead of the end of its process.
    pub fn survive_file_size_limit() {
        // If this fails, the signal still ends the process.
        let _ = process::survive_file_size_limit();
    }
}
