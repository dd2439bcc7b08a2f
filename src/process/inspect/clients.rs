//! Finds the tmux clients of a server that no longer reports them.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Process title that tmux sets for a client.
const CLIENT: &str = "tmux: client";

/// Returns the processes of this user that are tmux clients with this socket on their command line.
pub fn tmux_clients(socket: &Path) -> io::Result<Vec<i32>> {
    let processes = fs::read_dir("/proc")?.flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    Ok(numbers.filter(|pid| is_tmux_client(*pid, socket)).collect())
}

/// Returns `true` if a process is a tmux client of this user with this socket on its command line.
pub fn is_tmux_client(pid: i32, socket: &Path) -> bool {
    let own = rustix::process::getuid().as_raw();
    let is_ours = fs::metadata(format!("/proc/{pid}")).is_ok_and(|meta| meta.uid() == own);
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    is_ours
        && name.trim_end() == CLIENT
        && words.split(|byte| *byte == 0).any(|word| word == socket.as_os_str().as_bytes())
}
