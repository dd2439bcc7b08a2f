//! Programs that end with us: what they write is half of something that nobody finishes.

use crate::manager::Context;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use crate::process::{self, Run, TIE};

impl Context {
    /// Becomes a program that ends with its parent, when a command line asks for that; comes back only with why not.
    pub fn become_tied(args: &[OsString]) -> Option<io::Error> {
        let [_, verb, program, rest @ ..] = args else { return None };
        if verb != TIE[1] {
            return None;
        }
        let words: Result<Vec<String>, _> = rest.iter().cloned().map(OsString::into_string).collect();
        let Ok(args) = words else { return Some(io::Error::other("its arguments are not text")) };
        Some(process::become_tied(&Run { program: Path::new(program), args: &args, dir: None, env: None }))
    }

    /// Makes a write beyond the limit on file sizes an error of the command, not the end of its process.
    pub fn survive_file_size_limit() {
        // Without it a command ends as before.
        let _ = process::survive_file_size_limit();
    }
}
