//! The progress of finishing, stored in the state directory of the agent. The agent's lock is held while it is written.
//!
//! Nothing is irreversible until the base branch moves, so an earlier interruption only needs a new start.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Code, Error};
use crate::manager::finish::Finishing;
use crate::model::{AgentRecord, FinishMethod, RecoveredWork};

/// The state file with the progress.
const JOURNAL_FILE: &str = "finish.json";

/// Version of the format. A file with a higher version is refused.
const JOURNAL_VERSION: u32 = 1;

/// The progress of finishing an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::manager) struct FinishJournal {
    /// Version of the format.
    pub version: u32,
    /// What has begun.
    pub progress: FinishProgress,
    /// The base branch.
    pub base: String,
    /// The commit of the base branch before.
    pub from: String,
    /// The commit that the base branch moves to; `None` if it has all of the work already.
    pub to: Option<String>,
    /// The working tree that has the base branch checked out.
    pub directory: Option<PathBuf>,
    /// The last commit of the agent.
    pub tip: String,
    /// How the work gets into the base branch.
    pub method: FinishMethod,
    /// Whether agent, worktree and branch stay.
    pub keeps: bool,
    /// The copy of the commits that were replaced in the worktree for the checks.
    #[serde(default)]
    pub replaced: Option<RecoveredWork>,
    /// The commit that is brought into the worktree for the checks.
    #[serde(default)]
    pub brought_in: Option<String>,
}

/// The parts of finishing that may have to be continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::manager) enum FinishProgress {
    /// The base branch has not changed.
    Prepared,
    /// The base is being brought into the worktree of the agent. The base branch has not changed.
    BringingIn,
    /// The base branch or its working tree may have changed.
    Moving,
    /// The base branch has the work. Worktree and branch may be gone.
    Moved,
}

impl FinishJournal {
    /// Creates a journal in which nothing has changed yet.
    pub(in crate::manager) fn new(base: &str, from: &str, tip: &str) -> FinishJournal {
        FinishJournal {
            version: JOURNAL_VERSION,
            progress: FinishProgress::Prepared,
            base: base.to_owned(),
            from: from.to_owned(),
            to: None,
            directory: None,
            tip: tip.to_owned(),
            method: FinishMethod::default(),
            keeps: false,
            replaced: None,
            brought_in: None,
        }
    }
}

impl Finishing<'_> {
    pub(in crate::manager) fn write_journal(
        &self,
        record: &AgentRecord,
        journal: &FinishJournal,
    ) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(journal)
            .map_err(|error| Error::io(format!("cannot write {JOURNAL_FILE}"))(error.into()))?;
        Ok(self.0.store.instance(&record.name).write_state(JOURNAL_FILE, &text)?)
    }

    /// Returns the journal of an interrupted run.
    pub(in crate::manager) fn journal(&self, record: &AgentRecord) -> Result<Option<FinishJournal>, Error> {
        let read = self.0.store.instance(&record.name).read_state(JOURNAL_FILE);
        let cannot = || format!("cannot read {JOURNAL_FILE} of agent `{}`", record.name);
        let Some(text) = read.map_err(Error::io(cannot()))? else { return Ok(None) };
        let journal: FinishJournal = serde_json::from_slice(&text)
            .map_err(|error| Error::new(Code::State, cannot()).saw(error.to_string()))?;
        if journal.version > JOURNAL_VERSION {
            return Err(Error::new(Code::State, cannot())
                .saw(format!(
                    "it has version {}, this version of symposium supports {JOURNAL_VERSION}",
                    journal.version
                ))
                .hint("use the version of symposium that began to finish the agent"));
        }
        Ok(Some(journal))
    }

    pub(in crate::manager) fn remove_journal(&self, record: &AgentRecord) -> Result<(), Error> {
        Ok(self.0.store.instance(&record.name).remove_state(JOURNAL_FILE)?)
    }
}
