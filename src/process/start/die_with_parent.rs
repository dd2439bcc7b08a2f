//! A program that ends with whoever started it, however that one ends: by then nobody is left to end it.
//!
//! Only a process itself can ask the system for this, and what it asks for stays when it becomes another program. So our
//! own binary is started first, asks, and becomes the program.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::process::Run;
use crate::process::start::run::command;

/// What stands before a program and its arguments: this very binary, also when another has taken its place on disk.
pub const TIE: [&str; 2] = ["/proc/self/exe", "tied"];

/// Becomes a program that is asked to end when its parent has ended. Comes back only with why that cannot be.
///
/// Its parent must be this binary as well: one who may call us must not come to run anything else in this way.
pub fn become_tied(run: &Run<'_>) -> io::Error {
    let asked = set_parent_process_death_signal(Some(Signal::TERM));
    // After it was asked for: a parent that ended before is another's by now.
    match asked.map_err(io::Error::from).and_then(|()| is_child_of_ours()) {
        Ok(true) => command(run).exec(),
        Ok(false) => io::Error::other("whoever asked for it is not there"),
        Err(error) => error,
    }
}

fn is_child_of_ours() -> io::Result<bool> {
    let Some(parent) = getppid() else { return Ok(false) };
    let own = fs::metadata("/proc/self/exe")?;
    let other = fs::metadata(format!("/proc/{}/exe", parent.as_raw_nonzero()))?;
    Ok((own.dev(), own.ino()) == (other.dev(), other.ino()))
}
