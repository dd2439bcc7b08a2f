//! `agent handoff`: exports an agent to a file, and imports it in another account or on another machine (rfd/0022).
//!
//! This file holds the parts that both directions share: the permission check, the place where an agent CLI stores a
//! conversation, and [`OpenedHandoff`], a hand-off that was opened and checked but not applied yet.
//!
//! - `export`: packs one agent into a file
//! - `pack_work`: the commits and uncommitted changes of the agent
//! - `secret_scan`: refuses an export that contains secrets
//! - `import`: imports an agent from a file
//! - `destination`: where an imported agent works
//! - `import_steps`: the steps of an import
//! - `rollback`: the log by which a failed import is undone

mod destination;
mod export;
mod import;
mod import_steps;
mod pack_work;
mod rollback;
mod secret_scan;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

pub use export::{Destination, ExportRequest, Secrets};
pub use import::{ImportRequest, QueueImport, Trust};

pub use crate::archive::IfExists;

use crate::archive::{self, ArchiveError};
use crate::error::Error;
use crate::manager::Context;
use crate::manager::specs::SpecCatalog;
use crate::model::{DEFAULT_SPEC, HandedMessage, HandedRecord, HandedTask, Manifest, Part, Spec, Title};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::workspace::handoff::{
    HandedTexts, check, check_spec, effects_of_import, first_prompt, handed_mail, handed_on, received, runs,
};
use crate::store::{RunFiles, Staging};

/// Use cases that export and import agents.
#[derive(Clone, Copy)]
pub struct Handoff<'a>(pub &'a Context);

/// Writes an agent into a hand-off file.
#[derive(Clone, Copy)]
pub struct HandoffExport<'a>(pub &'a Context);

/// Creates an agent from a hand-off file.
#[derive(Clone, Copy)]
pub struct HandoffImport<'a>(pub &'a Context);

/// Maximum number of tasks, and of messages, in a hand-off: more than an agent ever had waiting.
const MAX_QUEUED: usize = 1000;

/// A hand-off that was opened. All of its bytes are checked, and nothing has been applied yet.
#[derive(Debug)]
pub struct OpenedHandoff {
    /// The manifest of the hand-off.
    pub manifest: Manifest,
    /// The agent's record.
    pub record: HandedRecord,
    /// The agent's spec, without values of variables.
    pub spec: Spec,
    /// The agent's unfinished tasks.
    pub tasks: Vec<HandedTask>,
    /// Messages that the agent has not read.
    pub messages: Vec<HandedMessage>,
    /// The recap of the agent as text.
    pub recap: String,
    staging: Staging,
}

impl OpenedHandoff {
    /// Describes everything that the agent would do on this machine without asking again.
    pub fn effects_of_import(&self, queue: QueueImport) -> Vec<String> {
        effects_of_import(&self.spec, &self.manifest.kind, &self.handed_texts(queue))
    }

    /// Describes the programs that would run, without the texts that the agent would receive.
    pub fn runs(&self) -> Vec<String> {
        runs(&self.spec, &self.manifest.kind)
    }

    /// Returns every text that the agent would receive.
    pub fn handed_texts(&self, queue: QueueImport) -> HandedTexts {
        let mut handed_texts = HandedTexts {
            first: self.first_prompt(),
            ..HandedTexts::from_spec(&self.spec, &self.record.params)
        };
        if queue == QueueImport::Take {
            handed_texts.tasks = self.tasks.iter().map(handed_on).collect();
            handed_texts.mail = self.messages.iter().map(handed_mail).collect();
        }
        handed_texts
    }

    /// Returns the first prompt of an agent whose conversation cannot be resumed, or `None` if it had no conversation.
    fn first_prompt(&self) -> Option<String> {
        let begun = self.manifest.conversation.begun || self.manifest.has(Part::Conversation);
        (begun && self.manifest.kind != PLAIN_COMMAND).then(|| first_prompt(&self.manifest.name, &self.recap))
    }

    fn part(&self, part: Part) -> PathBuf {
        self.staging.path().join(part.name())
    }
}

impl Handoff<'_> {
    /// Opens a hand-off without changing anything.
    pub fn handoff_open(&self, file: &Path) -> Result<OpenedHandoff, Error> {
        let path = SpecCatalog(self.0).path_here(file);
        let staging = RunFiles(&self.0.store).staging()?;
        let manifest = archive::unpack(&path, staging.path())?;
        let damaged = |why: String| Error::from(ArchiveError::Damaged { path: path.clone(), why });
        check(&manifest).map_err(damaged)?;
        let spec = read(&staging, &manifest, Part::Spec).map_err(damaged)?;
        let spec: Spec = spec.ok_or_else(|| damaged("it contains no spec".into()))?;
        // Kind and name are taken from the manifest, so that the displayed values are those that run.
        let kind = Some(manifest.kind.clone()).filter(|kind| kind != PLAIN_COMMAND);
        let name = Title::clean(&manifest.spec).map_or_else(|| DEFAULT_SPEC.to_owned(), String::from);
        let spec = Spec { kind, name, ..spec };
        check_spec(&spec).map_err(damaged)?;
        let record = read(&staging, &manifest, Part::Record).map_err(damaged)?;
        let record = record.ok_or_else(|| damaged("it contains no record".into()))?;
        let recap = std::fs::read(staging.path().join(Part::RecapText.name())).unwrap_or_default();
        let tasks: Vec<HandedTask> =
            read(&staging, &manifest, Part::Tasks).map_err(damaged)?.unwrap_or_default();
        let messages: Vec<HandedMessage> =
            read(&staging, &manifest, Part::Messages).map_err(damaged)?.unwrap_or_default();
        if tasks.len() > MAX_QUEUED || messages.len() > MAX_QUEUED {
            return Err(damaged(format!("it contains more than {MAX_QUEUED} tasks or messages")));
        }
        Ok(OpenedHandoff {
            record,
            spec: received(spec, &path.to_string_lossy()),
            tasks,
            messages,
            recap: String::from_utf8_lossy(&recap).into_owned(),
            manifest,
            staging,
        })
    }

    /// Refuses the command for agents. An agent's permissions follow from its parent, and an imported agent has none.
    fn refuse_agents(&self, what: &str) -> Result<(), Error> {
        match self.0.calling_agent()? {
            None => Ok(()),
            Some(me) => Err(Error::not_permitted(format!("agent `{}` may not {what}", me.name))
                .hint("run it yourself in a terminal outside of the agent")),
        }
    }
}

/// Reads a part that contains JSON, or returns `None` if the hand-off does not have it.
fn read<T: DeserializeOwned>(
    staging: &Staging,
    manifest: &Manifest,
    part: Part,
) -> Result<Option<T>, String> {
    if !manifest.has(part) {
        return Ok(None);
    }
    let bytes = std::fs::read(staging.path().join(part.name())).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| format!("`{part}` cannot be read: {error}"))
}
