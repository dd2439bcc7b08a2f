//! `recap` without a name: events of all agents and tasks since the user last saw a digest.

use jiff::{SignedDuration, Timestamp};

use crate::error::Error;
use crate::manager::recaps::Recaps;
use crate::manager::status::StatusTracker;
use crate::manager::tasks::{TaskFilter, Tasks};
use crate::model::{AgentRecord, Digest, TaskState};
use crate::rules::report::digest::{DigestAgent, digest};
use crate::rules::status::attention::needs_user;
use crate::store::RunFiles;

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
        let since = since.unwrap_or_else(|| self.default_start()).min(now);
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

    /// Records that the user has seen a digest. One that begins after the last digest that was seen leaves a gap, and
    /// changes nothing, so that the next digest without a time still reports what happened in the gap.
    pub fn note_digest_seen(&self, digest: &Digest) -> Result<(), Error> {
        if digest.since > self.default_start() {
            return Ok(());
        }
        Ok(RunFiles(&self.0.store).write(DIGEST_SEEN, digest.until.to_string().as_bytes())?)
    }

    /// Returns the beginning of a digest without a given time: the last digest that was seen, or a day ago.
    fn default_start(&self) -> Timestamp {
        let now = self.0.now();
        let first = || now.checked_sub(FIRST_DIGEST_SPAN).unwrap_or(now);
        self.digest_seen().unwrap_or_else(first).min(now)
    }

    fn digest_seen(&self) -> Option<Timestamp> {
        String::from_utf8(RunFiles(&self.0.store).read(DIGEST_SEEN)?).ok()?.trim().parse().ok()
    }
}

/// Returns whether an agent may have done something since a time, or needs the user.
fn is_touched(record: &AgentRecord, since: Timestamp) -> bool {
    let times = [Some(record.status.since), record.last_activity, record.started_at, record.last_attached];
    let note = &record.status;
    needs_user(note.status, note.waiting_for, note.failure())
        || times.into_iter().flatten().any(|at| at >= since)
}
