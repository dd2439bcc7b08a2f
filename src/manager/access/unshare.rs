//! `agent unshare`: closes the listeners of shares and disconnects their guests.
//!
//! Open listeners are found through their processes, through tmux and through the stored shares: all three, because
//! none of them is complete. The processes are ended first, because that needs no answer from another process, in
//! particular not from tmux.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::env::Env;
use crate::error::{Code, Error, shown};
use crate::manager::access::Access;
use crate::manager::error_from::RESUME_SERVER;
use crate::model::{AgentName, Share};
use crate::process;
use crate::share::ShareDir;
use crate::store::{AgentLocks, OpenShare, ShareLocks};

/// Time limit for closing a listener. A killed process is gone within milliseconds.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause between two checks while a listener closes.
const CLOSE_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Result of `agent unshare`.
#[derive(Debug)]
pub struct Unshared {
    /// The shares that ended.
    pub ended: Vec<Share>,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

/// Result of closing the listeners of an agent.
#[derive(Default)]
pub(in crate::manager) struct Closed {
    /// Guests whose listeners are closed, by user id, with their share where it is known.
    guests: BTreeMap<u32, Option<Share>>,
    /// Guests whose listeners may still be open, by user id, with the reason.
    left: BTreeMap<u32, String>,
    /// Why tmux could not be queried.
    silence: Option<Error>,
}

impl Access<'_> {
    /// Ends the shares of an agent, all or those with one user. Guests are disconnected at once, even while another
    /// command holds the lock of the agent; the stored shares are changed once the lock is free.
    pub fn unshare(&self, name: &AgentName, with: Option<&str>) -> Result<Unshared, Error> {
        let guest = with.map(|with| self.guest(name, with)).transpose()?;
        let mut cut = Closed::default();
        self.end_listeners(name, guest, &mut cut)?;
        let mut remarks = Vec::new();
        let closed = match AgentLocks(&self.0.store).lock(name, "unshare") {
            Ok(lock) => {
                let closed = self.end_sharing(name, guest, cut)?;
                let is_known = self.0.store.find(name, self.0.now())?.is_some();
                if !is_known {
                    lock.release_and_remove();
                }
                // The record of the agent may be lost while its listeners are still open.
                if !is_known && closed.is_nothing() {
                    return Err(self.0.no_such_agent(name, "unshare"));
                }
                closed
            }
            Err(busy) if cut.is_nothing() => return Err(busy.into()),
            Err(busy) => {
                remarks.push(format!("{busy}; shares were closed without waiting for it"));
                cut.guests.keys().for_each(|uid| ShareDir::of(Env::uid(), *uid).clear(name));
                cut
            }
        };
        if !closed.left.is_empty() {
            return Err(closed.error(name));
        }
        if let (Some(with), true) = (with, closed.guests.is_empty()) {
            return Err(Error::not_shared_with(name, with));
        }
        if let Some(silence) = &closed.silence {
            remarks.push(format!("{silence}; shares were closed by ending their processes"));
        }
        let mut ended = Vec::new();
        for (uid, share) in closed.guests {
            let with = user(uid);
            ended.push(share.unwrap_or_else(|| {
                remarks.push(format!("whether {with} had been permitted to type is not known"));
                Share { with, uid, read_only: false, since: self.0.now(), until: None }
            }));
        }
        Ok(Unshared { ended, remarks })
    }

    /// Returns the user id of a guest, from the user name at the time of the share, the current user name or the
    /// number.
    fn guest(&self, name: &AgentName, with: &str) -> Result<u32, Error> {
        let kept = ShareLocks(&self.0.store).open_shares(name)?.into_iter().filter_map(|share| share.share);
        let known = kept.chain(self.written_shares(name)).find(|share| share.with == with);
        known
            .map(|share| share.uid)
            .or_else(|| process::user_id(with))
            .or_else(|| with.parse().ok())
            .ok_or_else(|| Error::not_shared_with(name, with))
    }

