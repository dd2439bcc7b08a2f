//! Reports changes of the size of this process's terminal.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::thread;

use signal_hook::consts::SIGWINCH;
use signal_hook::low_level::pipe;

/// Calls back at each change for as long as this process lives.
pub fn on_resize(resized: impl Fn() + Send + 'static) -> io::Result<()> {
    let (mut receiver, sender) = UnixStream::pair()?;
    pipe::register(SIGWINCH, sender)?;
    thread::Builder::new().name("resize".into()).spawn(move || {
        let mut some = [0; 64];
        while let Ok(1..) = receiver.read(&mut some) {
            resized();
        }
    })?;
    Ok(())
}
