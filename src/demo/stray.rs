//! Starts a process that has left our process group and session, as agents' tools sometimes do.

use std::io;
use std::process::{Command, Stdio};

/// Starts it and tells its pid; nobody waits for it.
pub(super) fn spawn() -> io::Result<u32> {
    #[expect(
        clippy::disallowed_methods,
        reason = "leaving a stray process behind is what `/spawn-child` is for"
    )]
    let mut setsid = Command::new("setsid");
    setsid.args(["sleep", "1000"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(setsid.spawn()?.id())
}
