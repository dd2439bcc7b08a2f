//! Runs a last action when this process is asked to terminate.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGTERM};
use signal_hook::low_level::{emulate_default_handler, pipe};

/// Calls back on SIGTERM and SIGHUP. The process then ends with the default reaction to the signal.
pub fn on_end(last: impl Fn() + Send + Clone + 'static) -> io::Result<()> {
    for signal in [SIGTERM, SIGHUP] {
        let (mut receiver, sender) = UnixStream::pair()?;
        pipe::register(signal, sender)?;
        let last = last.clone();
        thread::Builder::new().name("ending".into()).spawn(move || {
            if let Ok(1..) = receiver.read(&mut [0]) {
                last();
                let _ = emulate_default_handler(signal);
            }
        })?;
    }
    Ok(())
}
