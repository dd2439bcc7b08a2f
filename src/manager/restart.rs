//! `agent restart`: ends an agent's processes and starts it again in the same pane, with the same conversation
//! or afresh.

use std::time::{Duration, Instant};

use super::Manager;
use super::resume::{Again, Resumed, Watch};
use super::spawn::Body;
use crate::error::Error;
use crate::model::{AgentName, AgentRecord};
use crate::rules::opening;
use crate::rules::status::PLAIN_COMMAND;

/// How long tmux may take to see that a process has ended.
const NOTICED: Duration = Duration::from_secs(2);

/// Whether the conversation is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Afresh {
    /// Go on with it.
    No,
    /// Begin a new one, with the program and arguments as they are today.
    Yes,
}

impl Manager {
    /// Ends it if need be, and starts it again.
    pub fn restart(&self, name: &AgentName, afresh: Afresh, grace: Duration) -> Result<Resumed, Error> {
        let lock = self.store.lock_agent(name, "restart")?;
        let mut record = self.record(name, "restart")?;
        self.end_processes(&record, grace, &lock)?;
        let pane = self.pane_left_behind(&record)?;
        let kind = self.kind_of(&record)?;
        let opening = match afresh {
            Afresh::No => return self.resume_into(record, pane, Watch::Settle, &lock),
            Afresh::Yes => opening::first(&kind.conversation, uuid::Uuid::new_v4().to_string()),
        };
        if record.kind != PLAIN_COMMAND {
            let dir = self.working_directory(Some(record.working_directory.as_ref()))?;
            record.command = self.chosen(&Body::Spec(Some(record.kind.clone())), &dir)?.command;
        }
        record.conversation.begun = false;
        self.start_again(record, Again { kind: &kind, opening, pane, watch: Watch::Settle }, &lock)
    }

    /// The pane whose process was just ended. tmux learns of that a moment later than we do.
    fn pane_left_behind(&self, record: &AgentRecord) -> Result<Option<String>, Error> {
        let begun = Instant::now();
        loop {
            match self.own_pane(record)? {
                Some(pane) if pane.dead.is_none() && begun.elapsed() < NOTICED => {}
                pane => return Ok(pane.map(|pane| pane.pane)),
            }
        }
    }
}
