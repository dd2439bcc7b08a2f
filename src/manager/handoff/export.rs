//! `agent handoff export`: packs one agent into a file. Only reads, so the agent may continue meanwhile.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use serde::Serialize;

use crate::archive::{self, IfExists};
use crate::error::Error;
use crate::kinds;
use crate::ledger::{MessageQuery, TaskQuery};
use crate::manager::handoff::{Handoff, HandoffExport};
use crate::manager::launch::Launcher;
use crate::manager::recaps::Recaps;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::spawn_manifest::SpawnManifest;
use crate::manager::specs::{LaunchPlanner, SpecCatalog};
use crate::manager::status::{AgentEvidence, AgentLookup, StatusTracker};
use crate::manager::workspace::Workspaces;
use crate::model::{
    AgentName, AgentRecord, HANDOFF_FORMAT, HandedMessage, HandedRecord, Manifest, Message, MessageState,
    Part, Recap, Recipient, Spec, Status, TaskState,
};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::workspace::handoff::{handed_tasks, without_secrets};
use crate::store::{RunFiles, Staging};

/// The file name suffix of a hand-off, after the agent's name.
pub(super) const ENDING: &str = ".handoff.tar.gz";

/// Arguments of `agent handoff export`.
pub struct ExportRequest<'a> {
    /// The agent to export.
    pub name: AgentName,
    /// Destination of the hand-off.
    pub to: Destination,
    /// Whether text that looks like a secret may be exported.
    pub secrets: Secrets,
    /// Renders a recap as text.
    pub recap_text: &'a dyn Fn(&Recap) -> String,
}

/// Destination of a hand-off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file: this one, or `NAME.handoff.tar.gz` in the current directory; and how to treat an existing file.
    File(Option<PathBuf>, IfExists),
    /// Standard output, after the hand-off is completely packed.
    Stream,
}

/// Whether text that looks like a secret may be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// The export fails and writes nothing.
    Refused,
    /// The user has checked the findings and exports them.
    Allowed,
}

/// Result of an export.
#[derive(Debug, Serialize)]
pub struct Exported {
    /// The written file, or `None` if the hand-off went to standard output.
    pub file: Option<PathBuf>,
    /// Size of the hand-off in bytes.
    pub size: u64,
    /// The manifest of the hand-off.
    pub manifest: Manifest,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

impl HandoffExport<'_> {
    /// Exports an agent. Writes to `out` only if the destination is [`Destination::Stream`].
    pub fn handoff_export(
        &self,
        request: &ExportRequest<'_>,
        out: &mut dyn Write,
    ) -> Result<Exported, Error> {
        Handoff(self.0).refuse_agents("hand an agent over")?;
        let agent = AgentLookup(self.0).agent(&request.name, "handoff export")?;
        let record = self.0.record(&request.name, "handoff export")?;
        StatusTracker(self.0).finish_move(&record)?;
        Workspaces(self.0).refuse_unfinished(&record)?;
        let file = self.target_file(&record, &request.to)?;
        let note = LaunchPlanner(self.0).spawn_manifest(&record.name);
        let staging = RunFiles(&self.0.store).staging()?;
        let mut remarks = Vec::new();
        if agent.status == Status::Working {
            remarks.push("it is working; its further work is not included".into());
        }
        self.pack_words(&record, note.as_ref(), &staging, request)?;
        let work = self.pack_work(&record, staging.path(), &mut remarks)?;
        let conversation = self.pack_conversation(&record, note.as_ref(), &staging, &mut remarks)?;
        let variables = variables(note.as_ref());
        if !variables.is_empty() {
            remarks.push(format!("the values of its variables are not included: {}", variables.join(", ")));
        }
        let (handed, top) = work.map(|work| (work.handed, work.top)).unzip();
        let manifest = Manifest {
            format: HANDOFF_FORMAT,
            symposium: env!("CARGO_PKG_VERSION").to_owned(),
            made_at: self.0.now(),
            name: record.name.clone(),
            kind: record.kind.clone(),
            spec: record.spec.clone(),
            status: agent.status,
            conversation,
            work: handed,
            variables,
            entries: vec![],
        };
        if request.secrets == Secrets::Refused {
            let known = self.known_secrets(&record, note.as_ref());
            self.refuse_secrets(&manifest, &staging, top.as_deref(), &known)?;
        }
        if let Some((file, existing)) = file {
            let manifest = archive::pack(manifest, staging.path(), &file, existing)?;
            let size = fs::metadata(&file).map_or(0, |meta| meta.len());
            return Ok(Exported { file: Some(file), size, manifest, remarks });
        }
        let (manifest, size) = pack_to_stream(manifest, &staging, out)?;
        Ok(Exported { file: None, size, manifest, remarks })
    }

    /// Returns the file of the hand-off and how to treat an existing one, or `None` for standard output. Fails if the
    /// file exists and must be kept.
    fn target_file(
        &self,
        record: &AgentRecord,
        to: &Destination,
    ) -> Result<Option<(PathBuf, IfExists)>, Error> {
        let Destination::File(wanted, existing) = to else { return Ok(None) };
        let file = self.file_for(record, wanted.as_deref());
        if *existing == IfExists::Kept && fs::symlink_metadata(&file).is_ok() {
            return Err(archive::ArchiveError::Exists(file).into());
        }
        Ok(Some((file, *existing)))
    }

    fn file_for(&self, record: &AgentRecord, wanted: Option<&Path>) -> PathBuf {
        let default = PathBuf::from(format!("{}{ENDING}", record.name));
        let wanted = SpecCatalog(self.0).path_here(wanted.unwrap_or(&default));
        if wanted.is_dir() { wanted.join(default) } else { wanted }
    }

