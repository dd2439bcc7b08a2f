//! `agent recap`: summarizes what happened to an agent in a period, from the ledger, its queue and git, and decides whether
//! an attach shows such a summary.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use crate::error::Error;
use crate::git::{History, WorkingTreeChanges};
use crate::kinds;
use crate::ledger::{EventQuery, MessageQuery, TaskQuery};
use crate::manager::launch::Launcher;
use crate::manager::recaps::Recaps;
use crate::manager::registry::RegistryWriter;
use crate::manager::status::{AgentEvidence, AgentLookup};
use crate::model::{AgentName, AgentRecord, Message, Recap, Recipient, TaskState};
use crate::rules::report::recap::{RecapSources, build_recap};
use crate::rules::status::from_screen::StatusSource;

/// Maximum number of ledger rows that are read. Rows that do not fit on a screen are only counted.
const MAX_LINES: usize = 10_000;
/// Maximum number of commits that are listed.
const MAX_COMMITS: usize = 50;
/// Maximum number of messages in each direction.
const MAX_MESSAGES: usize = 200;
/// Maximum number of characters of a prompt.
const MAX_PROMPT_CHARS: usize = 16 * 1024;

impl Recaps<'_> {
    /// Returns the recap since a time. `None` means since the last terminal detached, or since the agent was created.
    pub fn recap(&self, name: &AgentName, since: Option<Timestamp>) -> Result<Recap, Error> {
        AgentLookup(self.0).agent(name, "recap")?;
        let record = self.0.record(name, "recap")?;
        let since = since.or(record.last_detached).unwrap_or(record.created_at);
        let since = since.max(record.created_at).min(self.0.now());
        self.recap_of(&record, since)
    }

    /// Returns when the last terminal detached from the agent, if that is long enough ago for a recap (`recap` in
    /// `[attach]`).
    pub fn absent_since(&self, name: &AgentName) -> Option<Timestamp> {
        let shortest = SignedDuration::try_from(self.0.settings().attach.recap?).ok()?;
        let record = self.0.store.find(name, self.0.now()).ok()??;
        let left = record.last_detached.unwrap_or(record.created_at);
        (self.0.now().duration_since(left) >= shortest).then_some(left)
    }

    /// Returns the command that prints a recap since a time.
    pub fn recap_command(&self, name: &AgentName, since: Timestamp) -> Vec<String> {
        let home = self.0.home.path.to_string_lossy();
        let exe = self.0.env.exe().to_string_lossy();
        let since = since.to_string();
        [&exe, "--home", &home, "agent", "recap", name.as_str(), "--since", &since]
            .map(ToString::to_string)
            .into()
    }

    pub(in crate::manager) fn recap_of(
        &self,
        record: &AgentRecord,
        since: Timestamp,
    ) -> Result<Recap, Error> {
        // Events that still cannot be stored appear in the next recap.
        let _ = RegistryWriter(self.0).store_pending_events();
        let query = EventQuery { agent: Some(record.id), since: Some(since), after: None, limit: MAX_LINES };
        let rows = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.events(&query))?;
        let events: Vec<_> = rows.into_iter().map(|(_, event)| event).collect();
        let over = [TaskState::Done, TaskState::Failed];
        let tasks = RegistryWriter(self.0).with_existing_ledger(|ledger| {
            ledger.tasks(&TaskQuery { agent: Some(record.id), states: &over, newest: None })
        })?;
        let messages = self.mail_of(record, since)?;
        let dir = Path::new(&record.working_directory);
        // If git is missing, slow or refuses, its part is left out; the rest is still correct.
        let git = self.0.git();
        let commits = History(&git).commits_since(dir, since, MAX_COMMITS).ok().flatten();
        let uncommitted = WorkingTreeChanges(&git).summary(dir).ok().flatten();
        Ok(build_recap(RecapSources {
            record,
            since,
            until: self.0.now(),
            events: &events,
            tasks: &tasks,
            messages: &messages,
            commits,
            uncommitted,
            last_prompt: self.last_prompt(record),
            last_words: self.last_words(record),
        }))
    }

    /// Returns the newest messages that the agent ever received and that it sent since a time, oldest first.
    fn mail_of(&self, record: &AgentRecord, since: Timestamp) -> Result<Vec<Message>, Error> {
        let recipient = Recipient::Agent(record.id, record.name.clone());
        let newest = Some(MAX_MESSAGES);
        let got = MessageQuery { to: Some(&recipient), newest, ..MessageQuery::default() };
        let sent = MessageQuery {
            from: Some(record.name.as_str()),
            since: Some(since),
            newest,
            ..MessageQuery::default()
        };
        let mut mail = RegistryWriter(self.0)
            .with_existing_ledger(|ledger| Ok([ledger.messages(&got)?, ledger.messages(&sent)?].concat()))?;
        mail.sort_by_key(|message| message.id);
        mail.dedup_by_key(|message| message.id);
        Ok(mail)
    }

    /// Returns the last prompt that the hooks reported, or else the initial task, shortened for a recap.
    fn last_prompt(&self, record: &AgentRecord) -> Option<String> {
        let reported = AgentEvidence(self.0).reported_prompt(&record.name).map(|prompt| prompt.text);
        let text = reported.or_else(|| Launcher(self.0).kept_initial_prompt(&record.name))?;
        Some(text.chars().take(MAX_PROMPT_CHARS).collect())
    }

    /// Returns the last reply as reported by hooks, or else the last line above the input line. A running agent whose
    /// hooks report replies, but have not yet, has no last reply.
    fn last_words(&self, record: &AgentRecord) -> Option<String> {
        let reply = self
            .0
            .store
            .instance(&record.name)
            .read_state(crate::manager::status::evidence::LAST_WORDS_FILE)
            .ok()
            .flatten();
        if let Some(text) = reply {
            return Some(String::from_utf8_lossy(&text).into_owned()).filter(|text| !text.trim().is_empty());
        }
        let kind = self.0.kind_of(record).unwrap_or_default();
        let has_hooks = AgentEvidence(self.0).status_source(&record.name, &kind) == StatusSource::Hooks;
        if has_hooks && record.status.status.is_live() {
            return None;
        }
        kinds::last_line(&kind, &AgentEvidence(self.0).last_lines(record))
    }
}
