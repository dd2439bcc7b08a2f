//! `message send`, `list` and `read`: mail between agents and users. It is kept until its recipient has read it. The
//! dispatcher (`dispatch.rs`) types it into agents; this file does not.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::error::Error;
use crate::git;
use crate::ledger::MessageQuery;
use crate::manager::messages::Messages;
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::tasks::Tasks;
use crate::model::{
    AgentId, AgentName, AgentRecord, EventKind, LedgerEvent, Message, MessageState, NewMessage, PERSON,
    Prompt, Recipient,
};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::status::from_hook::one_line;
use crate::rules::tasks::address::{Address, AddressBook, Addressee, Recipients, reach};
use crate::rules::tasks::readiness::{Readiness, ready, why_not};

/// Arguments of `message send`.
#[derive(Debug, Clone, Default)]
pub struct MessageRequest {
    /// `agent`, `agent@project`, `@project`, `parent`, `children` or `person`.
    pub to: String,
    /// The text of the message.
    pub text: String,
    /// The sending agent. `None` means the agent in whose process tree this process runs, or else the user.
    pub by: Option<AgentName>,
    /// The directory that selects the project if none is named, and the base of relative paths. `None` means the
    /// current directory.
    pub dir: Option<PathBuf>,
}

/// Which messages to list.
#[derive(Debug, Clone, Default)]
pub struct MessageFilter {
    /// The owner of the mail. `None` means the agent in whose process tree this process runs, or else the user.
    pub of: Option<AgentName>,
    /// Whether read and sent messages are included; otherwise only unread ones are listed.
    pub all: bool,
    /// Maximum number of messages, newest first.
    pub newest: Option<usize>,
}

