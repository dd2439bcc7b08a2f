//! Queries many shares at once. Their listeners may belong to any user: the queries together take no longer than the
//! deadline, however many do not answer, and the length of an answer is limited.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::connect;
use super::directory::Found;
use super::frame::{Facts, Frame, Hello, Incoming, Want};

/// Result of querying one share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Facts about the shared agent.
    Facts(Facts),
    /// No process listens there, or its answer is invalid.
    Nothing,
    /// No answer arrived in time.
    Silence,
}

/// A share that has been queried.
struct Asked {
    at: usize,
    line: UnixStream,
    incoming: Incoming,
}

/// Queries these shares until the deadline. Returns one answer for each.
pub fn ask(doors: &[Found], until: Instant) -> io::Result<Vec<Answer>> {
    let mut answers = vec![Answer::Nothing; doors.len()];
    let mut open = Vec::with_capacity(doors.len());
    for (at, door) in doors.iter().enumerate() {
        match knock(door) {
            Ok(line) => open.push(Asked { at, line, incoming: Incoming::default() }),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => answers[at] = Answer::Silence,
            Err(_) => {}
        }
    }
    while !open.is_empty() && Instant::now() < until {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        let mut fds: Vec<PollFd<'_>> =
            open.iter().map(|asked| PollFd::from_borrowed_fd(asked.line.as_fd(), PollFlags::IN)).collect();
        match poll(&mut fds, Some(&left)) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<_>>().into_iter();
        open.retain_mut(|asked| {
            if ready.next() != Some(true) {
                return true;
            }
            let heard = asked.hear();
            let goes_on = heard.is_none();
            answers[asked.at] = heard.unwrap_or(Answer::Nothing);
            goes_on
        });
    }
    for asked in open {
        answers[asked.at] = Answer::Silence;
    }
    Ok(answers)
}

fn knock(door: &Found) -> io::Result<UnixStream> {
    let mut line = connect::at_once(&door.path)?;
    if connect::listener(&line)? != door.owner {
        return Err(io::Error::other("another process listens there"));
    }
    let mut hello = Vec::new();
    Hello::new(Want::Ask, "dumb", (80, 24)).write(&mut hello)?;
    line.write_all(&hello)?;
    Ok(line)
}

impl Asked {
    /// Returns the answer if it is complete.
    fn hear(&mut self) -> Option<Answer> {
        let is_open = match self.incoming.take(&mut self.line) {
            Ok(is_open) => is_open,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
            Err(_) => return Some(Answer::Nothing),
        };
        match self.incoming.next() {
            Ok(None) if is_open => None,
            Ok(Some(Frame::Facts(bytes))) => {
                Some(serde_json::from_slice(&bytes).map_or(Answer::Nothing, Answer::Facts))
            }
            _ => Some(Answer::Nothing),
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
    fn door(dir: &std::path::Path, name: &str, meet: fn(UnixStream)) -> Found {
        let path = dir.join(name);
        let listener = UnixListener::bind(&path).unwrap();
        std::thread::spawn(move || meet(listener.accept().unwrap().0));
        Found { owner: rustix::process::getuid().as_raw(), name: name.parse().unwrap(), path }
    }

    fn say(mut line: UnixStream, text: &[u8]) {
        let _ = Hello::read(&mut line);
        let _ = line.write_all(text);
        // Wait until the other side has closed the connection.
        let _ = line.read(&mut [0]);
    }

    #[test]
    fn each_door_is_heard_and_none_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let doors = [
            door(dir.path(), "silent", |line| say(line, b"")),
            door(dir.path(), "honest", |line| {
                say(line, b"f\0\x2f{\"read_only\":true,\"until\":null,\"status\":\"idle\"}")
            }),
            door(dir.path(), "half", |line| say(line, b"f\0\x2f{\"read_only\"")),
            door(dir.path(), "lies", |line| say(line, b"f\0\x02{}")),
            door(dir.path(), "long", |line| say(line, &[b'x'; 60_000])),
            door(dir.path(), "gone", drop),
            Found { owner: 0, name: "none".parse().unwrap(), path: dir.path().join("none") },
        ];
        let answers = ask(&doors, Instant::now() + Duration::from_millis(1500)).unwrap();
        let honest = Facts { read_only: true, until: None, status: "idle".into() };
        let nothing = || Answer::Nothing;
        assert_eq!(
            answers,
            [
                Answer::Silence,
                Answer::Facts(honest),
                Answer::Silence,
                nothing(),
                nothing(),
                nothing(),
                nothing()
            ]
        );
    }

    #[test]
    fn whoever_is_not_the_owner_is_not_asked() {
        let dir = tempfile::tempdir().unwrap();
        let mut found = door(dir.path(), "a", |line| say(line, b"f\0\x02{}"));
        found.owner += 1;
        assert_eq!(ask(&[found], Instant::now() + Duration::from_secs(5)).unwrap(), [Answer::Nothing]);
    }
}
