//! `agent send`: types a prompt into an agent, once, and makes sure that it arrived.
//!
//! Nothing is typed before the agent is seen to be ready and its input line to be empty. Once the text was
//! pasted it is never pasted again; only the Enter behind it is repeated, once, when it was plainly not taken.

use crate::manager::delivery::Delivery;
use crate::manager::delivery::send::SendRequest;
use crate::manager::lifecycle::Lifecycle;
use crate::manager::status::StatusTracker;
use crate::manager::terminal::Terminals;
use crate::manager::workspace::Workspaces;

use std::time::Instant;

use crate::error::Error;
use crate::failpoint;
use crate::model::{AgentRecord, Prompt, Status};

/// How often one is woken that falls asleep again before its turn comes.
const WAKES: usize = 3;

impl Terminals<'_> {
    /// Delivers a prompt and confirms it; says by what it was confirmed.
    pub fn send(&self, request: &SendRequest) -> Result<&'static str, Error> {
        // What cannot be sent wakes nobody.
        request.text.parse::<Prompt>().map_err(Error::Unsendable)?;
        self.0.tmux()?;
        let is = |record: &AgentRecord, status| record.status.status == status;
        for _ in 0..WAKES {
            Lifecycle(self.0).wake(&request.name)?;
            // Starting an agent that sleeps does not count.
            let begun = Instant::now();
            failpoint::reached("send.woken");
            let record = self.0.record(&request.name, "send")?;
            if !record.status.status.is_live() && !is(&record, Status::Hibernated) {
                StatusTracker(self.0).running(&request.name, "send")?;
            }
            // Whoever puts it to sleep has this turn until it sleeps, and cannot begin while we have it.
            Workspaces(self.0).ensure_directory(&request.name)?;
            let left = request.timeout.saturating_sub(begun.elapsed());
            let turn = self.0.store.lock_typing_within(&request.name, left)?;
            if !is(&self.0.record(&request.name, "send")?, Status::Hibernated) {
                // The wait for others who type and the wait for the agent share one timeout.
                let timeout = request.timeout.saturating_sub(begun.elapsed());
                return Delivery(self.0).send_in_turn(&SendRequest { timeout, ..request.clone() }, &turn);
            }
        }
        Err(Error::Busy { name: request.name.clone(), by: "it falls asleep again and again".into() })
    }
}
