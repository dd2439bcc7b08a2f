//! Keeps the number of running agents under the cap: the least recently used idle one is put to sleep.

use crate::env::Env;
use crate::error::Error;
use crate::failpoint;
use crate::manager::lifecycle::Lifecycle;
use crate::manager::lifecycle::hibernate::can_sleep;
use crate::manager::status::StatusTracker;
use crate::manager::status::lookup::is_in_terminal;
use crate::model::{Agent, AgentName, AgentRecord};
use crate::rules::lifecycle::evict::{Eviction, surplus, yet_to_come};
use crate::store::Place;

/// What those are told who find an agent asleep.
const MADE_ROOM: &str = "it was put to sleep to make room for another; it wakes when it is needed";

impl Lifecycle<'_> {
    /// Makes room for one more agent and keeps it until the place is given back: between the count and the start
    /// nobody else gets it. One that is counted already needs none.
    pub(in crate::manager) fn make_room(&self, record: &AgentRecord) -> Result<Option<Place>, Error> {
        let max = self.0.config()?.max_agents;
        let Some(max) = max.filter(|_| !self.is_counted(record)) else { return Ok(None) };
        let gate = self.0.store.lock_room()?;
        let starting = self.0.store.starting(&gate)?;
        let unwritten = starting.iter().filter(|name| !self.is_written(name)).count();
        let others = (max as usize).checked_sub(unwritten + 1);
        let fits = others.map(|others| self.0.store.live_at_most(others)).transpose()?.flatten();
        failpoint::reached("room.counted");
        if fits != Some(true) {
            // Counted anew, and both from one reading: who is written down meanwhile would count twice.
            self.evict(Some(&starting))?;
            // One that could have slept may be held by somebody.
            let records = self.0.store.read(Env::now())?;
            let live = || records.iter().filter(|record| record.status.status.is_live());
            let (live, starting) =
                (live().count(), yet_to_come(&starting, live().map(|record| &record.name)));
            if live + starting + 1 > max as usize {
                return Err(Error::Full { live, starting, max });
            }
        }
        Ok(Some(self.0.store.take_place(&record.name, &gate)?))
    }

    fn is_written(&self, name: &str) -> bool {
        let found = name.parse().ok().and_then(|name| self.0.store.find(&name, Env::now()).ok().flatten());
        found.is_some_and(|record| record.status.status.is_live())
    }

    fn is_counted(&self, record: &AgentRecord) -> bool {
        let written = self.0.store.find(&record.name, Env::now()).ok().flatten();
        written.is_some_and(|written| written.id == record.id && written.status.status.is_live())
    }

    /// Puts to sleep what is over the cap all the same: it was lowered, or more came back than there was room for.
    pub fn evict_surplus(&self) -> Result<Vec<AgentName>, Error> {
        let max = self.0.settings().max_agents;
        let is_over = |live: usize| max.is_some_and(|max| live > max as usize);
        if !self.0.store.count_live()?.is_some_and(is_over) {
            return Ok(vec![]);
        }
        let _gate = self.0.store.lock_room()?;
        match self.evict(None) {
            // None of them can sleep now; that is no news.
            Err(Error::Full { .. }) => Ok(vec![]),
            other => other,
        }
    }

    /// Puts to sleep what is over the cap, or would be with one more and those that are being started; says whom.
    fn evict(&self, starting: Option<&[String]>) -> Result<Vec<AgentName>, Error> {
        let max = self.0.config()?.max_agents;
        let agents = StatusTracker(self.0).survey()?.agents;
        let kinds = self.0.kinds()?;
        let may = |agent: &Agent| {
            !is_in_terminal(agent) && kinds.get(&agent.kind).is_some_and(|kind| can_sleep(&agent.kind, kind))
        };
        let live = agents.iter().filter(|agent| agent.status.is_live()).map(|agent| &agent.name);
        let starting = starting.map(|names| yet_to_come(names, live));
        let incoming = starting.map_or(0, |starting| starting + 1);
        match surplus(&agents, max, u32::try_from(incoming).unwrap_or(u32::MAX), &may) {
            Eviction::Room => Ok(vec![]),
            Eviction::Full { live, max } => {
                Err(Error::Full { live, starting: starting.unwrap_or_default(), max })
            }
            Eviction::Hibernate(names) => {
                let mut asleep = Vec::new();
                for name in names {
                    // Not waited for: whoever holds it may be waiting for room itself.
                    let Some(lock) = self.0.store.try_lock_agent(&name, "hibernate")? else { continue };
                    match self.hibernate_locked(&name, MADE_ROOM, lock) {
                        Ok(_) => asleep.push(name),
                        // It has got something to do meanwhile.
                        Err(Error::CannotSleep { .. } | Error::InTerminal { .. } | Error::Busy { .. }) => {}
                        Err(other) => return Err(other),
                    }
                }
                Ok(asleep)
            }
        }
    }
}
