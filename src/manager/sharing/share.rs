//! `agent share`: gives one user of this machine access to one agent.
//!
//! The share is stored with the agent. A separate process in a session of our tmux server accepts the guest's
//! connections, and ends when the share expires, independently of all other clients.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::env::{AGENT_ID, Env, HOME};
use crate::error::Error;
use crate::failpoint;
use crate::manager::access::Access;
use crate::manager::access::unshare::Closed;
use crate::manager::sharing::Sharing;
use crate::manager::sharing::listener::owner;
use crate::manager::status::StatusTracker;
use crate::model::{Agent, AgentName, Share};
use crate::process;
use crate::rules::access::share::{time_left, with, without};
use crate::share::{Place, ShareError};
use crate::tmux::GuestMay;

/// Time limit for a listener to open.
const OPENING: Duration = Duration::from_secs(10);
/// Pause between two checks while a listener opens.
const OPEN_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Arguments of `agent share`.
#[derive(Debug, Clone, Copy)]
pub struct ShareRequest<'a> {
    /// The agent to share.
    pub name: &'a AgentName,
    /// The user name of the guest.
    pub with: &'a str,
    /// The permissions of the guest.
    pub may: GuestMay,
    /// Duration of the share. `None` means until it is ended.
    pub lasts: Option<Duration>,
}

/// Result of `agent share`.
#[derive(Debug)]
pub struct Shared {
    /// The granted share.
    pub share: Share,
    /// The name that the guest passes to `agent attach`.
    pub address: String,
    /// Restrictions of this system that the user should know.
    pub remarks: Vec<String>,
}

impl Sharing<'_> {
    /// Shares an agent with another user.
    pub fn share(&self, request: ShareRequest<'_>) -> Result<Shared, Error> {
        if self.0.env.var(AGENT_ID).is_some() {
            return Err(Error::Unsafe {
                what: "agents are shared by people, and this is an agent's terminal".into(),
                hint: "run it in a terminal of your own".into(),
            });
        }
        let since = Env::now();
        let until = request.lasts.map(|lasts| ends_at(since, lasts)).transpose()?;
        let _lock = self.0.store.lock_agent(request.name, "share")?;
        let agent = StatusTracker(self.0).running(request.name, "share")?;
        let uid = self.colleague(request.with)?;
        let place = Place::of(Env::uid(), uid);
        let is_fenced = place.prepare()?;
        self.make_way(&agent.name, uid, &place)?;
        let read_only = request.may == GuestMay::Watch;
        let share = Share { with: request.with.to_owned(), uid, read_only, since, until };
        Access(self.0)
            .write_shares(&agent.name, with(Access(self.0).written_shares(&agent.name), share.clone()))?;
        failpoint::reached("share.noted");
        if let Err(error) = self.open_door(&agent, &share, &place) {
            let _ = Access(self.0).close_doors(&agent.name, Some(uid), &[], Closed::default());
            Access(self.0)
                .write_shares(&agent.name, without(Access(self.0).written_shares(&agent.name), uid))?;
            return Err(error);
        }
        let mut remarks = Vec::new();
        if !is_fenced {
            remarks.push(
                "/tmp keeps no access lists: others can see that there is a door, and are turned away at it"
                    .into(),
            );
        }
        if !self.0.tmux()?.has_access_list() {
            remarks.push(format!(
                "tmux {} has no `server-access`: the modes of directories alone keep others from your server",
                self.0.tmux()?.version()
            ));
        }
        Ok(Shared { share, address: format!("{}/{}", owner(), agent.name), remarks })
    }

    /// Returns the user id of another user of this machine.
    fn colleague(&self, name: &str) -> Result<u32, Error> {
        let uid = process::user_id(name).ok_or_else(|| Error::NoSuchUser { name: name.to_owned() })?;
        if uid == Env::uid() {
            return Err(Error::Usage {
                what: format!("`{name}` is you, and all your agents are yours"),
                hint: Some("`symposium agent attach NAME`, from as many terminals as you like".into()),
            });
        }
        Ok(uid)
    }

    /// Closes an existing listener for this guest, so that the new share replaces it.
    fn make_way(&self, name: &AgentName, uid: u32, place: &Place) -> Result<(), Error> {
        let closed = Access(self.0).close_doors(name, Some(uid), &[], Closed::default())?;
        if !closed.is_open() && !place.answers(name) {
            return Ok(());
        }
        let address = place.door(name);
        Err(Error::Unsafe {
            what: format!("another door is open at {}", address.display()),
            hint: "another environment of yours may share an agent of that name: `symposium env list`".into(),
        })
    }

    fn open_door(&self, agent: &Agent, share: &Share, place: &Place) -> Result<(), Error> {
        let exe = self.0.own_program().to_string_lossy().into_owned();
        let home = self.0.home.path.to_string_lossy().into_owned();
        let (id, uid) = (agent.id.to_string(), share.uid.to_string());
        let words = [&exe, "--home", &home, "share-door", agent.name.as_str(), &id, &uid];
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let mut env = self.0.env.for_supervisor();
        env.push((HOME.into(), self.0.home.path.clone().into()));
        self.0.tmux()?.start_door(&agent.name, share.uid, &words, &env)?;
        let deadline = Instant::now() + OPENING;
        while !place.answers(&agent.name) {
            if Instant::now() > deadline {
                let (name, with) = (agent.name.clone(), share.with.clone());
                return Err(Error::ShareNotReady { name, with, after: OPENING });
            }
            std::thread::sleep(OPEN_CHECK_INTERVAL);
        }
        Ok(())
    }

    /// Returns the current shares of an agent, without those that expired or ended with a reboot.
    pub fn shares(&self, name: &AgentName) -> Vec<Share> {
        let now = Env::now();
        let mut shares = Access(self.0).written_shares(name);
        shares.retain(|share| Place::of(Env::uid(), share.uid).answers(name));
        // The share that an open listener reports takes precedence over the stored one.
        let kept = self.0.store.doors(name).unwrap_or_default().into_iter().filter_map(|door| door.share);
        shares = kept.fold(shares, with);
        shares.retain(|share| time_left(share, now).is_some());
        shares
    }
}

/// Returns the end of a share with this duration.
fn ends_at(since: Timestamp, lasts: Duration) -> Result<Timestamp, Error> {
    let until = SignedDuration::try_from(lasts).ok().and_then(|lasts| since.checked_add(lasts).ok());
    until.filter(|until| *until > since).ok_or_else(|| Error::Usage {
        what: "that is no time for which something can be shared".into(),
        hint: Some("`--for 2h`, or without it until `symposium agent unshare`".into()),
    })
}

impl From<ShareError> for Error {
    fn from(error: ShareError) -> Error {
        match error {
            ShareError::Unsafe { .. } => Error::Unsafe {
                what: error.to_string(),
                hint: "another user may have created it: ask that user, or have an administrator remove it"
                    .into(),
            },
            ShareError::NoDoor { path } => Error::NotShared { what: path.display().to_string() },
            ShareError::Silent { after } => Error::DoorSilent { what: "the door".into(), after },
            ShareError::Refused { why } => Error::NotShared { what: why },
            ShareError::File { doing, path, source } => {
                Error::Io { what: format!("cannot {doing} {}", path.display()), source }
            }
        }
    }
}