    /// Ends all shares of an agent that ends or is renamed. The caller holds the agent's lock.
    pub(in crate::manager) fn end_shares(&self, name: &AgentName) {
        if !self.may_be_shared(name) {
            return;
        }
        match self.end_sharing(name, None, Closed::default()) {
            Ok(closed) if !closed.left.is_empty() => self.0.notice(closed.error(name).to_string()),
            Ok(closed) if closed.guests.is_empty() => {}
            Ok(closed) => self.0.notice(format!("`{name}` is no longer shared with {}", closed.names())),
            Err(error) => self.0.notice(format!("cannot determine with whom `{name}` is shared: {error}")),
        }
    }

    /// Returns whether the agent may be shared. Reads a few files and queries no other process.
    pub(in crate::manager) fn may_be_shared(&self, name: &AgentName) -> bool {
        ShareDir::is_any_of(Env::uid())
            || ShareLocks(&self.0.store).open_shares(name).is_ok_and(|open_shares| !open_shares.is_empty())
            || !self.written_shares(name).is_empty()
    }

    /// Closes listeners, in addition to those in `cut`, and updates the stored shares.
    fn end_sharing(&self, name: &AgentName, guest: Option<u32>, cut: Closed) -> Result<Closed, Error> {
        let is_meant = |share: &Share| guest.is_none_or(|guest| guest == share.uid);
        let (meant, others): (Vec<Share>, Vec<Share>) =
            self.written_shares(name).into_iter().partition(is_meant);
        // The file is written first, because a listener that is starting reads it again before it opens. On a full disk
        // the listeners are closed nevertheless, and the outdated file opens none.
        if !meant.is_empty() {
            let _ = self.write_shares(name, others.clone());
        }
        let closed = self.close_listeners(name, guest, &meant, cut)?;
        ShareLocks(&self.0.store).announce();
        let left: Vec<Share> =
            meant.into_iter().filter(|share| closed.left.contains_key(&share.uid)).collect();
        if !left.is_empty() {
            let _ = self.write_shares(name, [others, left].concat());
        }
        Ok(closed)
    }

    /// Closes the listeners of an agent, all or those of one guest. Every connection ends with the process of its
    /// listener.
    pub(in crate::manager) fn close_listeners(
        &self,
        name: &AgentName,
        guest: Option<u32>,
        written: &[Share],
        mut closed: Closed,
    ) -> Result<Closed, Error> {
        let is_meant = |uid: u32| guest.is_none_or(|guest| guest == uid);
        // Listeners that exceeded the time limit before and have ended since.
        for (uid, _) in std::mem::take(&mut closed.left) {
            if ShareLocks(&self.0.store).open_share(name, uid).is_none() {
                closed.guests.entry(uid).or_default();
            }
        }
        let own = self.end_listeners(name, guest, &mut closed)?;
        match self.close_sessions(name, is_meant) {
            Ok(guests) => {
                for uid in guests {
                    closed.guests.entry(uid).or_default();
                }
                closed.left.retain(|uid, _| ShareLocks(&self.0.store).open_share(name, *uid).is_some());
            }
            Err(error) => closed.silence = Some(error),
        }
        for share in written {
            // This listener was not found, and without an answer from tmux it may still be open.
            if let Some(silence) = &closed.silence
                && !closed.guests.contains_key(&share.uid)
                && ShareDir::of(Env::uid(), share.uid).has_listener(name)
            {
                closed.left.insert(share.uid, silence.to_string());
            }
            if let Some(known) = closed.guests.get_mut(&share.uid) {
                known.get_or_insert_with(|| share.clone());
            }
        }
        for uid in closed.guests.keys().copied().chain(written.iter().map(|share| share.uid)) {
            ShareDir::of(Env::uid(), uid).clear(name);
        }
        let _ = ShareLocks(&self.0.store).remove_unused(name);
        self.forget_guests(name, &closed);
        if let Some(share) = own {
            // This process is itself the listener that noticed the end of the agent.
            ShareDir::of(Env::uid(), share.guest).remove(name);
            self.end_listener(name, share.guest);
        }
        Ok(closed)
    }

