//! Agents that other users share with this user: listing them and attaching to them.

use std::time::{Duration, Instant};

use crate::env::Env;
use crate::error::Error;
use crate::manager::sharing::Sharing;
use crate::model::{AgentName, SharedAgent, Status};
use crate::process;
use crate::share::{
    FoundShare, GuestHello, ShareAnswer, ShareDir, ShareError, ShareFacts, ShareSearch, attach_as_guest,
    query_all,
};

pub use crate::share::{ConnectPurpose, DisconnectReason};

/// The prefix key of a guest, which the guest's own process reads.
pub const GUEST_PREFIX: &str = "C-b";

/// Time limit for finding and querying all shares of other users, and the part of it for finding them.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(1);
const SEARCH: Duration = Duration::from_millis(500);

/// Agents that other users share with this user.
#[derive(Debug)]
pub struct IncomingShares {
    /// The shares that answered.
    pub agents: Vec<SharedAgent>,
    /// The shares that did not answer, as `OWNER/NAME`.
    pub silent: Vec<String>,
    /// Whether the search was complete; if not, there may be more shares.
    pub is_whole: bool,
    /// The time limit that was used.
    pub waited: Duration,
}

impl Sharing<'_> {
    /// Finds all agents that other users share with this user. Shares that do not answer do not delay the others.
    pub fn shared_with_us(&self) -> Result<IncomingShares, Error> {
        let begun = Instant::now();
        let ShareSearch { found, is_complete: is_whole } = ShareDir::all_for(Env::uid(), begun + SEARCH);
        let answers =
            query_all(&found, begun + DISCOVERY_TIMEOUT).map_err(Error::io("cannot list shared agents"))?;
        let answers: Vec<(FoundShare, ShareAnswer)> =
            found.into_iter().zip(answers).filter(|(_, answer)| *answer != ShareAnswer::Nothing).collect();
        let owners = process::user_names(answers.iter().map(|(found, _)| found.owner));
        let (mut agents, mut silent) = (Vec::new(), Vec::new());
        for (found, answer) in answers {
            let owner = owners.get(&found.owner).cloned().unwrap_or_else(|| found.owner.to_string());
            let name = found.name.to_string();
            match answer {
                ShareAnswer::Facts(ShareFacts { read_only, until, status }) => {
                    // The text is from another user, so anything but a known status is replaced.
                    let status =
                        status.parse::<Status>().map_or_else(|_| "unknown".into(), |s| s.to_string());
                    agents.push(SharedAgent { owner, name, read_only, until, status });
                }
                _ => silent.push(format!("{owner}/{name}")),
            }
        }
        agents.sort_by(|a, b| (&a.owner, &a.name).cmp(&(&b.owner, &b.name)));
        silent.sort();
        Ok(IncomingShares { agents, silent, is_whole, waited: DISCOVERY_TIMEOUT })
    }

    /// Attaches this terminal to an agent of another user.
    pub fn attach_guest(
        &self,
        owner: &str,
        name: &AgentName,
        want: ConnectPurpose,
    ) -> Result<DisconnectReason, Error> {
        let uid = process::user_id(owner).ok_or_else(|| Error::no_such_user(owner))?;
        let term =
            self.0.env.var("TERM").and_then(|term| term.to_str()).unwrap_or("xterm-256color").to_owned();
        // The real size is read when the terminal is attached.
        let mut hello = GuestHello::new(want, &term, (80, 24));
        hello.within_tmux = self.0.own_tmux_takes(GUEST_PREFIX);
        match attach_as_guest(&ShareDir::of(uid, Env::uid()), uid, name, hello) {
            Err(ShareError::NotShared { .. }) => Err(Error::not_shared(&format!("{owner}/{name}"))),
            Err(ShareError::Silent { after }) => {
                Err(Error::share_timed_out(&format!("`{owner}/{name}`"), after))
            }
            other => Ok(other?),
        }
    }

    /// Returns whether a user name is that of the current user. Fails for an unknown user.
    pub fn is_us(&self, user: &str) -> Result<bool, Error> {
        let uid = process::user_id(user).ok_or_else(|| Error::no_such_user(user))?;
        Ok(uid == Env::uid())
    }
}
