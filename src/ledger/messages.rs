//! The table of messages. A message is kept until its recipient has read it, and survives a power failure.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Row, params, params_from_iter};
use uuid::Uuid;

use super::tasks::NO_AGENT;
use super::{Durability, Ledger, LedgerError};
use crate::model::{AgentId, Message, MessageId, MessageState, NewMessage, Recipient};

const COLUMNS: &str =
    "id, at, sender, recipient, recipient_name, project, text, wake, state, changed_at, why";

/// The selection of messages for a query.
#[derive(Debug, Clone, Copy, Default)]
pub struct MessageQuery<'a> {
    /// Only messages to this recipient.
    pub to: Option<&'a Recipient>,
    /// Only messages from this sender.
    pub from: Option<&'a str>,
    /// Only messages in one of these states; an empty slice selects all states.
    pub states: &'a [MessageState],
    /// Only messages that were sent at this time or later.
    pub since: Option<Timestamp>,
    /// Only this number of the newest messages.
    pub newest: Option<usize>,
}

impl Ledger {
    /// Stores new messages, either all of them or none, and returns their ids.
    pub fn add_messages(
        &self,
        messages: &[NewMessage],
        now: Timestamp,
    ) -> Result<Vec<MessageId>, LedgerError> {
        self.write(Durability::Work, |change| {
            let mut insert = change.prepare(
                "INSERT INTO messages (at, sender, recipient, recipient_name, project, text, wake, state, changed_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'waiting', ?1)",
            )?;
            let mut ids = Vec::new();
            for message in messages {
                let (id, name) = of(&message.to);
                insert.execute(params![
                    now.as_microsecond(),
                    message.from,
                    id,
                    name,
                    message.project,
                    message.text,
                    message.wake,
                ])?;
                ids.push(MessageId(change.last_insert_rowid()));
            }
            Ok(ids)
        })
    }

    /// Returns messages, oldest first.
    pub fn messages(&self, query: &MessageQuery<'_>) -> Result<Vec<Message>, LedgerError> {
        let states = words(query.states);
        let to = query.to.map(of);
        let since = query.since.map_or(i64::MIN, Timestamp::as_microsecond);
        let mut which = format!("WHERE state IN ({states}) AND at >= ?1");
        let mut values: Vec<&dyn rusqlite::ToSql> = vec![&since];
        if let Some((id, _)) = &to {
            values.push(id);
            which.push_str(&format!(" AND recipient = ?{}", values.len()));
        }
        if let Some(from) = &query.from {
            values.push(from);
            which.push_str(&format!(" AND sender = ?{}", values.len()));
        }
        let order = if query.newest.is_some() { "DESC" } else { "ASC" };
        let mut found = self.select_messages(
            &format!("{which} ORDER BY id {order}"),
            &values,
            query.newest.unwrap_or(usize::MAX),
        )?;
        if query.newest.is_some() {
            found.reverse();
        }
        Ok(found)
    }

    /// Returns one message, or `None` if there is no message with this id.
    pub fn message(&self, id: MessageId) -> Result<Option<Message>, LedgerError> {
        Ok(self.select_messages("WHERE id = ?1", &[&id.0], 1)?.pop())
    }

    /// Returns the next message that is to be typed into an agent.
    pub fn next_message(&self, agent: AgentId) -> Result<Option<Message>, LedgerError> {
        let which = "WHERE recipient = ?1 AND state = 'waiting' AND wake = 1 ORDER BY id";
        Ok(self.select_messages(which, &[agent.0.as_bytes()], 1)?.pop())
    }