    /// Packs the record, spec, recap, transcript, tasks and mail.
    fn pack_words(
        &self,
        record: &AgentRecord,
        note: Option<&SpawnManifest>,
        staging: &Staging,
        request: &ExportRequest<'_>,
    ) -> Result<(), Error> {
        let handed = HandedRecord {
            title: record.title.clone(),
            params: record.params.clone(),
            created_at: record.created_at,
            directory: record.working_directory.clone(),
            command: record.command.clone(),
        };
        put_json(staging, Part::Record, &handed)?;
        let of_kind = || Spec { kind: Some(record.kind.clone()), ..Spec::built_in() };
        let spec = note.and_then(|note| note.spec.clone()).unwrap_or_else(of_kind);
        // A spec that names no kind got the first available one here. Another machine may have other kinds.
        let kind = Some(record.kind.clone()).filter(|kind| kind != PLAIN_COMMAND).or(spec.kind.clone());
        put_json(staging, Part::Spec, &Spec { kind, ..without_secrets(&spec) })?;
        let recap = Recaps(self.0).recap(&record.name, Some(record.created_at))?;
        put_json(staging, Part::Recap, &recap)?;
        put(staging, Part::RecapText, (request.recap_text)(&recap).as_bytes())?;
        put(staging, Part::Transcript, AgentEvidence(self.0).transcript_tail(record).as_bytes())?;
        let query = TaskQuery { agent: Some(record.id), states: &TaskState::OPEN, newest: None };
        let tasks = RegistryWriter(self.0).with_existing_ledger(|ledger| ledger.tasks(&query))?;
        if !tasks.is_empty() {
            put_json(staging, Part::Tasks, &handed_tasks(&tasks))?;
        }
        let to = Recipient::Agent(record.id, record.name.clone());
        let states = [MessageState::Waiting, MessageState::Dispatched];
        let query = MessageQuery { to: Some(&to), states: &states, ..MessageQuery::default() };
        let mail: Vec<HandedMessage> = RegistryWriter(self.0)
            .with_existing_ledger(|ledger| ledger.messages(&query))?
            .into_iter()
            .map(handed_message)
            .collect();
        if !mail.is_empty() {
            put_json(staging, Part::Messages, &mail)?;
        }
        Ok(())
    }

    fn pack_conversation(
        &self,
        record: &AgentRecord,
        note: Option<&SpawnManifest>,
        staging: &Staging,
        remarks: &mut Vec<String>,
    ) -> Result<crate::model::Conversation, Error> {
        let conversation = record.conversation.clone();
        let Some(id) = conversation.id.as_deref().filter(|_| conversation.begun) else {
            return Ok(conversation);
        };
        let kind = self.0.kind_of(record)?;
        let of_spec =
            note.and_then(|note| note.spec.as_ref()).map(|spec| spec.env.clone()).unwrap_or_default();
        let given: Vec<_> =
            of_spec.into_iter().chain(note.map(|note| note.env.clone()).unwrap_or_default()).collect();
        let found = Launcher(self.0)
            .conversation_root(&kind.conversation_files, &given)
            .and_then(|root| kinds::find_conversation(&kind.conversation_files, &root, id));
        let Some(path) = found else {
            let why = match kind.conversation_files.file.is_empty() {
                true => format!("`{}` stores its conversations where they cannot be exported", record.kind),
                false => format!("conversation {id} is not on disk"),
            };
            remarks.push(format!("{why}: the imported agent begins a new conversation with the recap"));
            return Ok(conversation);
        };
        let failed = || Error::io(format!("cannot read the conversation {}", path.display()));
        let bytes = whole_lines(&path).map_err(failed())?;
        put(staging, Part::Conversation, &bytes)?;
        Ok(conversation)
    }
}

/// Packs the hand-off completely and then copies it to a stream, so that the reader gets either all of it or nothing.
fn pack_to_stream(
    manifest: Manifest,
    staging: &Staging,
    out: &mut dyn Write,
) -> Result<(Manifest, u64), Error> {
    let packed = staging.path().join(format!("whole{ENDING}"));
    let manifest = archive::pack(manifest, staging.path(), &packed, IfExists::Kept)?;
    let size = File::open(&packed)
        .and_then(|mut file| io::copy(&mut file, out))
        .and_then(|size| out.flush().map(|()| size))
        .map_err(Error::io("cannot write the hand-off to standard output"))?;
    Ok((manifest, size))
}

/// Reads a file of lines at its current length and omits an incomplete last line.
fn whole_lines(path: &Path) -> io::Result<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let (length, most) = (file.metadata()?.len(), Part::Conversation.most_bytes());
    let mut bytes = Vec::new();
    file.take(length.min(most + 1)).read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    bytes.truncate(end);
    Ok(bytes)
}

/// Returns the names of the variables that the agent was given.
fn variables(note: Option<&SpawnManifest>) -> Vec<String> {
    let Some(note) = note else { return Vec::new() };
    let of_spec = note.spec.iter().flat_map(|spec| spec.env.keys().cloned());
    let names: BTreeSet<String> = of_spec.chain(note.env.iter().map(|(key, _)| key.clone())).collect();
    names.into_iter().collect()
}

fn handed_message(message: Message) -> HandedMessage {
    HandedMessage { from: message.from, at: message.at, text: message.text, wake: message.wake }
}

fn put(staging: &Staging, part: Part, bytes: &[u8]) -> Result<(), Error> {
    let path = staging.path().join(part.name());
    let written = File::create(&path).and_then(|mut file| file.write_all(bytes));
    written.map_err(Error::io(format!("cannot write {}", path.display())))
}

fn put_json(staging: &Staging, part: Part, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_vec_pretty(value)
        .map_err(|error| Error::io(format!("cannot write {part}"))(error.into()))?;
    put(staging, part, &text)
}