    /// Removes the guests of closed listeners from tmux. A killed listener did not report that its guests left, and a
    /// later terminal may have the same name as theirs.
    fn forget_guests(&self, name: &AgentName, closed: &Closed) {
        let Ok(tmux) = self.0.tmux() else { return };
        for (uid, share) in closed.guests.iter().filter(|_| closed.silence.is_none()) {
            let with = share.as_ref().map_or_else(|| user(*uid), |share| share.with.clone());
            let _ = tmux.forget_guests_of(name, &with);
        }
    }

    /// Ends the listener processes, which needs no answer from another process. Returns the listener that this process
    /// serves.
    fn end_listeners(
        &self,
        name: &AgentName,
        guest: Option<u32>,
        closed: &mut Closed,
    ) -> Result<Option<OpenShare>, Error> {
        let mut own = None;
        for share in ShareLocks(&self.0.store).open_shares(name)? {
            if guest.is_some_and(|guest| guest != share.guest) {
                continue;
            }
            if share.listener == i32::try_from(std::process::id()).ok() {
                own = Some(share);
            } else if self.end_listener(name, share.guest) {
                closed.guests.insert(share.guest, share.share);
            } else {
                let pid = share.listener.map(|pid| pid.to_string()).unwrap_or_default();
                closed.left.insert(share.guest, format!("its process {pid} does not end"));
            }
        }
        Ok(own)
    }

    /// Ends the process of a listener. Returns false if it does not end in time.
    fn end_listener(&self, name: &AgentName, guest: u32) -> bool {
        let deadline = Instant::now() + CLOSE_TIMEOUT;
        while let Some(share) = ShareLocks(&self.0.store).open_share(name, guest) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            if let Some(pid) = share.listener {
                let is_it = || {
                    ShareLocks(&self.0.store)
                        .open_share(name, guest)
                        .is_some_and(|share| share.listener == Some(pid))
                };
                let _ = process::end_at_once(pid, is_it, left);
            }
            std::thread::sleep(CLOSE_CHECK_INTERVAL);
        }
        true
    }

    /// Ends the tmux sessions of listeners and returns the user ids of their guests.
    fn close_sessions(&self, name: &AgentName, is_meant: impl Fn(u32) -> bool) -> Result<Vec<u32>, Error> {
        let tmux = self.0.tmux()?;
        let mut guests = tmux.share_guests(name)?;
        guests.retain(|uid| is_meant(*uid));
        let deadline = Instant::now() + CLOSE_TIMEOUT;
        for &uid in &guests {
            tmux.stop_share_session(name, uid)?;
            // The listener process notices the end of its session a moment later.
            while ShareDir::of(Env::uid(), uid).has_listener(name) && Instant::now() < deadline {
                std::thread::sleep(CLOSE_CHECK_INTERVAL);
            }
        }
        Ok(guests)
    }
}

impl Closed {
    /// Returns whether no listener was found.
    fn is_nothing(&self) -> bool {
        self.guests.is_empty() && self.left.is_empty()
    }

    /// Returns whether a listener may still be open.
    pub(in crate::manager) fn is_open(&self) -> bool {
        !self.left.is_empty()
    }

    /// Returns the names of the guests whose listeners are closed.
    fn names(&self) -> String {
        self.guests.keys().copied().map(user).collect::<Vec<_>>().join(", ")
    }

    /// Returns the error for listeners that may still be open.
    fn error(&self, name: &AgentName) -> Error {
        let guests: Vec<String> = self.left.keys().map(|uid| user(*uid)).collect();
        let failures = self
            .left
            .iter()
            .map(|(uid, why)| format!("the share for {} could not be ended: {why}", shown(&user(*uid))));
        Error::new(
            Code::StillShared,
            format!("`{name}` may still be shared with {}", shown(&guests.join(", "))),
        )
        .saw_all(failures)
        .saw_all((!self.guests.is_empty()).then(|| format!("closed: {}", shown(&self.names()))))
        .hint(RESUME_SERVER)
        .hint(format!("then run `symposium agent unshare {name}` again"))
    }
}

fn user(uid: u32) -> String {
    process::user_name(uid).unwrap_or_else(|| uid.to_string())
}
