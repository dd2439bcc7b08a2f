//! Resource limits of this process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGXFSZ;

/// Turns a write beyond the limit on file sizes (`ulimit -f`) into an error, like on a full disk, instead of ending
/// this process. A handler is not inherited: programs that are started from here keep the default reaction.
pub fn survive_file_size_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}
