//! The owner's side of a door: one socket, one user who may come through. Who knocks tells the kernel; everybody else
//! is let go before a byte of theirs is read.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;

use super::ShareError;
use super::connect;
use super::directory::Place;
use super::frame::{Facts, Frame, Hello, Incoming, LONGEST};
use super::keys::{Decoder, Typed};
use super::pty::Screen;
use crate::model::AgentName;

/// How many lines of a guest's may be there at once: more than terminals, so that one can always ask.
const MOST_LINES: usize = 16;
/// How long somebody may take to say hello, or to take what is shown.
const PATIENCE: Duration = Duration::from_secs(10);
/// The clock is looked at this often: it may be set, and a machine may sleep.
const LOOK_AT_CLOCK: Duration = Duration::from_secs(20);

/// A door that is open.
pub struct Door {
    listener: UnixListener,
    path: PathBuf,
    guest: u32,
}

/// Somebody who came through it.
pub struct Guest {
    /// What they want.
    pub hello: Hello,
    line: UnixStream,
}

impl Door {
    /// Opens it; refuses where somebody listens already.
    pub fn open(place: &Place, guest: u32, name: &AgentName) -> Result<Door, ShareError> {
        place.prepare()?;
        let path = place.door(name);
        if connect::has_listener(&path) {
            return Err(ShareError::Unsafe { path, why: "somebody listens there already".to_owned() });
        }
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).map_err(ShareError::file("listen at", &path))?;
        place.open(&path)?;
        Ok(Door { listener, path, guest })
    }

    /// Lets guests in, each on a thread of its own, for as long as there is time left.
    pub fn keep(
        &self,
        time_left: impl Fn() -> Option<Duration>,
        receive: impl Fn(Guest) + Send + Sync + 'static,
    ) -> io::Result<()> {
        let receive = Arc::new(receive);
        let inside = Arc::new(AtomicUsize::new(0));
        while let Some(left) = time_left().filter(|left| !left.is_zero()) {
            let wait = Timespec::try_from(left.min(LOOK_AT_CLOCK)).map_err(io::Error::other)?;
            let mut fds = [PollFd::from_borrowed_fd(self.listener.as_fd(), PollFlags::IN)];
            match poll(&mut fds, Some(&wait)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let Ok((line, _)) = self.listener.accept() else { continue };
            if !self.is_guest(&line) || inside.load(Ordering::Relaxed) >= MOST_LINES {
                continue;
            }
            inside.fetch_add(1, Ordering::Relaxed);
            let (receive, inside) = (Arc::clone(&receive), Arc::clone(&inside));
            std::thread::spawn(move || {
                if let Ok(guest) = Guest::hear(line) {
                    receive(guest);
                }
                inside.fetch_sub(1, Ordering::Relaxed);
            });
        }
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn is_guest(&self, line: &UnixStream) -> bool {
        socket_peercred(line).is_ok_and(|peer| peer.uid.as_raw() == self.guest)
    }
}

impl Guest {
    fn hear(mut line: UnixStream) -> io::Result<Guest> {
        line.set_read_timeout(Some(PATIENCE))?;
        line.set_write_timeout(Some(PATIENCE))?;
        let hello = Hello::read(&mut line)?;
        Ok(Guest { hello, line })
    }

    /// Tells what is shared.
    pub fn tell(mut self, facts: &Facts) -> io::Result<()> {
        let facts = serde_json::to_vec(facts).map_err(io::Error::other)?;
        Frame::Facts(facts).write(&mut self.line)
    }

    /// Says that it is over.
    pub fn dismiss(&mut self, why: &str) {
        let _ = Frame::End(why.to_owned()).write(&mut self.line);
        let _ = self.line.flush();
    }

    /// Shows the screen and hands on what is typed, until one of them leaves.
    pub fn watch(&mut self, screen: &mut Screen, mut typed: impl FnMut(Typed, &Screen)) -> io::Result<()> {
        let (mut decoder, mut incoming) = (Decoder::default(), Incoming::default());
        let mut buffer = [0; LONGEST];
        loop {
            let (from_guest, from_screen) = {
                let mut fds = [
                    PollFd::from_borrowed_fd(self.line.as_fd(), PollFlags::IN),
                    PollFd::from_borrowed_fd(screen.as_fd(), PollFlags::IN),
                ];
                match poll(&mut fds, None) {
                    Err(rustix::io::Errno::INTR) => continue,
                    other => other?,
                };
                (!fds[0].revents().is_empty(), !fds[1].revents().is_empty())
            };
            if from_screen {
                match screen.read(&mut buffer)? {
                    0 => return Ok(()),
                    count => Frame::Output(buffer[..count].to_vec()).write(&mut self.line)?,
                }
            }
            if from_guest {
                if !incoming.take(&mut self.line)? {
                    return Ok(());
                }
                while let Some(frame) = incoming.next()? {
                    match frame {
                        Frame::Input(bytes) => {
                            decoder.feed(&bytes).into_iter().for_each(|each| typed(each, screen))
                        }
                        Frame::Size(columns, rows) => screen.resize((columns, rows)),
                        _ => return Err(io::Error::other("a piece that is not a guest's")),
                    }
                }
            }
        }
    }
}
