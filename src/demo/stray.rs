//! Starts a process outside of this process group and session, as the tools of agents sometimes do.

use std::io;
use std::process::{Command, Stdio};

/// Starts the process and returns its pid without waiting for it.
pub(super) fn spawn() -> io::Result<u32> {
    #[expect(
        clippy::disallowed_methods,
        reason = "leaving a stray process behind is what `/spawn-child` is for"
    )]
    let mut setsid = Command::new("setsid");
    setsid.args(["sleep", "1000"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(setsid.spawn()?.id())
}
