//! Watches processes with pidfd and epoll and reports exits, from a thread that sleeps until one occurs.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// Set of processes that are watched until they end.
pub struct ExitWatcher {
    epoll: Arc<OwnedFd>,
    watched: Arc<Mutex<HashMap<i32, OwnedFd>>>,
}

impl ExitWatcher {
    /// Creates an empty set. `ended` is called when processes of the set end.
    pub fn new(ended: impl Fn() + Send + 'static) -> io::Result<ExitWatcher> {
        let epoll = Arc::new(epoll::create(CreateFlags::CLOEXEC)?);
        let watched: Arc<Mutex<HashMap<i32, OwnedFd>>> = Arc::default();
        let (own_epoll, own_watched) = (Arc::clone(&epoll), Arc::clone(&watched));
        thread::Builder::new().name("exits".into()).spawn(move || {
            let mut events: Vec<Event> = Vec::with_capacity(16);
            loop {
                events.clear();
                match epoll::wait(&own_epoll, rustix::buffer::spare_capacity(&mut events), None) {
                    Err(Errno::INTR) => continue,
                    Err(_) => return,
                    Ok(_) => {}
                }
                let mut watched = own_watched.lock().unwrap_or_else(PoisonError::into_inner);
                for event in &events {
                    let pid = i32::try_from(event.data.u64()).unwrap_or_default();
                    if let Some(handle) = watched.remove(&pid) {
                        let _ = epoll::delete(&own_epoll, &handle);
                    }
                }
                drop(watched);
                ended();
            }
        })?;
        Ok(ExitWatcher { epoll, watched })
    }

    /// Replaces the set of watched processes. Reports a process that is already a zombie at once.
    pub fn watch(&self, pids: &[i32]) -> io::Result<()> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped: Vec<i32> = watched.keys().copied().filter(|pid| !pids.contains(pid)).collect();
        for pid in dropped {
            if let Some(handle) = watched.remove(&pid) {
                let _ = epoll::delete(&self.epoll, &handle);
            }
        }
        for &pid in pids.iter().filter(|pid| **pid > 0) {
            if watched.contains_key(&pid) {
                continue;
            }
            // A process without a pidfd has ended; the next snapshot shows that.
            let Some(handle) = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
            else {
                continue;
            };
            epoll::add(&self.epoll, &handle, EventData::new_u64(pid.unsigned_abs().into()), EventFlags::IN)?;
            watched.insert(pid, handle);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::process::testing::Child;

    #[test]
    fn exit_is_reported_once_and_only_for_watched_processes() {
        let (sender, receiver) = mpsc::channel();
        let exits = ExitWatcher::new(move || sender.send(()).unwrap_or_default()).unwrap();
        let start = || Child::start("echo up; exec sleep 1000");
        let (watched, other) = (start(), start());
        exits.watch(&[watched.pid()]).unwrap();
        drop(other);
        assert!(receiver.try_recv().is_err());
        drop(watched);
        receiver.recv_timeout(Duration::from_secs(10)).expect("the exit is reported");
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err(), "once");
    }
}