impl Messages<'_> {
    /// Sends a message to all recipients that the address means, or to none of them.
    pub fn message_send(&self, request: &MessageRequest) -> Result<Vec<Message>, Error> {
        // Text that could never be typed is refused now and not at the time of delivery.
        let text: Prompt = request.text.parse().map_err(Error::unsendable)?;
        let sender = self.sender(request.by.as_ref())?;
        let from = signature(sender.as_ref())?;
        let Recipients { to, project } = self.reached(request, sender.as_ref(), text.as_str())?;
        let new = |(to, wake)| NewMessage {
            from: from.clone(),
            to,
            project: project.clone(),
            text: text.to_string(),
            wake,
        };
        let messages: Vec<NewMessage> = to.into_iter().map(new).collect();
        TaskQueue(self.0).open_queues()?;
        let ids =
            RegistryWriter(self.0).with_ledger(|ledger| ledger.add_messages(&messages, self.0.now()))?;
        self.note_sent(&messages, sender.as_ref());
        SupervisorControl(self.0).ensure_supervisor();
        RegistryWriter(self.0).with_ledger(|ledger| {
            let sent = ids.into_iter().map(|id| ledger.message(id));
            Ok(sent.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        })
    }

    /// Sends a question of an agent to its parent. Takes a recipient and not an address, because `children` and
    /// `person` are valid agent names as well.
    pub(in crate::manager) fn send_to(
        &self,
        from: &AgentRecord,
        to: Recipient,
        text: String,
    ) -> Result<(), Error> {
        let message = NewMessage { from: from.name.to_string(), to, project: None, text, wake: true };
        TaskQueue(self.0).open_queues()?;
        RegistryWriter(self.0)
            .with_ledger(|ledger| ledger.add_messages(std::slice::from_ref(&message), self.0.now()))?;
        self.note_sent(&[message], Some(from));
        Ok(())
    }

    /// Lists messages, oldest first, without marking them as read.
    pub fn message_list(&self, filter: &MessageFilter) -> Result<Vec<Message>, Error> {
        let mailbox = self.mailbox(filter.of.as_ref())?;
        let unread = [MessageState::Waiting, MessageState::Dispatched];
        let states: &[MessageState] = if filter.all { &[] } else { &unread };
        let got = MessageQuery {
            to: Some(&mailbox.recipient),
            states,
            newest: filter.newest,
            ..MessageQuery::default()
        };
        let sent = MessageQuery {
            from: Some(&mailbox.name),
            since: mailbox.since,
            newest: filter.newest,
            ..MessageQuery::default()
        };
        let mut mail = RegistryWriter(self.0).with_existing_ledger(|ledger| {
            let mut mail = ledger.messages(&got)?;
            if filter.all {
                mail.extend(ledger.messages(&sent)?);
            }
            Ok(mail)
        })?;
        mail.sort_by_key(|message| message.id);
        mail.dedup_by_key(|message| message.id);
        if let Some(newest) = filter.newest {
            mail.drain(..mail.len().saturating_sub(newest));
        }
        self.update_recipient_names(&mut mail)?;
        Ok(mail)
    }

    /// Returns the waiting messages of a mailbox and marks them as read.
    pub fn message_read(&self, of: Option<&AgentName>) -> Result<Vec<Message>, Error> {
        let mailbox = self.mailbox(of)?;
        let waits = MessageQuery {
            to: Some(&mailbox.recipient),
            states: &[MessageState::Waiting],
            ..MessageQuery::default()
        };
        // An empty mailbox must not create the ledger.
        if RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.messages(&waits))?.is_empty() {
            return Ok(vec![]);
        }
        let mut mail = RegistryWriter(self.0)
            .with_ledger(|ledger| ledger.take_messages(&mailbox.recipient, self.0.now()))?;
        self.update_recipient_names(&mut mail)?;
        Ok(mail)
    }

    /// Returns remarks on messages that were just sent: which recipients will not get them soon, and why.
    pub fn message_remarks(&self, sent: &[Message]) -> Vec<String> {
        let woken = |id: AgentId| sent.iter().any(|message| message.wake && message.to_id == Some(id));
        let agents = StatusTracker(self.0).current_agents().map(|list| list.agents).unwrap_or_default();
        let mut remarks: Vec<String> = agents
            .iter()
            .filter(|agent| woken(agent.id))
            .filter_map(|agent| match ready(agent, self.0.now()) {
                _ if agent.kind == PLAIN_COMMAND => Some(format!(
                    "`{}` is a plain command, which does not report when it is idle, so it has to read its mail itself (`symposium message read`); `symposium agent send` types immediately",
                    agent.name
                )),
                Readiness::NotReady => Some(format!("kept until it can be read: {}", why_not(agent))),
                Readiness::Ready | Readiness::Driven => None,
            })
            .collect();
        if sent.iter().any(|message| message.wake) {
            remarks.extend(Tasks(self.0).remark_on_queue());
        }
        remarks
    }

    /// Returns the sender: the given agent, else the agent in whose process tree this process runs, else `None` for the
    /// user.
    pub(in crate::manager) fn sender(&self, by: Option<&AgentName>) -> Result<Option<AgentRecord>, Error> {
        match by {
            Some(name) => self.0.record(name, "show").map(Some),
            None => self.0.verified_caller(),
        }
    }

    /// Returns the project of a directory. All worktrees of a repository are one project.
    pub(in crate::manager) fn project_at(&self, dir: &Path) -> String {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let project = git::project(&dir).map_or(dir, |top| git::repository(&top));
        project.to_string_lossy().into_owned()
    }

    /// Returns the project of an agent.
    pub(in crate::manager) fn project_of(&self, record: &AgentRecord) -> String {
        let top = Path::new(record.project.as_deref().unwrap_or(&record.working_directory));
        git::repository(top).to_string_lossy().into_owned()
    }

    /// Records an event for each message: for the receiving agent, or for the sending agent if the recipient is the
    /// user.
    fn note_sent(&self, messages: &[NewMessage], sender: Option<&AgentRecord>) {
        let at = self.0.now();
        let happened = messages.iter().filter_map(|message| {
            Some(match (&message.to, sender) {
                (Recipient::Agent(id, name), _) => LedgerEvent {
                    at,
                    agent: *id,
                    name: name.clone(),
                    what: EventKind::Messaged,
                    why: format!("from {}: {}", message.from, one_line(&message.text)),
                },
                (Recipient::Person, Some(sender)) => LedgerEvent {
                    at,
                    agent: sender.id,
                    name: sender.name.clone(),
                    what: EventKind::Wrote,
                    why: message.text.clone(),
                },
                (Recipient::Person, None) => return None,
            })
        });
        RegistryWriter(self.0).note(&happened.collect::<Vec<_>>());
    }

    fn reached(
        &self,
        request: &MessageRequest,
        sender: Option<&AgentRecord>,
        text: &str,
    ) -> Result<Recipients, Error> {
        let member = |record: &AgentRecord| Addressee {
            id: record.id,
            name: record.name.clone(),
            parent: record.parent.clone(),
            project: self.project_of(record),
        };
        let members: Vec<Addressee> = self.0.store.read(self.0.now())?.iter().map(member).collect();
        let sender = sender.map(member);
        let cwd = self.0.env.cwd().unwrap_or(Path::new("/"));
        let here = request.dir.as_ref().map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir));
        let path_of = |text: &str| match (text, &sender, &request.dir) {
            ("", Some(sender), None) => Some(sender.project.clone()),
            ("", ..) => Some(self.project_at(&here)),
            (path, ..) if path.contains('/') || path.starts_with('.') => {
                Some(self.project_at(&here.join(path)))
            }
            _ => None,
        };
        let known = AddressBook { sender: sender.as_ref(), members: &members, path_of: &path_of };
        reach(&Address::parse(&request.to), text, &known).map_err(Error::from)
    }

    fn mailbox(&self, of: Option<&AgentName>) -> Result<Mailbox, Error> {
        Ok(match self.sender(of)? {
            Some(record) => Mailbox {
                name: record.name.to_string(),
                recipient: Recipient::Agent(record.id, record.name),
                since: Some(record.created_at),
            },
            None => Mailbox { name: PERSON.to_owned(), recipient: Recipient::Person, since: None },
        })
    }

    /// Replaces the recipient's name by the current one if the agent was renamed.
    fn update_recipient_names(&self, mail: &mut [Message]) -> Result<(), Error> {
        if mail.iter().all(|message| message.to_id.is_none()) {
            return Ok(());
        }
        let records = self.0.store.read(self.0.now())?;
        for message in mail {
            let record = records.iter().find(|record| Some(record.id) == message.to_id);
            if let Some(record) = record {
                message.to = Some(record.name.clone());
            }
        }
        Ok(())
    }
}

/// The owner of a list of messages.
struct Mailbox {
    recipient: Recipient,
    /// The name that the owner sends under.
    name: String,
    /// Creation time of the owner. Earlier messages under this name are from another agent.
    since: Option<Timestamp>,
}

/// Returns the name that a sender's messages show.
pub(in crate::manager) fn signature(sender: Option<&AgentRecord>) -> Result<String, Error> {
    match sender {
        // The messages of this agent would look like the user's.
        Some(record) if record.name.as_str() == PERSON => Err(Error::usage(format!(
            "an agent named `{PERSON}` cannot send messages, because they would look like those of the user"
        ))
        .hint(format!("`symposium agent rename {PERSON} NAME` gives it another"))),
        Some(record) => Ok(record.name.to_string()),
        None => Ok(PERSON.to_owned()),
    }
}
