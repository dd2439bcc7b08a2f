//! Forwards questions and approval requests of a child to its parent as mail, in addition to the notice to the user.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::ledger::MessageQuery;
use crate::manager::maintenance::{Maintenance, Notifications};
use crate::manager::messages::Messages;
use crate::manager::messages::mail::signature;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::LaunchPlanner;
use crate::model::{AgentName, AgentRecord, EventKind, Recipient, Status};
use crate::rules::tasks::forwarded_question::asks;

/// The name of this module's ledger cursor.
const READER: &str = "bubbles";

impl Maintenance<'_> {
    /// Forwards the questions of children. Returns the children whose question was sent.
    pub fn forward_questions(&self) -> Result<Vec<AgentName>, Error> {
        let settled = Notifications(self.0).announceable_rows(READER, &BTreeSet::new())?;
        let rows = settled.ready;
        let is_wait = |what: &EventKind| matches!(what, EventKind::Status { to: Status::Waiting, .. });
        let mut sent = Vec::new();
        if rows.iter().any(|(_, event)| is_wait(&event.what)) {
            let records = self.0.store.read(self.0.now())?;
            for (_, event) in rows.iter().filter(|(_, event)| is_wait(&event.what)) {
                let child = records.iter().find(|record| record.id == event.agent);
                let parent = child.and_then(|child| child.parent.as_ref());
                let parent = parent.and_then(|name| records.iter().find(|record| record.name == *name));
                if let (Some(child), Some(parent)) = (child, parent)
                    && self.send_up(child, parent)?
                {
                    sent.push(child.name.clone());
                }
            }
        }
        if !sent.is_empty() {
            crate::failpoint::reached("bubble.sent");
        }
        // The cursor is stored last: if a row is read again, its message is found to be sent already.
        if let Some(cursor) = settled.cursor {
            RegistryWriter(self.0).with_ledger(|ledger| ledger.set_cursor(READER, cursor))?;
        }
        Ok(sent)
    }

    fn send_up(&self, child: &AgentRecord, parent: &AgentRecord) -> Result<bool, Error> {
        let tier = LaunchPlanner(self.0)
            .spawn_manifest(&child.name)
            .and_then(|note| note.spec)
            .and_then(|spec| spec.shell_tier);
        let Some(text) = asks(child, tier) else { return Ok(false) };
        // A child whose mail would look like the user's sends none. The user gets the notice in any case.
        if signature(Some(child)).is_err() {
            return Ok(false);
        }
        let to = Recipient::Agent(parent.id, parent.name.clone());
        let since = MessageQuery {
            to: Some(&to),
            from: Some(child.name.as_str()),
            since: Some(child.status.since),
            ..MessageQuery::default()
        };
        if RegistryWriter(self.0)
            .with_ledger(|ledger| ledger.messages(&since))?
            .iter()
            .any(|message| message.text == text)
        {
            return Ok(false);
        }
        Messages(self.0).send_to(child, to, text)?;
        Ok(true)
    }
}
