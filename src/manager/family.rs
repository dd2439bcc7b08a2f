//! Parents and children: the parent of a new agent, the limits on spawning, and the descendants of an agent.

#[cfg(test)]
mod tests;

use crate::base::plural::counted;
use crate::error::Error;
use crate::manager::Context;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::model::{AgentName, AgentRecord, ChildLimits};
use crate::rules::lifecycle::spawn_limits::{is_there, refusal};
use crate::rules::lifecycle::tree;
use crate::store::{StartLock, StartSlots};

/// Parents and children of agents.
#[derive(Clone, Copy)]
pub struct Family<'a>(pub &'a Context);

impl Family<'_> {
    /// Returns the parent of a new agent: the named agent, or else the agent in whose process tree this command runs.
    pub(in crate::manager) fn parent(&self, named: Option<&AgentName>) -> Result<Option<AgentName>, Error> {
        match named {
            Some(name) => self.0.record(name, "show").map(|record| Some(record.name)),
            None => Ok(self.0.calling_agent()?.map(|record| record.name)),
        }
    }

    /// Returns an error if one more agent would exceed `max_instances` of its spec or the limits of its ancestors.
    pub(in crate::manager) fn check_spawn_limits(
        &self,
        chosen: &LaunchPlan,
        parent: Option<&AgentName>,
    ) -> Result<(), Error> {
        if chosen.spec.max_instances.is_none() && parent.is_none() {
            return Ok(());
        }
        let records = self.0.store.read(self.0.now())?;
        self.refuse_instance(&records, &chosen.spec.name, chosen.spec.max_instances)?;
        let ancestors = self.ancestors(&records, parent);
        let is_child = |record: &&AgentRecord| record.parent.as_ref() == parent && is_there(record);
        let children = records.iter().filter(is_child).count();
        match refusal(&ancestors, children) {
            Some(what) => Err(Error::too_many(what, &[])),
            None => Ok(()),
        }
    }

    /// Locks the start slots until the new agent is recorded, so that two spawns cannot both pass the limits. Returns
    /// `None` if no limit applies.
    pub(in crate::manager) fn lock_instance_count(
        &self,
        chosen: &LaunchPlan,
        parent: Option<&AgentName>,
    ) -> Result<Option<StartLock>, Error> {
        let is_counted = chosen.spec.max_instances.is_some() || parent.is_some();
        Ok(is_counted.then(|| StartSlots(&self.0.store).lock()).transpose()?)
    }

    /// Returns an error if other agents of the same spec have filled `max_instances` since this agent ended.
    pub(in crate::manager) fn check_instance_limit(&self, record: &AgentRecord) -> Result<(), Error> {
        let spec = LaunchPlanner(self.0).spawn_manifest(&record.name).and_then(|note| note.spec);
        let Some(max) = spec.and_then(|spec| spec.max_instances).filter(|_| !is_there(record)) else {
            return Ok(());
        };
        self.refuse_instance(&self.0.store.read(self.0.now())?, &record.spec, Some(max))
    }

    fn refuse_instance(&self, records: &[AgentRecord], spec: &str, max: Option<u32>) -> Result<(), Error> {
        let of_spec = records.iter().filter(|record| record.spec == spec && is_there(record));
        let there: Vec<AgentName> = of_spec.map(|record| record.name.clone()).collect();
        match max.filter(|max| there.len() >= *max as usize) {
            Some(max) => {
                let what = format!(
                    "spec `{spec}` may have {} at once (`max_instances`)",
                    counted(max, "agent", "agents")
                );
                Err(Error::too_many(what, &there))
            }
            None => Ok(()),
        }
    }

    /// Returns the parent and its ancestors, nearest first, each with its spawn limits.
    fn ancestors(
        &self,
        records: &[AgentRecord],
        parent: Option<&AgentName>,
    ) -> Vec<(AgentName, ChildLimits)> {
        let mut ancestors: Vec<(AgentName, ChildLimits)> = Vec::new();
        let mut next = parent;
        while let Some(record) = next.and_then(|name| records.iter().find(|record| record.name == *name)) {
            if ancestors.iter().any(|(name, _)| *name == record.name) {
                break;
            }
            let limits = LaunchPlanner(self.0)
                .spawn_manifest(&record.name)
                .and_then(|note| note.spec)
                .map(|spec| spec.limits);
            ancestors.push((record.name.clone(), limits.unwrap_or_default()));
            next = record.parent.as_ref();
        }
        ancestors
    }

    /// Returns all running descendants of these agents.
    pub fn descendants(&self, of: &[AgentName]) -> Result<Vec<AgentName>, Error> {
        if !self.0.store.may_be_parents(of)? {
            return Ok(vec![]);
        }
        let records = self.0.store.read(self.0.now())?;
        let runs = |record: &AgentRecord| record.status.status.is_live();
        let mut below = tree::descendants(&records, of);
        below.retain(|name| records.iter().any(|record| record.name == *name && runs(record)));
        Ok(below)
    }
}
