//! Starts programs that must die with their parent, however the parent ends.
//!
//! Only a process itself can request this from the kernel, and the request survives an exec. So our own binary is
//! started first, makes the request and then executes the program.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::process::Run;
use crate::process::start::run::command;

/// Arguments that precede the program: this binary, even if its file was replaced on disk.
pub const WITH_PARENT: [&str; 2] = ["/proc/self/exe", "tied"];

/// Executes a program that receives SIGTERM when its parent ends. Returns only on failure.
///
/// The parent must also run this binary, so that this command cannot be used to run other programs.
pub fn die_with_parent(run: &Run<'_>) -> io::Error {
    let result = set_parent_process_death_signal(Some(Signal::TERM));
    // This check comes after the request: if the parent ended before it, this process has another parent by now.
    match result.map_err(io::Error::from).and_then(|()| is_child_of_ours()) {
        Ok(true) => command(run).exec(),
        Ok(false) => io::Error::other("the parent process has ended"),
        Err(error) => error,
    }
}

fn is_child_of_ours() -> io::Result<bool> {
    let Some(parent) = getppid() else { return Ok(false) };
    let own = fs::metadata("/proc/self/exe")?;
    let other = fs::metadata(format!("/proc/{}/exe", parent.as_raw_nonzero()))?;
    Ok((own.dev(), own.ino()) == (other.dev(), other.ino()))
}
