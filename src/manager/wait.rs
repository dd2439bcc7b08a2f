//! `agent wait`: returns when an agent has a status. Woken by changes of the registry, not by asking tmux again
//! and again; a slow second look covers a hook that could not run.

use std::time::{Duration, Instant};

use super::Manager;
use crate::error::Error;
use crate::model::{Agent, AgentName, Status};

/// Covers an event that never came: a full disk, a binary that is being replaced.
const SECOND_LOOK: Duration = Duration::from_secs(3);

/// What is waited for.
#[derive(Debug, Clone)]
pub struct WaitRequest {
    /// The agent.
    pub name: AgentName,
    /// Any of these.
    pub statuses: Vec<Status>,
    /// How long at most; none means as long as it runs.
    pub timeout: Option<Duration>,
}

impl Manager {
    /// Waits.
    pub fn wait(&self, request: &WaitRequest) -> Result<Agent, Error> {
        let begun = Instant::now();
        let watch = self.store.watch()?;
        loop {
            let agent = self.agent(&request.name, "wait")?;
            if request.statuses.contains(&agent.status) {
                return Ok(agent);
            }
            if request.timeout.is_none() && !agent.status.is_live() {
                let status = format!("{} ({})", agent.status, agent.reason);
                return Err(Error::NotRunning { name: agent.name, status });
            }
            let left = request.timeout.map(|timeout| timeout.saturating_sub(begun.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                let wanted: Vec<_> = request.statuses.iter().map(ToString::to_string).collect();
                return Err(Error::TimedOut {
                    what: format!(
                        "agent `{}` is {}, it did not become {}",
                        agent.name,
                        agent.status,
                        wanted.join(" or ")
                    ),
                    after: begun.elapsed(),
                });
            }
            watch.changed(left.map_or(SECOND_LOOK, |left| left.min(SECOND_LOOK)));
        }
    }
}