    /// Returns the agents that have messages to be typed in.
    pub fn mail(&self) -> Result<HashSet<AgentId>, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT DISTINCT recipient FROM messages WHERE state = 'waiting' AND wake = 1";
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            let mut recipients = HashSet::new();
            while let Some(row) = rows.next()? {
                recipients.extend(
                    row.get(0).ok().filter(|id| *id != NO_AGENT).map(|id| AgentId(Uuid::from_bytes(id))),
                );
            }
            Ok(recipients)
        })
    }

    /// Moves a message to another state if it is in the expected state, and returns whether it was. If two processes
    /// try this at the same time, one of them succeeds.
    pub fn move_message(
        &self,
        id: MessageId,
        (from, to): (MessageState, MessageState),
        why: &str,
        now: Timestamp,
    ) -> Result<bool, LedgerError> {
        self.write(Durability::Work, |change| {
            let sql =
                "UPDATE messages SET state = ?3, why = ?4, changed_at = ?5 WHERE id = ?1 AND state = ?2";
            let values = params![id.0, from.word(), to.word(), why, now.as_microsecond()];
            Ok(change.prepare(sql)?.execute(values)? > 0)
        })
    }

    /// Returns a message that could not be typed in to the waiting state, in which the agent has to ask for it.
    pub fn park_message(&self, id: MessageId, why: &str, now: Timestamp) -> Result<(), LedgerError> {
        self.write(Durability::Work, |change| {
            let sql = "UPDATE messages SET state = 'waiting', wake = 0, why = ?2, changed_at = ?3
                       WHERE id = ?1 AND state = 'dispatched'";
            change.execute(sql, params![id.0, why, now.as_microsecond()]).map(drop)
        })
    }

    /// Marks all waiting messages of a recipient as read and returns them.
    pub fn take_messages(&self, to: &Recipient, now: Timestamp) -> Result<Vec<Message>, LedgerError> {
        let waiting =
            MessageQuery { to: Some(to), states: &[MessageState::Waiting], ..MessageQuery::default() };
        let mut taken = self.messages(&waiting)?;
        let mut mine = Vec::new();
        for message in &taken {
            let step = (MessageState::Waiting, MessageState::Read);
            if self.move_message(message.id, step, "it was read on request", now)? {
                mine.push(message.id);
            }
        }
        taken.retain(|message| mine.contains(&message.id));
        Ok(taken)
    }

    /// Deletes the undelivered messages of an agent that is being removed.
    pub fn drop_mail(&self, agent: AgentId) -> Result<(), LedgerError> {
        self.write(Durability::Work, |change| {
            let sql = "DELETE FROM messages WHERE recipient = ?1 AND state IN ('waiting', 'dispatched')";
            change.execute(sql, [agent.0.as_bytes()]).map(drop)
        })
    }

    /// Deletes messages that were read before a time and returns their number. Unread messages are kept.
    pub(super) fn forget_messages(&self, before: i64) -> Result<usize, LedgerError> {
        self.write(Durability::History, |change| {
            change.execute("DELETE FROM messages WHERE state = 'read' AND changed_at < ?1", [before])
        })
    }

    fn select_messages(
        &self,
        which: &str,
        values: &[&dyn rusqlite::ToSql],
        most: usize,
    ) -> Result<Vec<Message>, LedgerError> {
        let sql = format!("SELECT {COLUMNS} FROM messages {which}");
        self.read(|connection| {
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query(params_from_iter(values))?;
            let mut found = Vec::new();
            while found.len() < most {
                let Some(row) = rows.next()? else { break };
                found.extend(message(row));
            }
            Ok(found)
        })
    }
}

fn of(recipient: &Recipient) -> ([u8; 16], &str) {
    match recipient {
        Recipient::Agent(id, name) => (*id.0.as_bytes(), name.as_str()),
        Recipient::Person => (NO_AGENT, ""),
    }
}

/// Converts a row to a message, or returns `None` if a value is unknown to this version.
fn message(row: &Row<'_>) -> Option<Message> {
    let recipient: [u8; 16] = row.get(3).ok()?;
    let name: String = row.get(4).ok()?;
    let is_agent = recipient != NO_AGENT;
    let state: String = row.get(8).ok()?;
    Some(Message {
        id: MessageId(row.get(0).ok()?),
        at: Timestamp::from_microsecond(row.get(1).ok()?).ok()?,
        from: row.get(2).ok()?,
        to: if is_agent { Some(name.parse().ok()?) } else { None },
        to_id: is_agent.then(|| AgentId(Uuid::from_bytes(recipient))),
        project: row.get(5).ok()?,
        text: row.get(6).ok()?,
        wake: row.get(7).ok()?,
        state: state.parse().ok()?,
        changed_at: Timestamp::from_microsecond(row.get(9).ok()?).ok()?,
        why: row.get(10).ok()?,
    })
}

fn words(states: &[MessageState]) -> String {
    let states = if states.is_empty() { &MessageState::ALL } else { states };
    states.iter().map(|state| format!("'{state}'")).collect::<Vec<_>>().join(", ")
}
