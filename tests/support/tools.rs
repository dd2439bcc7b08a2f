//! The programs in a sealed PATH: explicit links, so that an agent CLI of the developer's machine is never found.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// The programs that tests and their child processes may call. Programs that this machine lacks are omitted.
const TOOLS: &[&str] = &[
    "awk", "bash", "cat", "chmod", "cp", "cut", "date", "dd", "dirname", "echo", "env", "false", "git",
    "grep", "head", "id", "kill", "ln", "ls", "mkdir", "mkfifo", "mv", "nohup", "printf", "ps", "pwd",
    "python3", "readlink", "rm", "script", "sed", "seq", "setsid", "sh", "sleep", "sort", "stat", "stty",
    "tail", "tee", "test", "timeout", "tmux", "touch", "tr", "true", "tty", "uname", "wc", "xargs", "yes",
];

/// Fills `dir` with links to the tools.
pub fn link_into(dir: &Path) {
    for tool in TOOLS {
        if let Some(found) = on_this_machine(tool) {
            symlink(found, dir.join(tool)).expect("linking a tool");
        }
    }
}

/// Returns the path of a program on this machine.
pub fn on_this_machine(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
