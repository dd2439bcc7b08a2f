//! Finds agents that work without a sign of life, says so, and starts them again only where that was asked for.

use std::time::Duration;

use jiff::Timestamp;

use super::Manager;
use super::reconcile::target_of;
use crate::env::Env;
use crate::error::Error;
use crate::model::{Agent, AgentName, RestartPolicy, Status, StatusNote, What};
use crate::process;
use crate::rules::hang::{is_hung, is_too_soon};

/// How such a reason begins.
const HUNG: &str = "no sign of life";
/// How long a hung one gets to leave.
const GRACE: Duration = Duration::from_secs(5);

impl Manager {
    /// Looks at the agents that work; says who was found to hang just now. Of what was before `steady_since` the
    /// clock says nothing: the machine may have slept, and the agents with it.
    pub fn find_hung(
        &self,
        agents: &[Agent],
        steady_since: Option<Timestamp>,
    ) -> Result<Vec<AgentName>, Error> {
        let mut found = Vec::new();
        for agent in agents.iter().filter(|agent| agent.status == Status::Working && !is_marked(agent)) {
            let after = self.kinds()?.get(&agent.kind).map_or(0, |kind| kind.hang_after_s);
            let after = Duration::from_secs(after);
            if steady_since.is_some_and(|since| is_too_soon(since, after, Env::now())) {
                continue;
            }
            // Its children are looked for only when the rest says so: that reads all of /proc.
            if after.is_zero() || !is_hung(agent, 0, after, Env::now()) || self.has_children(agent)? {
                continue;
            }
            if self.note_hung(agent, after)? {
                found.push(agent.name.clone());
            }
        }
        Ok(found)
    }

    fn has_children(&self, agent: &Agent) -> Result<bool, Error> {
        let record = self.record(&agent.name, "look at")?;
        let all = process::tree(&target_of(&record)).map_err(Error::io("cannot look at processes"))?;
        Ok(all.len() > 1)
    }

    fn note_hung(&self, agent: &Agent, after: Duration) -> Result<bool, Error> {
        let minutes = after.as_secs() / 60;
        let why = format!("{HUNG}: no output and no child process for {minutes} min");
        let written = self.write(|edit| {
            let mut record = edit.get(&agent.name).ok().flatten()?;
            if record.status.status != Status::Working || record.status.since != agent.status_since {
                return None;
            }
            record.status = StatusNote::new(Status::Working, record.status.since, &why);
            Some(edit.put(record))
        })?;
        let Some(record) = written else { return Ok(false) };
        self.happened(&record, What::Hung, why);
        if self.config()?.restart.hung && record.restart.policy != RestartPolicy::No {
            self.restart(&record.name, super::Afresh::No, GRACE)?;
        }
        Ok(true)
    }
}

fn is_marked(agent: &Agent) -> bool {
    agent.reason.starts_with(HUNG)
}
