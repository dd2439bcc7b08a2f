//! `agent wait`: returns when an agent has a given status. Changes of the registry trigger a check, so tmux is not
//! polled; a check at a slow interval covers a hook that could not run.

use std::time::{Duration, Instant};

use crate::error::Error;
use crate::failpoint;
use crate::manager::status::{AgentLookup, StatusTracker};
use crate::manager::terminal::AgentWatch;
use crate::model::{Agent, AgentName, Status};
use crate::rules::status::will_return::is_over;
use crate::store::{AgentLocks, Watches};

/// Interval of the fallback check, for an event that never arrived: a full disk, a binary that is being replaced.
const FALLBACK_CHECK_INTERVAL: Duration = Duration::from_secs(3);

/// Interval of checks after the agent has ended while a command holds its lock, because no event reports the end of
/// that command.
const LOCKED_CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// The options of `agent wait`.
#[derive(Debug, Clone)]
pub struct WaitRequest {
    /// Name of the agent to wait for.
    pub name: AgentName,
    /// The statuses that end the wait.
    pub statuses: Vec<Status>,
    /// The timeout; without one, the wait ends when the agent ends.
    pub timeout: Option<Duration>,
}

impl AgentWatch<'_> {
    /// Waits until the agent has one of the statuses.
    pub fn wait(&self, request: &WaitRequest) -> Result<Agent, Error> {
        let begun = Instant::now();
        // No tmux call may outlast the timeout.
        self.0.set_snapshot_deadline(request.timeout.map(|timeout| begun + timeout));
        let watch = Watches(&self.0.store).registry()?;
        // Compared by id: the agent may be renamed, and another agent may get its name.
        let id = match self.0.store.find(&request.name, self.0.now())? {
            Some(record) => record.id,
            None => AgentLookup(self.0).agent(&request.name, "wait")?.id,
        };
        failpoint::reached("wait.looked");
        loop {
            let current_agents = StatusTracker(self.0).current_agents()?;
            let found = current_agents.agents.into_iter().find(|agent| agent.id == id);
            let agent = found.ok_or_else(|| self.0.no_such_agent(&request.name, "wait"))?;
            if request.statuses.contains(&agent.status) {
                return Ok(agent);
            }
            if agent.status == Status::Unknown {
                // Without tmux the status never becomes known.
                self.0.tmux()?;
            }
            let ended = !agent.status.is_live();
            let pause =
                if ended && is_over(&agent) { LOCKED_CHECK_INTERVAL } else { FALLBACK_CHECK_INTERVAL };
            if ended && (request.timeout.is_none() || self.stays_ended(&agent)) {
                let status = format!("{} ({})", agent.status, agent.reason);
                return Err(Error::not_running(&agent.name, status));
            }
            let left = request.timeout.map(|timeout| timeout.saturating_sub(begun.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                let what = missed_status(&agent, &request.statuses, current_agents.silence.as_ref());
                return Err(Error::timed_out(what, begun.elapsed()));
            }
            watch.changed(left.map_or(pause, |left| left.min(pause)));
        }
    }

    /// Returns whether the agent will stay ended: there is no automatic restart, and no command is about to start it.
    fn stays_ended(&self, agent: &Agent) -> bool {
        if !is_over(agent) {
            return false;
        }
        let Ok(Some(_lock)) = AgentLocks(&self.0.store).try_lock(&agent.name, "wait") else { return false };
        // Read again, because the previous holder of the lock may have started the agent.
        let now = self.0.store.find(&agent.name, self.0.now());
        matches!(now, Ok(Some(record)) if record.status.status == agent.status)
    }
}

/// Describes an agent that did not get a status in time, or whose status is not known.
fn missed_status(agent: &Agent, wanted: &[Status], silence: Option<&Error>) -> String {
    let wanted: Vec<_> = wanted.iter().map(ToString::to_string).collect();
    let (name, wanted) = (&agent.name, wanted.join(" or "));
    match silence {
        Some(_) => format!("tmux does not answer, so whether agent `{name}` became {wanted} is not known"),
        None => format!("agent `{name}` is {}, it did not become {wanted}", agent.status),
    }
}
