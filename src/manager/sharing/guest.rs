//! What others share with us: what there is, and attaching to it.

use crate::manager::sharing::Sharing;
use std::time::{Duration, Instant};

use crate::env::Env;
use crate::error::Error;
use crate::model::{AgentName, SharedAgent, Status};
use crate::process;
use crate::share::{Answer, Facts, Found, Hello, Place, Search, ShareError, ask, visit};
pub use crate::share::{Left, Want};

/// How long all that others share may take to be found and asked, and how much of that is for finding.
const PATIENCE: Duration = Duration::from_secs(1);
const SEARCH: Duration = Duration::from_millis(500);

/// What others share with us.
#[derive(Debug)]
pub struct SharedWithUs {
    /// What answers.
    pub agents: Vec<SharedAgent>,
    /// What does not, as `OWNER/NAME`.
    pub silent: Vec<String>,
    /// Whether there may be more than could be asked.
    pub is_whole: bool,
    /// How long was waited.
    pub waited: Duration,
}

impl Sharing<'_> {
    /// Everything that others share with us. Whoever does not answer holds nobody up.
    pub fn shared_with_us(&self) -> Result<SharedWithUs, Error> {
        let begun = Instant::now();
        let Search { found, is_whole } = Place::all_for(Env::uid(), begun + SEARCH);
        let answers = ask(&found, begun + PATIENCE).map_err(Error::io("cannot ask what is shared"))?;
        let heard: Vec<(Found, Answer)> =
            found.into_iter().zip(answers).filter(|(_, answer)| *answer != Answer::Nothing).collect();
        let owners = process::user_names(heard.iter().map(|(found, _)| found.owner));
        let (mut agents, mut silent) = (Vec::new(), Vec::new());
        for (found, answer) in heard {
            let owner = owners.get(&found.owner).cloned().unwrap_or_else(|| found.owner.to_string());
            let name = found.name.to_string();
            match answer {
                Answer::Facts(Facts { read_only, until, status }) => {
                    // One of our words, or none: it was somebody else who said it.
                    let status =
                        status.parse::<Status>().map_or_else(|_| "unknown".into(), |s| s.to_string());
                    agents.push(SharedAgent { owner, name, read_only, until, status });
                }
                _ => silent.push(format!("{owner}/{name}")),
            }
        }
        agents.sort_by(|a, b| (&a.owner, &a.name).cmp(&(&b.owner, &b.name)));
        silent.sort();
        Ok(SharedWithUs { agents, silent, is_whole, waited: PATIENCE })
    }

    /// Puts this terminal on an agent of somebody else's.
    pub fn visit(&self, owner: &str, name: &AgentName, want: Want) -> Result<Left, Error> {
        let uid = process::user_id(owner).ok_or_else(|| Error::NoSuchUser { name: owner.to_owned() })?;
        let term =
            self.0.env.var("TERM").and_then(|term| term.to_str()).unwrap_or("xterm-256color").to_owned();
        // The size is known when the terminal is taken.
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

    /// Whether this user, who must be one, is the one who runs us.
    pub fn is_us(&self, user: &str) -> Result<bool, Error> {
        let uid = process::user_id(user).ok_or_else(|| Error::NoSuchUser { name: user.to_owned() })?;
        Ok(uid == Env::uid())
    }
}
