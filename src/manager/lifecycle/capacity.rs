//! Keeps the number of running agents within `max_agents` by hibernating the least recently used idle agent.

use crate::error::{Code, Error};
use crate::failpoint;
use crate::manager::lifecycle::hibernate::can_hibernate;
use crate::manager::lifecycle::{Capacity, Hibernation};
use crate::manager::status::StatusTracker;
use crate::manager::status::lookup::is_in_terminal;
use crate::model::{Agent, AgentName, AgentRecord};
use crate::rules::lifecycle::capacity::{CapacityDecision, choose_for_hibernation, yet_to_come};
use crate::store::{AgentLocks, StartSlot, StartSlots};

/// Status reason of an agent that was hibernated because of `max_agents`.
const HIBERNATED_FOR_CAPACITY: &str =
    "it was hibernated to make room for another agent; attaching or sending a prompt resumes it";

impl Capacity<'_> {
    /// Frees capacity for one more agent and reserves a start slot, so that no other start can take it between the count
    /// and the launch. Returns `None` if there is no limit or the agent is already counted.
    pub(in crate::manager) fn acquire_start_slot(
        &self,
        record: &AgentRecord,
    ) -> Result<Option<StartSlot>, Error> {
        let max = self.0.config()?.max_agents;
        let Some(max) = max.filter(|_| !self.is_counted(record)) else { return Ok(None) };
        let gate = StartSlots(&self.0.store).lock()?;
        let starting = StartSlots(&self.0.store).starting(&gate)?;
        let unwritten = starting.iter().filter(|name| !self.is_written(name)).count();
        let others = (max as usize).checked_sub(unwritten + 1);
        let fits = others.map(|others| self.0.store.live_at_most(others)).transpose()?.flatten();
        failpoint::reached("room.counted");
        if fits != Some(true) {
            // Both numbers are taken again from one read of the registry: an agent that was recorded in the meantime
            // would otherwise count twice.
            self.hibernate_for_capacity(Some(&starting))?;
            // An idle agent may not have been hibernated because another process holds its lock.
            let records = self.0.store.read(self.0.now())?;
            let live = || records.iter().filter(|record| record.status.status.is_live());
            let (live, starting) =
                (live().count(), yet_to_come(&starting, live().map(|record| &record.name)));
            if live + starting + 1 > max as usize {
                return Err(Error::full(live, starting, max));
            }
        }
        Ok(Some(StartSlots(&self.0.store).take(&record.name, &gate)?))
    }

    fn is_written(&self, name: &str) -> bool {
        let found = name.parse().ok().and_then(|name| self.0.store.find(&name, self.0.now()).ok().flatten());
        found.is_some_and(|record| record.status.status.is_live())
    }

    fn is_counted(&self, record: &AgentRecord) -> bool {
        let written = self.0.store.find(&record.name, self.0.now()).ok().flatten();
        written.is_some_and(|written| written.id == record.id && written.status.status.is_live())
    }

    /// Hibernates agents in excess of `max_agents`, which happens when the limit was lowered or more agents were
    /// restored than it permits.
    pub fn hibernate_surplus(&self) -> Result<Vec<AgentName>, Error> {
        let max = self.0.settings().max_agents;
        let is_over = |live: usize| max.is_some_and(|max| live > max as usize);
        if !self.0.store.count_live()?.is_some_and(is_over) {
            return Ok(vec![]);
        }
        let _gate = StartSlots(&self.0.store).lock()?;
        match self.hibernate_for_capacity(None) {
            // No agent can hibernate now. The next call tries again, so this is not an error.
            Err(error) if error.code() == Code::MaxAgentsReached => Ok(vec![]),
            other => other,
        }
    }

    /// Hibernates agents in excess of `max_agents` and returns their names. With `starting`, the count includes these
    /// starts and one more agent.
    fn hibernate_for_capacity(&self, starting: Option<&[String]>) -> Result<Vec<AgentName>, Error> {
        let max = self.0.config()?.max_agents;
        let agents = StatusTracker(self.0).current_agents()?.agents;
        let kinds = self.0.kinds()?;
        let may = |agent: &Agent| {
            !is_in_terminal(agent)
                && kinds.get(&agent.kind).is_some_and(|kind| can_hibernate(&agent.kind, kind))
        };
        let live = agents.iter().filter(|agent| agent.status.is_live()).map(|agent| &agent.name);
        let starting = starting.map(|names| yet_to_come(names, live));
        let incoming = starting.map_or(0, |starting| starting + 1);
        match choose_for_hibernation(&agents, max, u32::try_from(incoming).unwrap_or(u32::MAX), &may) {
            CapacityDecision::Available => Ok(vec![]),
            CapacityDecision::Full { live, max } => Err(Error::full(live, starting.unwrap_or_default(), max)),
            CapacityDecision::Hibernate(names) => {
                let mut asleep = Vec::new();
                for name in names {
                    // Does not wait for the lock: its holder may itself be waiting for capacity.
                    let Some(lock) = AgentLocks(&self.0.store).try_lock(&name, "hibernate")? else {
                        continue;
                    };
                    match Hibernation(self.0).hibernate_locked(&name, HIBERNATED_FOR_CAPACITY, lock) {
                        Ok(_) => asleep.push(name),
                        // The agent became busy since the snapshot.
                        Err(error)
                            if matches!(
                                error.code(),
                                Code::CannotHibernate | Code::InTerminal | Code::Busy
                            ) => {}
                        Err(other) => return Err(other),
                    }
                }
                Ok(asleep)
            }
        }
    }
}
