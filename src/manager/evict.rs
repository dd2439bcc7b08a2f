//! Keeps the number of running agents under the cap: the least recently used idle one is put to sleep.

use super::Manager;
use super::hibernate::can_sleep;
use crate::env::Env;
use crate::error::Error;
use crate::model::{Agent, AgentName, AgentRecord};
use crate::rules::evict::{Eviction, surplus};
use crate::store::Place;

/// What those are told who find an agent asleep.
const MADE_ROOM: &str = "it was put to sleep to make room for another; it wakes when it is needed";

impl Manager {
    /// Makes room for one more agent and keeps it until the place is given back: between the count and the start
    /// nobody else gets it. One that is counted already needs none.
    pub(super) fn make_room(&self, record: &AgentRecord) -> Result<Option<Place>, Error> {
        let max = self.config()?.max_agents;
        let Some(max) = max.filter(|_| !self.is_counted(record)) else { return Ok(None) };
        let gate = self.store.lock_room()?;
        let starting = self.store.starting(&gate)?;
        let starting = starting.iter().filter(|name| !self.is_written(name)).count();
        let is_tight = |live| live + starting + 1 > max as usize;
        let others = (max as usize).checked_sub(starting + 1);
        let fits = others.map(|others| self.store.live_at_most(others)).transpose()?.flatten();
        if fits != Some(true) {
            let incoming = u32::try_from(starting).unwrap_or(u32::MAX).saturating_add(1);
            self.evict(incoming).map_err(|error| match error {
                Error::Full { live, max, .. } => Error::Full { live, starting, max },
                other => other,
            })?;
            // One that could have slept may be held by somebody.
            match self.store.count_live()? {
                Some(live) if is_tight(live) => return Err(Error::Full { live, starting, max }),
                _ => {}
            }
        }
        Ok(Some(self.store.take_place(&record.name, &gate)?))
    }

    fn is_written(&self, name: &str) -> bool {
        let found = name.parse().ok().and_then(|name| self.store.find(&name, Env::now()).ok().flatten());
        found.is_some_and(|record| record.status.status.is_live())
    }

    fn is_counted(&self, record: &AgentRecord) -> bool {
        let written = self.store.find(&record.name, Env::now()).ok().flatten();
        written.is_some_and(|written| written.id == record.id && written.status.status.is_live())
    }

    /// Puts to sleep what is over the cap all the same: it was lowered, or more came back than there was room for.
    pub fn evict_surplus(&self) -> Result<Vec<AgentName>, Error> {
        let max = self.settings().max_agents;
        let is_over = |live: usize| max.is_some_and(|max| live > max as usize);
        if !self.store.count_live()?.is_some_and(is_over) {
            return Ok(vec![]);
        }
        let _gate = self.store.lock_room()?;
        match self.evict(0) {
            // None of them can sleep now; that is no news.
            Err(Error::Full { .. }) => Ok(vec![]),
            other => other,
        }
    }

    /// Puts to sleep what is over the cap; says whom.
    fn evict(&self, incoming: u32) -> Result<Vec<AgentName>, Error> {
        let max = self.config()?.max_agents;
        let agents = self.survey()?.agents;
        let kinds = self.kinds()?;
        let may = |agent: &Agent| kinds.get(&agent.kind).is_some_and(|kind| can_sleep(&agent.kind, kind));
        match surplus(&agents, max, incoming, &may) {
            Eviction::Room => Ok(vec![]),
            Eviction::Full { live, max } => Err(Error::Full { live, starting: 0, max }),
            Eviction::Hibernate(names) => {
                let mut asleep = Vec::new();
                for name in names {
                    // Not waited for: whoever holds it may be waiting for room itself.
                    let Some(lock) = self.store.try_lock_agent(&name, "hibernate")? else { continue };
                    match self.hibernate_locked(&name, MADE_ROOM, lock) {
                        Ok(_) => asleep.push(name),
                        // It has got something to do meanwhile.
                        Err(Error::CannotSleep { .. } | Error::Busy { .. }) => {}
                        Err(other) => return Err(other),
                    }
                }
                Ok(asleep)
            }
        }
    }
}
