//! `agent share`: gives one user of this machine access to one agent.
//!
//! The share is stored with the agent. A separate process in a session of our tmux server accepts the guest's
//! connections, and ends when the share expires, independently of all other clients.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::env::{AGENT_ID, Env, HOME};
use crate::error::{Code, Error, seconds, shown};
use crate::failpoint;
use crate::manager::access::Access;
use crate::manager::access::unshare::Closed;
use crate::manager::sharing::Sharing;
use crate::manager::sharing::listener::owner;
use crate::manager::status::AgentLookup;
use crate::model::{Agent, AgentName, Share};
use crate::process;
use crate::rules::access::share_expiry::{time_left, with, without};
use crate::share::{ShareDir, ShareError};
use crate::store::{AgentLocks, ShareLocks};
use crate::tmux::GuestPermission;

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
    pub may: GuestPermission,
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
            return Err(Error::not_safe("only a user can share an agent, and this is an agent's terminal")
                .hint("run the command in a terminal of your own"));
        }
        let since = self.0.now();
        let until = request.lasts.map(|lasts| ends_at(since, lasts)).transpose()?;
        let _lock = AgentLocks(&self.0.store).lock(request.name, "share")?;
        let agent = AgentLookup(self.0).running(request.name, "share")?;
        let uid = self.user_id_of(request.with)?;
        let share_dir = ShareDir::of(Env::uid(), uid);
        let is_fenced = share_dir.prepare()?;
        self.close_earlier_listener(&agent.name, uid, &share_dir)?;
        let read_only = request.may == GuestPermission::Watch;
        let share = Share { with: request.with.to_owned(), uid, read_only, since, until };
        Access(self.0)
            .write_shares(&agent.name, with(Access(self.0).written_shares(&agent.name), share.clone()))?;
        failpoint::reached("share.noted");
        if let Err(error) = self.start_listener(&agent, &share, &share_dir) {
            let _ = Access(self.0).close_listeners(&agent.name, Some(uid), &[], Closed::default());
            Access(self.0)
                .write_shares(&agent.name, without(Access(self.0).written_shares(&agent.name), uid))?;
            return Err(error);
        }
        ShareLocks(&self.0.store).announce();
        let mut remarks = Vec::new();
        if !is_fenced {
            remarks.push(
                "/tmp has no access control lists: other users can see that a share exists, but cannot use it"
                    .into(),
            );
        }
        if !self.0.tmux()?.has_access_list() {
            remarks.push(format!(
                "tmux {} has no `server-access`: only the modes of directories protect your server from other users",
                self.0.tmux()?.version()
            ));
        }
        Ok(Shared { share, address: format!("{}/{}", owner(), agent.name), remarks })
    }

    /// Returns the user id of another user of this machine.
    fn user_id_of(&self, name: &str) -> Result<u32, Error> {
        let uid = process::user_id(name).ok_or_else(|| Error::no_such_user(name))?;
        if uid == Env::uid() {
            return Err(Error::usage(format!(
                "`{name}` is your own user, who can already attach to all of your agents"
            ))
            .hint("`symposium agent attach NAME`, from as many terminals as you like"));
        }
        Ok(uid)
    }

    /// Closes an existing listener for this guest, so that the new share replaces it.
    fn close_earlier_listener(&self, name: &AgentName, uid: u32, share_dir: &ShareDir) -> Result<(), Error> {
        let closed = Access(self.0).close_listeners(name, Some(uid), &[], Closed::default())?;
        if !closed.is_open() && !share_dir.has_listener(name) {
            return Ok(());
        }
        let address = share_dir.socket_path(name);
        Err(Error::not_safe(format!("another share listens at {}", address.display()))
            .hint("another environment of yours may share an agent of that name: `symposium env list`"))
    }

    fn start_listener(&self, agent: &Agent, share: &Share, share_dir: &ShareDir) -> Result<(), Error> {
        let exe = self.0.own_program().to_string_lossy().into_owned();
        let home = self.0.home.path.to_string_lossy().into_owned();
        let (id, uid) = (agent.id.to_string(), share.uid.to_string());
        let words = [&exe, "--home", &home, "share-door", agent.name.as_str(), &id, &uid];
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let mut env = self.0.env.for_supervisor();
        env.push((HOME.into(), self.0.home.path.clone().into()));
        self.0.tmux()?.start_share_session(&agent.name, share.uid, &words, &env)?;
        let deadline = Instant::now() + OPENING;
        while !share_dir.has_listener(&agent.name) {
            if Instant::now() > deadline {
                let (name, with) = (agent.name.clone(), share.with.clone());
                return Err(Error::new(
                    Code::ShareNotReady,
                    format!(
                        "the share of `{name}` for {} was not ready within {}",
                        shown(&with),
                        seconds(OPENING)
                    ),
                )
                .saw("the agent is not shared")
                .hint("`symposium doctor` checks tmux; on a busy machine, try again"));
            }
            std::thread::sleep(OPEN_CHECK_INTERVAL);
        }
        Ok(())
    }

    /// Adds the shares of this machine's agents. Agents that were never shared cost nothing.
    pub fn add_shares(&self, agents: &mut [Agent]) {
        let may_be_shared = ShareLocks(&self.0.store).agents_with_shares();
        for agent in agents.iter_mut().filter(|agent| agent.host.is_none()) {
            if may_be_shared.contains(agent.name.as_str()) {
                agent.shares = self.shares(&agent.name);
            }
        }
    }

    /// Returns the current shares of an agent, without those that expired or ended with a reboot.
    pub fn shares(&self, name: &AgentName) -> Vec<Share> {
        let now = self.0.now();
        let mut shares = Access(self.0).written_shares(name);
        shares.retain(|share| ShareDir::of(Env::uid(), share.uid).has_listener(name));
        // The share that an open listener reports takes precedence over the stored one.
        let kept = ShareLocks(&self.0.store)
            .open_shares(name)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|share| share.share);
        shares = kept.fold(shares, with);
        shares.retain(|share| time_left(share, now).is_some());
        shares
    }
}

/// Returns the end of a share with this duration.
fn ends_at(since: Timestamp, lasts: Duration) -> Result<Timestamp, Error> {
    let until = SignedDuration::try_from(lasts).ok().and_then(|lasts| since.checked_add(lasts).ok());
    until.filter(|until| *until > since).ok_or_else(|| {
        Error::usage("the duration of a share must be positive")
            .hint("`--for 2h`; without it, the share lasts until `symposium agent unshare`")
    })
}

impl From<ShareError> for Error {
    fn from(error: ShareError) -> Error {
        match error {
            ShareError::Unsafe { .. } => Error::not_safe(error.to_string())
                .hint("another user may have created it: ask that user, or have an administrator remove it"),
            ShareError::NotShared { path } => Error::not_shared(&path.display().to_string()),
            ShareError::Silent { after } => Error::share_timed_out("the shared agent", after),
            ShareError::File { doing, path, source } => {
                Error::io(format!("cannot {doing} {}", path.display()))(source)
            }
        }
    }
}
