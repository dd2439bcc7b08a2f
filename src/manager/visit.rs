//! What others share with us: what there is, and attaching to it.

use super::Manager;
use crate::env::Env;
use crate::error::Error;
use crate::model::{AgentName, SharedAgent, Status};
use crate::process;
pub use crate::share::{Left, Want};
use crate::share::{Place, ask, visit};

impl Manager {
    /// Everything that others share with us and that answers.
    pub fn shared_with_us(&self) -> Vec<SharedAgent> {
        let found = Place::all_for(Env::uid());
        let asked = std::thread::scope(|scope| {
            let asked: Vec<_> = found.iter().map(|found| scope.spawn(move || ask(found))).collect();
            asked.into_iter().map(|asked| asked.join().ok().flatten()).collect::<Vec<_>>()
        });
        let lines = found.into_iter().zip(asked).filter_map(|(found, facts)| {
            let facts = facts?;
            Some(SharedAgent {
                owner: process::user_name(found.owner).unwrap_or_else(|| found.owner.to_string()),
                name: found.name.to_string(),
                read_only: facts.read_only,
                until: facts.until,
                // One of our words, or none: it was somebody else who said it.
                status: facts.status.parse::<Status>().map_or_else(|_| "unknown".into(), |s| s.to_string()),
            })
        });
        lines.collect()
    }

    /// Puts this terminal on an agent of somebody else's.
    pub fn visit(&self, owner: &str, name: &AgentName, want: Want) -> Result<Left, Error> {
        let uid = process::user_id(owner).ok_or_else(|| Error::NoSuchUser { name: owner.to_owned() })?;
        let term = self.env.var("TERM").and_then(|term| term.to_str()).unwrap_or("xterm-256color").to_owned();
        match visit(&Place::of(uid, Env::uid()), uid, name, (want, &term)) {
            Err(crate::share::ShareError::NoDoor { .. }) => {
                Err(Error::NotShared { what: format!("{owner}/{name}") })
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
