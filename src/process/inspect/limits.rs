//! Limits that the system sets to this process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGXFSZ;

/// Makes a write beyond the limit on file sizes (`ulimit -f`) an error, as on a full disk, instead of the end of this
/// process. A handler is not inherited: programs that are started from here keep the usual reaction.
pub fn survive_file_size_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}
