//! Agents that other users share with this user: listing them and attaching to them.

use std::time::{Duration, Instant};

use crate::env::Env;
use crate::error::Error;
use crate::manager::sharing::Sharing;
use crate::model::{AgentName, SharedAgent, Status};
use crate::process;
use crate::share::{Answer, Facts, Found, Hello, Place, Search, ShareError, ask, visit};

pub use crate::share::{Left, Want};

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
        let Search { found, is_whole } = Place::all_for(Env::uid(), begun + SEARCH);
        let answers =
            ask(&found, begun + DISCOVERY_TIMEOUT).map_err(Error::io("cannot ask what is shared"))?;
        let heard: Vec<(Found, Answer)> =
            found.into_iter().zip(answers).filter(|(_, answer)| *answer != Answer::Nothing).collect();
        let owners = process::user_names(heard.iter().map(|(found, _)| found.owner));
        let (mut agents, mut silent) = (Vec::new(), Vec::new());
        for (found, answer) in heard {
            let owner = owners.get(&found.owner).cloned().unwrap_or_else(|| found.owner.to_string());
            let name = found.name.to_string();
            match answer {
                Answer::Facts(Facts { read_only, until, status }) => {
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
    pub fn visit(&self, owner: &str, name: &AgentName, want: Want) -> Result<Left, Error> {
        let uid = process::user_id(owner).ok_or_else(|| Error::NoSuchUser { name: owner.to_owned() })?;
        let term =
            self.0.env.var("TERM").and_then(|term| term.to_str()).unwrap_or("xterm-256color").to_owned();
        // The real size is read when the terminal is attached.
        let mut hello = Hello::new(want, &term, (80, 24));
        hello.within_tmux = self.0.is_within_tmux();
        match visit(&Place::of(uid, Env::uid()), uid, name, hello) {
            Err(ShareError::NoDoor { .. }) => Err(Error::NotShared { what: format!("{owner}/{name}") }),
            Err(ShareError::Silent { after }) => {
                Err(Error::DoorSilent { what: format!("{owner}/{name}"), after })
            }
            other => Ok(other?),
        }
    }

    /// Returns whether a user name is that of the current user. Fails for an unknown user.
    pub fn is_us(&self, user: &str) -> Result<bool, Error> {
        let uid = process::user_id(user).ok_or_else(|| Error::NoSuchUser { name: user.to_owned() })?;
        Ok(uid == Env::uid())
    }
}
