//! Queries many shares at once. Their listeners may belong to any user: the queries together take no longer than the
//! deadline, however many do not answer, and the length of an answer is limited.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};

use super::connect;
use super::directory::FoundShare;
use super::frame::{ConnectPurpose, FrameBuffer, GuestHello, ShareFacts, ShareFrame};
use crate::base::wait::deadline::poll_until;

/// Result of querying one share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShareAnswer {
    /// Facts about the shared agent.
    Facts(ShareFacts),
    /// No process listens there, or its answer is invalid.
    Nothing,
    /// No answer arrived in time.
    Silence,
}

/// A share that has been queried.
struct PendingQuery {
    at: usize,
    line: UnixStream,
    incoming: FrameBuffer,
}

/// Queries these shares until the deadline. Returns one answer for each.
pub fn query_all(shares: &[FoundShare], until: Instant) -> io::Result<Vec<ShareAnswer>> {
    let mut answers = vec![ShareAnswer::Nothing; shares.len()];
    let mut open = Vec::with_capacity(shares.len());
    for (at, share) in shares.iter().enumerate() {
        match connect(share) {
            Ok(line) => open.push(PendingQuery { at, line, incoming: FrameBuffer::default() }),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => answers[at] = ShareAnswer::Silence,
            Err(_) => {}
        }
    }
    while !open.is_empty() && Instant::now() < until {
        let mut fds: Vec<PollFd<'_>> =
            open.iter().map(|query| PollFd::from_borrowed_fd(query.line.as_fd(), PollFlags::IN)).collect();
        poll_until(&mut fds, until)?;
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>().into_iter();
        open.retain_mut(|query| {
            if ready.next() != Some(true) {
                return true;
            }
            let answer = query.read_answer();
            let continues = answer.is_none();
            answers[query.at] = answer.unwrap_or(ShareAnswer::Nothing);
            continues
        });
    }
    for query in open {
        answers[query.at] = ShareAnswer::Silence;
    }
    Ok(answers)
}

fn connect(share: &FoundShare) -> io::Result<UnixStream> {
    let mut line = connect::connect_now(&share.path)?;
    if connect::listener_uid(&line)? != share.owner {
        return Err(io::Error::other("another process listens there"));
    }
    let mut hello = Vec::new();
    GuestHello::new(ConnectPurpose::Ask, "dumb", (80, 24)).write(&mut hello)?;
    line.write_all(&hello)?;
    Ok(line)
}

impl PendingQuery {
    /// Returns the answer if it is complete.
    fn read_answer(&mut self) -> Option<ShareAnswer> {
        let is_open = match self.incoming.take(&mut self.line) {
            Ok(is_open) => is_open,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
            Err(_) => return Some(ShareAnswer::Nothing),
        };
        match self.incoming.next() {
            Ok(None) if is_open => None,
            Ok(Some(ShareFrame::Facts(bytes))) => {
                Some(serde_json::from_slice(&bytes).map_or(ShareAnswer::Nothing, ShareAnswer::Facts))
            }
            _ => Some(ShareAnswer::Nothing),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    use super::*;

    /// Listens on a socket and calls `meet` with the first connection.
    fn share(dir: &std::path::Path, name: &str, meet: fn(UnixStream)) -> FoundShare {
        let path = dir.join(name);
        let listener = UnixListener::bind(&path).unwrap();
        std::thread::spawn(move || meet(listener.accept().unwrap().0));
        FoundShare { owner: rustix::process::getuid().as_raw(), name: name.parse().unwrap(), path }
    }

    fn say(mut line: UnixStream, text: &[u8]) {
        let _ = GuestHello::read(&mut line);
        let _ = line.write_all(text);
        // Wait until the other side has closed the connection.
        let _ = line.read(&mut [0]);
    }

    #[test]
    fn each_share_is_queried_without_waiting_for_slow_ones() {
        let dir = tempfile::tempdir().unwrap();
        let shares = [
            share(dir.path(), "silent", |line| say(line, b"")),
            share(dir.path(), "honest", |line| {
                say(line, b"f\0\x2f{\"read_only\":true,\"until\":null,\"status\":\"idle\"}")
            }),
            share(dir.path(), "half", |line| say(line, b"f\0\x2f{\"read_only\"")),
            share(dir.path(), "lies", |line| say(line, b"f\0\x02{}")),
            share(dir.path(), "long", |line| say(line, &[b'x'; 60_000])),
            share(dir.path(), "gone", drop),
            FoundShare { owner: 0, name: "none".parse().unwrap(), path: dir.path().join("none") },
        ];
        let answers = query_all(&shares, Instant::now() + Duration::from_millis(1500)).unwrap();
        let honest = ShareFacts { read_only: true, until: None, status: "idle".into() };
        let nothing = || ShareAnswer::Nothing;
        assert_eq!(
            answers,
            [
                ShareAnswer::Silence,
                ShareAnswer::Facts(honest),
                ShareAnswer::Silence,
                nothing(),
                nothing(),
                nothing(),
                nothing()
            ]
        );
    }

    #[test]
    fn listener_of_a_foreign_user_is_not_queried() {
        let dir = tempfile::tempdir().unwrap();
        let mut found = share(dir.path(), "a", |line| say(line, b"f\0\x02{}"));
        found.owner += 1;
        assert_eq!(
            query_all(&[found], Instant::now() + Duration::from_secs(5)).unwrap(),
            [ShareAnswer::Nothing]
        );
    }
}
