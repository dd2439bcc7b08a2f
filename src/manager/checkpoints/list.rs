//! `agent checkpoint list` and `agent checkpoint diff`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Code, Error};
use crate::git::CheckpointStore;
use crate::manager::checkpoints::{Checkpoints, SkippedCheckpoint};
use crate::manager::review::Reviews;
use crate::manager::review::base::unreadable;
use crate::manager::review::diff::{Comparison, DiffPart, DiffSession};
use crate::model::{AgentName, AgentRecord, BaseSource, Checkpoint, DiffBase};
use crate::rules::workspace::checkpoints::refs_of;

/// The checkpoints of an agent. The field names are a public contract.
#[derive(Debug, Serialize)]
pub struct CheckpointList {
    /// Name of the agent.
    pub agent: AgentName,
    /// Root of the working tree.
    pub directory: PathBuf,
    /// The checkpoints, the newest first.
    pub checkpoints: Vec<Checkpoint>,
    /// Why no checkpoint was taken at the last turn.
    pub skipped: Option<SkippedCheckpoint>,
    /// Number of the checkpoint whose restore was interrupted.
    pub unfinished_restore: Option<u64>,
}

impl Checkpoints<'_> {
    /// Lists the checkpoints of an agent.
    pub fn list(&self, name: &AgentName) -> Result<CheckpointList, Error> {
        let record = self.0.record(name, "checkpoint list")?;
        let top = Reviews(self.0).working_tree(&record)?;
        let mut checkpoints = self.stored(&record, &top)?;
        checkpoints.reverse();
        let state = self.state(&record);
        Ok(CheckpointList {
            agent: record.name,
            directory: top,
            checkpoints,
            skipped: state.skipped,
            unfinished_restore: state.unfinished_restore,
        })
    }

    /// Compares the files of an agent with a checkpoint, by default the newest one.
    pub fn diff(&self, name: &AgentName, number: Option<u64>) -> Result<DiffSession, Error> {
        let record = self.0.record(name, "checkpoint diff")?;
        let top = Reviews(self.0).working_tree(&record)?;
        let checkpoint = self.find(&record, &top, number)?;
        let mut remarks = Vec::new();
        if checkpoint.note.left_out_count > 0 {
            remarks.push(format!(
                "not in the checkpoint because of the size limit: {}",
                crate::base::plural::counted(checkpoint.note.left_out_count, "file", "files")
            ));
        }
        let base = DiffBase {
            name: Some(format!("checkpoint {}", checkpoint.number)),
            commit: Some(checkpoint.commit),
            source: BaseSource::Checkpoint,
        };
        let left_out = self.never_stored(&record);
        let comparison = Comparison { top, base, part: DiffPart::All, left_out, remarks };
        Reviews(self.0).compare(record, comparison)
    }

    /// Returns the checkpoints of an agent, the oldest first.
    pub(in crate::manager) fn stored(
        &self,
        record: &AgentRecord,
        top: &Path,
    ) -> Result<Vec<Checkpoint>, Error> {
        CheckpointStore(&self.0.git()).list(top, &refs_of(record.id)).map_err(|why| unreadable(record, &why))
    }

    /// Returns a checkpoint by its number, or the newest one.
    pub(in crate::manager) fn find(
        &self,
        record: &AgentRecord,
        top: &Path,
        number: Option<u64>,
    ) -> Result<Checkpoint, Error> {
        let name = &record.name;
        let mut known = self.stored(record, top)?;
        let found = match number {
            None => known.pop(),
            Some(number) => known.into_iter().find(|checkpoint| checkpoint.number == number),
        };
        found.ok_or_else(|| match number {
            None => Error::new(Code::NoSuchCheckpoint, format!("agent `{name}` has no checkpoint"))
                .saw("a checkpoint is taken before each turn that the agent's hooks report"),
            Some(number) => {
                Error::new(Code::NoSuchCheckpoint, format!("agent `{name}` has no checkpoint {number}"))
                    .hint(format!("`symposium agent checkpoint list {name}` lists all"))
            }
        })
    }
}
