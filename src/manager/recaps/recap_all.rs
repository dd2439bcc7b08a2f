//! `recap` without a name: events of all agents and tasks since the user last saw a digest.

use jiff::{SignedDuration, Timestamp};

use crate::error::Error;
use crate::manager::recaps::Recaps;
use crate::manager::status::StatusTracker;
use crate::manager::tasks::{TaskFilter, Tasks};
use crate::model::{AgentRecord, Digest, TaskState};
use crate::rules::report::recap_all::{DigestAgent, digest, needs_a_person};

/// The file in `run/` with the time of the last digest that was shown to a user.
const DIGEST_SEEN: &str = "_digest-seen";
/// The period of the first digest.
const FIRST_DIGEST_SPAN: SignedDuration = SignedDuration::from_hours(24);

impl Recaps<'_> {
    /// Returns the events since a time; without one, since the last digest that was seen, or of the last day.
    pub fn digest(&self, since: Option<Timestamp>) -> Result<Digest, Error> {
        // Statuses are updated before they are reported.
        let current_agents = StatusTracker(self.0).current_agents()?;
        StatusTracker(self.0).keep_tmux_error(current_agents.silence);
        let now = self.0.now();
        let first = now.checked_sub(FIRST_DIGEST_SPAN).unwrap_or(now);
        let since = since.or_else(|| self.digest_seen()).unwrap_or(first).min(now);
        let over = [TaskState::Done, TaskState::Failed, TaskState::Cancelled];
        let filter = TaskFilter { states: over.to_vec(), since: Some(since), ..TaskFilter::default() };
        let tasks = Tasks(self.0).task_list(&filter)?;
        let mut agents = Vec::new();
        for record in self.0.store.read(now)? {
            // Git is queried only for agents that have new events.
            let worked = tasks.iter().any(|task| task.agent == Some(record.id));
            if worked || is_touched(&record, since) {
                let recap = self.recap_of(&record, since.max(record.created_at))?;
                agents.push(DigestAgent { id: record.id, project: record.project.clone(), recap });
            }
        }
        Ok(digest(agents, tasks, (since, now)))
    }

    /// Records that the user has seen everything up to this time.
    pub fn note_digest_seen(&self, until: Timestamp) -> Result<(), Error> {
        Ok(self.0.store.write_run(DIGEST_SEEN, until.to_string().as_bytes())?)
    }

    fn digest_seen(&self) -> Option<Timestamp> {
        String::from_utf8(self.0.store.read_run(DIGEST_SEEN)?).ok()?.trim().parse().ok()
    }
}

/// Returns whether an agent may have done something since a time, or needs the user.
fn is_touched(record: &AgentRecord, since: Timestamp) -> bool {
    let times = [Some(record.status.since), record.last_activity, record.started_at, record.last_attached];
    needs_a_person(record.status.status) || times.into_iter().flatten().any(|at| at >= since)
}
