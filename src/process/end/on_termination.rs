//! Lets this process do one last thing when it is asked to end, as it happens.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGTERM};
use signal_hook::low_level::{emulate_default_handler, pipe};

/// Calls back when this process is asked to end; then it ends as it would have without us.
pub fn on_end(last: impl Fn() + Send + Clone + 'static) -> io::Result<()> {
    for signal in [SIGTERM, SIGHUP] {
        let (mut told, tell) = UnixStream::pair()?;
        pipe::register(signal, tell)?;
        let last = last.clone();
        thread::Builder::new().name("ending".into()).spawn(move || {
            if let Ok(1..) = told.read(&mut [0]) {
                last();
                let _ = emulate_default_handler(signal);
            }
        })?;
    }
    Ok(())
}
