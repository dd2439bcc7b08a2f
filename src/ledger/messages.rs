//! The table of mail. What was sent is kept until its recipient has it, not even a power cut loses it.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Row, params, params_from_iter};
use uuid::Uuid;

use super::tasks::NOBODY;
use super::{Durability, Ledger, LedgerError};
use crate::model::{AgentId, Message, MessageId, MessageState, NewMessage, Recipient};

const COLUMNS: &str =
    "id, at, sender, recipient, recipient_name, project, text, wake, state, changed_at, why";

/// Which messages are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct MessageQuery<'a> {
    /// To this one only.
    pub to: Option<&'a Recipient>,
    /// From this sender only.
    pub from: Option<&'a str>,
    /// In one of these states; in any when it is empty.
    pub states: &'a [MessageState],
    /// Sent at this time or later.
    pub since: Option<Timestamp>,
    /// Only the newest so many.
    pub newest: Option<usize>,
}

impl Ledger {
    /// Sends messages, all of them or none.
    pub fn add_messages(
        &self,
        messages: &[NewMessage],
        now: Timestamp,
    ) -> Result<Vec<MessageId>, LedgerError> {
        self.write(Durability::OfWork, |change| {
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

    /// Messages, the oldest first.
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

    /// One message.
    pub fn message(&self, id: MessageId) -> Result<Option<Message>, LedgerError> {
        Ok(self.select_messages("WHERE id = ?1", &[&id.0], 1)?.pop())
    }

    /// What is to be typed into an agent next.
    pub fn next_message(&self, agent: AgentId) -> Result<Option<Message>, LedgerError> {
        let which = "WHERE recipient = ?1 AND state = 'waiting' AND wake = 1 ORDER BY id";
        Ok(self.select_messages(which, &[agent.0.as_bytes()], 1)?.pop())
    }

    /// Who has mail that is to be typed in.
    pub fn mail(&self) -> Result<HashSet<AgentId>, LedgerError> {
        self.read(|connection| {
            let sql = "SELECT DISTINCT recipient FROM messages WHERE state = 'waiting' AND wake = 1";
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            let mut whose = HashSet::new();
            while let Some(row) = rows.next()? {
                whose.extend(
                    row.get(0).ok().filter(|id| *id != NOBODY).map(|id| AgentId(Uuid::from_bytes(id))),
                );
            }
            Ok(whose)
        })
    }

    /// Moves a message, when it is in this state; says whether it was. Of two who try, one succeeds.
    pub fn move_message(
        &self,
        id: MessageId,
        (from, to): (MessageState, MessageState),
        why: &str,
        now: Timestamp,
    ) -> Result<bool, LedgerError> {
        self.write(Durability::OfWork, |change| {
            let sql =
                "UPDATE messages SET state = ?3, why = ?4, changed_at = ?5 WHERE id = ?1 AND state = ?2";
            let values = params![id.0, from.word(), to.word(), why, now.as_microsecond()];
            Ok(change.prepare(sql)?.execute(values)? > 0)
        })
    }

    /// Puts a message that could not be typed in back where it waits to be asked for.
    pub fn park_message(&self, id: MessageId, why: &str, now: Timestamp) -> Result<(), LedgerError> {
        self.write(Durability::OfWork, |change| {
            let sql = "UPDATE messages SET state = 'waiting', wake = 0, why = ?2, changed_at = ?3
                       WHERE id = ?1 AND state = 'dispatched'";
            change.execute(sql, params![id.0, why, now.as_microsecond()]).map(drop)
        })
    }

    /// What waits for somebody, who has read it from now on.
    pub fn take_messages(&self, to: &Recipient, now: Timestamp) -> Result<Vec<Message>, LedgerError> {
        let waiting =
            MessageQuery { to: Some(to), states: &[MessageState::Waiting], ..MessageQuery::default() };
        let mut taken = self.messages(&waiting)?;
        let mut mine = Vec::new();
        for message in &taken {
            let step = (MessageState::Waiting, MessageState::Read);
            if self.move_message(message.id, step, "it was asked for", now)? {
                mine.push(message.id);
            }
        }
        taken.retain(|message| mine.contains(&message.id));
        Ok(taken)
    }

    /// Mail that an agent will never have, because it is forgotten, is forgotten with it.
    pub fn drop_mail(&self, agent: AgentId) -> Result<(), LedgerError> {
        self.write(Durability::OfWork, |change| {
            let sql = "DELETE FROM messages WHERE recipient = ?1 AND state IN ('waiting', 'dispatched')";
            change.execute(sql, [agent.0.as_bytes()]).map(drop)
        })
    }

    /// Forgets mail that was read before a time; what nobody has read is kept. Says how many rows that were.
    pub(super) fn forget_messages(&self, before: i64) -> Result<usize, LedgerError> {
        self.write(Durability::OfHistory, |change| {
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
        Recipient::Person => (NOBODY, ""),
    }
}

/// A row in our words; none when one of them is not ours.
fn message(row: &Row<'_>) -> Option<Message> {
    let recipient: [u8; 16] = row.get(3).ok()?;
    let name: String = row.get(4).ok()?;
    let is_agent = recipient != NOBODY;
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
        state: MessageState::ALL.into_iter().find(|known| known.word() == state)?,
        changed_at: Timestamp::from_microsecond(row.get(9).ok()?).ok()?,
        why: row.get(10).ok()?,
    })
}

fn words(states: &[MessageState]) -> String {
    let states = if states.is_empty() { &MessageState::ALL } else { states };
    states.iter().map(|state| format!("'{state}'")).collect::<Vec<_>>().join(", ")
}
