//! `agent send`: types a prompt into an agent once and verifies that it arrived.
//!
//! Nothing is typed before the agent is seen to be ready and its input line is empty. The text is pasted only once;
//! only the Enter after it is repeated, once, if the screen shows that it had no effect.

use std::time::Instant;

use crate::error::Error;
use crate::failpoint;
use crate::manager::delivery::Delivery;
use crate::manager::delivery::send::SendRequest;
use crate::manager::lifecycle::Hibernation;
use crate::manager::status::AgentLookup;
use crate::manager::terminal::AgentInput;
use crate::manager::workspace::Workspaces;
use crate::model::{AgentRecord, Prompt, Status};
use crate::store::AgentLocks;

/// How often an agent is woken that hibernates again before the prompt is typed.
const WAKES: usize = 3;

impl AgentInput<'_> {
    /// Delivers a prompt. Returns the evidence that it was accepted.
    pub fn send(&self, request: &SendRequest) -> Result<&'static str, Error> {
        // Checked first, so that invalid text does not wake an agent.
        request.text.parse::<Prompt>().map_err(Error::unsendable)?;
        self.0.tmux()?;
        let is = |record: &AgentRecord, status| record.status.status == status;
        for _ in 0..WAKES {
            Hibernation(self.0).wake(&request.name)?;
            // The time that it takes to wake a hibernated agent does not count.
            let begun = Instant::now();
            failpoint::reached("send.woken");
            let record = self.0.record(&request.name, "send")?;
            if !record.status.status.is_live() && !is(&record, Status::Hibernated) {
                AgentLookup(self.0).running(&request.name, "send")?;
            }
            // A process that hibernates the agent holds this lock until it is done, and cannot begin while it is held
            // here.
            Workspaces(self.0).ensure_directory(&request.name)?;
            let left = request.timeout.saturating_sub(begun.elapsed());
            let turn = AgentLocks(&self.0.store).lock_typing_within(&request.name, left)?;
            if !is(&self.0.record(&request.name, "send")?, Status::Hibernated) {
                // Waiting for the input lock and waiting for the agent share one timeout.
                let timeout = request.timeout.saturating_sub(begun.elapsed());
                return Delivery(self.0).send_in_turn(&SendRequest { timeout, ..request.clone() }, &turn);
            }
        }
        Err(Error::busy(&request.name, "it was hibernated again before the prompt could be sent"))
    }
}
