//! The owner's side of a share: one socket that accepts one user. The kernel reports the user of a connection; other
//! users are disconnected before any of their bytes are read.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;

use super::ShareError;
use super::connect;
use super::directory::ShareDir;
use super::frame::{FrameBuffer, GuestHello, MAX_FRAME_BYTES, ShareFacts, ShareFrame};
use super::keys::{GuestInput, GuestInputDecoder};
use super::pty::GuestTerminal;
use crate::model::AgentName;

/// Maximum number of connections of a guest at a time: more than the guest's terminals, so that a query is always
/// possible.
const MAX_CONNECTIONS: usize = 16;
/// Time limit for a guest to send the hello, or to accept output.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval at which the clock is checked, because the clock may be set and the machine may be suspended.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_secs(20);

/// An open listener for one guest.
pub struct GuestListener {
    listener: UnixListener,
    guest: u32,
}

/// A connection of the guest.
pub struct Guest {
    /// First message of the connection, with its purpose.
    pub hello: GuestHello,
    line: UnixStream,
}

impl GuestListener {
    /// Opens the listener. Fails if another process already listens on the socket.
    pub fn open(share_dir: &ShareDir, guest: u32, name: &AgentName) -> Result<GuestListener, ShareError> {
        share_dir.prepare()?;
        let path = share_dir.socket_path(name);
        if connect::has_listener(&path) {
            return Err(ShareError::Unsafe { path, why: "another process listens there already".to_owned() });
        }
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).map_err(ShareError::file("listen at", &path))?;
        share_dir.open(&path)?;
        Ok(GuestListener { listener, guest })
    }

    /// Accepts connections, each on its own thread, for as long as `time_left` returns a positive time.
    pub fn serve(
        &self,
        time_left: impl Fn() -> Option<Duration>,
        receive: impl Fn(Guest) + Send + Sync + 'static,
    ) -> io::Result<()> {
        let receive = Arc::new(receive);
        let inside = Arc::new(AtomicUsize::new(0));
        while let Some(left) = time_left().filter(|left| !left.is_zero()) {
            let wait = Timespec::try_from(left.min(CLOCK_CHECK_INTERVAL)).map_err(io::Error::other)?;
            let mut fds = [PollFd::from_borrowed_fd(self.listener.as_fd(), PollFlags::IN)];
            match poll(&mut fds, Some(&wait)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let Ok((line, _)) = self.listener.accept() else { continue };
            if !self.is_guest(&line) || inside.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
                continue;
            }
            inside.fetch_add(1, Ordering::Relaxed);
            let (receive, inside) = (Arc::clone(&receive), Arc::clone(&inside));
            std::thread::spawn(move || {
                if let Ok(guest) = Guest::read_hello(line) {
                    receive(guest);
                }
                inside.fetch_sub(1, Ordering::Relaxed);
            });
        }
        Ok(())
    }

    fn is_guest(&self, line: &UnixStream) -> bool {
        socket_peercred(line).is_ok_and(|peer| peer.uid.as_raw() == self.guest)
    }
}

impl Guest {
    fn read_hello(mut line: UnixStream) -> io::Result<Guest> {
        line.set_read_timeout(Some(HANDSHAKE_TIMEOUT))?;
        line.set_write_timeout(Some(HANDSHAKE_TIMEOUT))?;
        let hello = GuestHello::read(&mut line)?;
        Ok(Guest { hello, line })
    }

    /// Answers a query with the facts about the share.
    pub fn send_facts(mut self, facts: &ShareFacts) -> io::Result<()> {
        let facts = serde_json::to_vec(facts).map_err(io::Error::other)?;
        ShareFrame::Facts(facts).write(&mut self.line)
    }

    /// Tells the guest that the connection ends, and why.
    pub fn disconnect(&mut self, why: &str) {
        let _ = ShareFrame::End(why.to_owned()).write(&mut self.line);
        let _ = self.line.flush();
    }

    /// Shows the screen to the guest and passes on the guest's input, until one side ends.
    pub fn watch(
        &mut self,
        screen: &mut GuestTerminal,
        mut typed: impl FnMut(GuestInput, &GuestTerminal),
    ) -> io::Result<()> {
        let (mut decoder, mut incoming) = (GuestInputDecoder::default(), FrameBuffer::default());
        let mut buffer = [0; MAX_FRAME_BYTES];
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
                    count => ShareFrame::Output(buffer[..count].to_vec()).write(&mut self.line)?,
                }
            }
            if from_guest {
                if !incoming.take(&mut self.line)? {
                    return Ok(());
                }
                while let Some(frame) = incoming.next()? {
                    match frame {
                        ShareFrame::Input(bytes) => {
                            decoder.feed(&bytes).into_iter().for_each(|each| typed(each, screen))
                        }
                        ShareFrame::Size(columns, rows) => screen.resize((columns, rows)),
                        _ => return Err(io::Error::other("a frame that a guest may not send")),
                    }
                }
            }
        }
    }
}
