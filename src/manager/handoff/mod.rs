//! `agent handoff`: an agent packed into a file, and taken over from one by another account or machine (rfd/0022).
//!
//! What is shared by both ways is here: who may, where a CLI keeps a conversation, and the parcel, a handoff that was
//! opened, checked and not acted on yet.

use crate::manager::Context;
use crate::manager::specs::SpecCatalog;
mod destination;
mod export;
mod import;
mod import_steps;
mod pack_work;
mod rollback;
mod secret_scan;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

pub use export::{Destination, ExportRequest, Exported, Secrets};
pub use import::{ImportRequest, Imported, QueueWish, Trust};

pub use crate::archive::Existing;

use crate::archive::{self, ArchiveError};
use crate::error::Error;
use crate::model::{DEFAULT_SPEC, HandedMessage, HandedRecord, HandedTask, Manifest, Part, Spec, Title};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::workspace::handoff::{
    Told, acts, check, check_spec, first_prompt, handed_mail, handed_on, received, runs,
};
use crate::store::Staging;

/// Exports and imports agents.
#[derive(Clone, Copy)]
pub struct Handoff<'a>(pub &'a Context);

/// More tasks, or more mail, than one agent ever had waiting.
const MOST_QUEUED: usize = 1000;

/// A handoff that was opened: every byte is checked, nothing is done yet.
#[derive(Debug)]
pub struct Parcel {
    /// What is in it.
    pub manifest: Manifest,
    /// What was written down about the agent.
    pub record: HandedRecord,
    /// Its spec, without values of variables.
    pub spec: Spec,
    /// What it still had to do.
    pub tasks: Vec<HandedTask>,
    /// Mail that it had not read.
    pub messages: Vec<HandedMessage>,
    /// What happened to it, in words.
    pub recap: String,
    room: Staging,
}

impl Parcel {
    /// What it would do on this machine without being asked again, in words.
    pub fn acts(&self, queue: QueueWish) -> Vec<String> {
        acts(&self.spec, &self.manifest.kind, &self.told(queue))
    }

    /// The same without the texts that it is told.
    pub fn runs(&self) -> Vec<String> {
        runs(&self.spec, &self.manifest.kind)
    }

    /// Every text that would reach it.
    pub fn told(&self, queue: QueueWish) -> Told {
        let mut told = Told { first: self.first_prompt(), ..Told::by(&self.spec, &self.record.params) };
        if queue == QueueWish::Take {
            told.tasks = self.tasks.iter().map(handed_on).collect();
            told.mail = self.messages.iter().map(handed_mail).collect();
        }
        told
    }

    /// What it is told first where its conversation cannot be resumed; none when there was none.
    fn first_prompt(&self) -> Option<String> {
        let begun = self.manifest.conversation.begun || self.manifest.has(Part::Conversation);
        (begun && self.manifest.kind != PLAIN_COMMAND).then(|| first_prompt(&self.manifest.name, &self.recap))
    }

    fn part(&self, part: Part) -> PathBuf {
        self.room.path().join(part.name())
    }
}

impl Handoff<'_> {
    /// Opens a handoff; nothing is changed by that.
    pub fn handoff_open(&self, file: &Path) -> Result<Parcel, Error> {
        let path = SpecCatalog(self.0).path_here(file);
        let room = self.0.store.staging()?;
        let manifest = archive::unpack(&path, room.path())?;
        let damaged = |why: String| Error::from(ArchiveError::Damaged { path: path.clone(), why });
        check(&manifest).map_err(damaged)?;
        let spec = read(&room, &manifest, Part::Spec).map_err(damaged)?;
        let spec: Spec = spec.ok_or_else(|| damaged("it holds no spec".into()))?;
        // What is shown is what runs.
        let kind = Some(manifest.kind.clone()).filter(|kind| kind != PLAIN_COMMAND);
        let name = Title::clean(&manifest.spec).map_or_else(|| DEFAULT_SPEC.to_owned(), String::from);
        let spec = Spec { kind, name, ..spec };
        check_spec(&spec).map_err(damaged)?;
        let record = read(&room, &manifest, Part::Record).map_err(damaged)?;
        let record = record.ok_or_else(|| damaged("it holds no record".into()))?;
        let recap = std::fs::read(room.path().join(Part::RecapText.name())).unwrap_or_default();
        let tasks: Vec<HandedTask> =
            read(&room, &manifest, Part::Tasks).map_err(damaged)?.unwrap_or_default();
        let messages: Vec<HandedMessage> =
            read(&room, &manifest, Part::Messages).map_err(damaged)?.unwrap_or_default();
        if tasks.len() > MOST_QUEUED || messages.len() > MOST_QUEUED {
            return Err(damaged(format!("it holds more than {MOST_QUEUED} tasks or messages")));
        }
        Ok(Parcel {
            record,
            spec: received(spec, &path.to_string_lossy()),
            tasks,
            messages,
            recap: String::from_utf8_lossy(&recap).into_owned(),
            manifest,
            room,
        })
    }

    /// Agents do not hand each other over: what one may do is decided by who spawned it, and a handoff has no parent.
    fn refuse_agents(&self, what: &str) -> Result<(), Error> {
        match self.0.speaker()? {
            None => Ok(()),
            Some(me) => Err(Error::OutOfPlace {
                what: format!("agent `{}` may not {what}", me.name),
                hint: "a person can, in a terminal of their own".into(),
            }),
        }
    }
}

/// A part that is JSON, when it is there.
fn read<T: DeserializeOwned>(room: &Staging, manifest: &Manifest, part: Part) -> Result<Option<T>, String> {
    if !manifest.has(part) {
        return Ok(None);
    }
    let bytes = std::fs::read(room.path().join(part.name())).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| format!("`{part}` cannot be read: {error}"))
}
