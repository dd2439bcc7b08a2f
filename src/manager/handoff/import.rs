//! `agent handoff import`: imports an agent from a file, completely or not at all. The file is untrusted: the parts of
//! it that act on this machine are applied only if the user agreed.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::OpenedHandoff;
use super::destination::ImportTarget;
use crate::error::{Code, Error};
use crate::failpoint;
use crate::manager::delivery::Delivery;
use crate::manager::family::Family;
use crate::manager::handoff::{Handoff, HandoffImport};
use crate::manager::launch::Launcher;
use crate::manager::launch::start::{EnvFrom, LaunchParams};
use crate::manager::lifecycle::{Capacity, Spawning};
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_manifest::{SpawnArgs, SpawnManifest};
use crate::manager::specs::{LaunchPlanner, SpawnRequest};
use crate::manager::supervisor::SupervisorControl;
use crate::manager::workspace::Workspaces;
use crate::model::{Agent, AgentName, AgentRecord, Title};
use crate::rules::lifecycle::conversation_start::{self, ConversationOpening};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::workspace::handoff::{listed_names, names};
use crate::store::AgentLock;

/// Arguments of `agent handoff import`.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The name of the imported agent. `None` means its former name, or the next free one.
    pub name: Option<AgentName>,
    /// The repository for the agent's worktree. `None` means the repository of the current directory.
    pub dir: Option<PathBuf>,
    /// Create a repository with the agent's work in this directory.
    pub clone_to: Option<PathBuf>,
    /// Whether the user agreed to the actions of the hand-off.
    pub trust: Trust,
    /// Whether tasks and mail are imported.
    pub queue: QueueImport,
}

/// Whether the user agreed to the actions of a hand-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The user has not agreed: a hand-off with actions is refused.
    Nothing,
    /// The user has seen the actions and agreed.
    All,
}

/// Whether tasks and mail are imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueImport {
    /// Tasks and mail are put on the queue of the new agent.
    Take,
    /// Tasks and mail stay in the file.
    Leave,
}

/// Result of an import.
#[derive(Debug, Serialize)]
pub struct Imported {
    /// The imported agent.
    pub agent: Agent,
    /// Whether the agent resumed its conversation; otherwise its first prompt contains the recap.
    pub resumed: bool,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

/// An import in progress.
pub(super) struct ImportInProgress<'a> {
    pub opened: &'a OpenedHandoff,
    pub landing: ImportTarget,
    pub chosen: LaunchPlan,
    /// The request that a spawn of this agent would have.
    pub spawn_request: SpawnRequest,
    pub remarks: Vec<String>,
}

impl HandoffImport<'_> {
    /// Imports an agent.
    pub fn handoff_import(&self, opened: &OpenedHandoff, request: &ImportRequest) -> Result<Imported, Error> {
        Handoff(self.0).refuse_agents("take an agent over")?;
        let acts = opened.effects_of_import(request.queue);
        if request.trust == Trust::Nothing && !acts.is_empty() {
            return Err(untrusted(&opened.manifest.name, &acts));
        }
        let landing = self.choose_destination(opened, request)?;
        let dir = match &landing {
            ImportTarget::Worktree(dir) | ImportTarget::Place(dir) => dir.clone(),
            ImportTarget::Fresh(dir) => dir.parent().unwrap_or(dir).to_owned(),
            ImportTarget::Scratch => self.0.home.path.clone(),
        };
        let chosen = self.plan_from_handoff(opened, &dir)?;
        self.0.tmux()?;
        Family(self.0).check_spawn_limits(&chosen, None)?;
        let spawn_request =
            SpawnRequest { workspace: Some(landing.workspace()), dir: Some(dir), ..SpawnRequest::default() };
        let mut moving = ImportInProgress { opened, landing, chosen, spawn_request, remarks: Vec::new() };
        let (mut record, lock) = self.reserve_handed(&mut moving, request.name.as_ref())?;
        let (resumed, to_type) = match self.import_files(&mut record, &mut moving, request.queue) {
            Ok(started) => started,
            Err(error) => {
                self.free_name(lock, &record.name);
                return Err(error);
            }
        };
        drop(lock);
        SupervisorControl(self.0).ensure_supervisor();
        Launcher(self.0).fail_on_early_exit(&record, &moving.chosen.kind)?;
        if let Some(text) = to_type {
            Delivery(self.0).send_first(&record.name, &text)?;
        }
        let mut remarks = moving.remarks;
        remarks.extend(SupervisorControl(self.0).remark_on_supervision(&record));
        remarks.extend(self.missing_variables(opened, &record.name));
        Ok(Imported { agent: Spawning(self.0).as_spawned(&record), resumed, remarks })
    }

    /// Builds the launch plan from the spec in the hand-off, with the programs of this machine.
    fn plan_from_handoff(&self, opened: &OpenedHandoff, dir: &Path) -> Result<LaunchPlan, Error> {
        let params = opened.record.params.iter().map(|given| (given.name.clone(), given.value.to_string()));
        let args = SpawnArgs {
            // `restart --fresh` uses this. The spec file exists only on the machine of its author, but the kind exists
            // here.
            spec: Some(opened.manifest.kind.clone()).filter(|kind| kind != PLAIN_COMMAND),
            command: if opened.manifest.kind == PLAIN_COMMAND { opened.spec.command.clone() } else { vec![] },
            dir: dir.to_path_buf(),
            title: opened.record.title.clone(),
            params: params.collect(),
            ..SpawnArgs::default()
        };
        LaunchPlanner(self.0).chosen_from(opened.spec.clone(), args, dir, vec![])
    }

    /// Reserves the requested name, or the first free one.
    fn reserve_handed(
        &self,
        moving: &mut ImportInProgress<'_>,
        wanted: Option<&AgentName>,
    ) -> Result<(AgentRecord, AgentLock), Error> {
        let was = &moving.opened.manifest.name;
        let dir = moving.spawn_request.dir.clone().unwrap_or_default();
        if let Some(name) = wanted {
            moving.spawn_request.name = Some(name.clone());
            return Spawning(self.0).reserve(&moving.spawn_request, &moving.chosen, &dir);
        }
        for name in names(was) {
            moving.spawn_request.name = Some(name.clone());
            match Spawning(self.0).reserve(&moving.spawn_request, &moving.chosen, &dir) {
                Err(error) if error.code() == Code::NameTaken => {}
                reserved => {
                    if name != *was {
                        let why = match was.is_reserved() {
                            true => "is a reserved word",
                            false => "is the name of another agent",
                        };
                        moving.remarks.push(format!("`{was}` {why}: this agent is `{name}`"));
                    }
                    return reserved;
                }
            }
        }
        Err(Error::name_taken(was))
    }

    /// Creates the workspace and starts the agent; on a failure removes everything that was created. Returns the same
    /// as [`Self::start_moved`].
    fn import_files(
        &self,
        record: &mut AgentRecord,
        moving: &mut ImportInProgress<'_>,
        queue: QueueImport,
    ) -> Result<(bool, Option<String>), Error> {
        let _room = Capacity(self.0).acquire_start_slot(record)?;
        let mut alone = Family(self.0).lock_instance_count(&moving.chosen, None)?;
        Family(self.0).check_spawn_limits(&moving.chosen, None)?;
        // Up to here nothing under this name belongs to the import, so a rollback must not remove anything.
        self.remove_earlier_files(record)?;
        let moved = self
            .move_in(record, moving, &mut alone)
            .and_then(|()| self.bring_conversation(record, moving))
            .and_then(|resume| self.start_moved(record, moving, queue, resume));
        moved.inspect_err(|error| self.move_out(record, &moving.landing, error))
    }

    /// Releases the name after a failed import. The lock file is removed unless an agent has this name.
    fn free_name(&self, lock: AgentLock, name: &AgentName) {
        if matches!(self.0.store.find(name, self.0.now()), Ok(None)) {
            lock.release_and_remove();
        }
    }

    /// Fills the queue, writes the spawn manifest and starts the agent. Returns whether it resumes its conversation,
    /// and the prompt that is still to be typed.
    fn start_moved(
        &self,
        record: &mut AgentRecord,
        moving: &mut ImportInProgress<'_>,
        queue: QueueImport,
        resume: Option<String>,
    ) -> Result<(bool, Option<String>), Error> {
        let (opened, kind) = (moving.opened, moving.chosen.kind.clone());
        let resumed = resume.is_some();
        let opening = match resume {
            Some(id) => ConversationOpening::Resume(id),
            None => conversation_start::first(&kind.conversation, uuid::Uuid::new_v4().to_string()),
        };
        record.conversation = opening.stored();
        if resumed {
            let name = opened.manifest.conversation.name.as_deref().and_then(Title::clean);
            record.conversation.name = name.map(String::from);
        }
        let prompt = opened.first_prompt().filter(|_| !resumed);
        // The record is stored before the agent runs, because the events of its hooks are checked against it.
        RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?;
        LaunchPlanner(self.0).write_spawn_manifest(&SpawnManifest {
            record: record.clone(),
            env: vec![],
            spec: Some(moving.chosen.spec.clone()),
            args: Some(moving.chosen.args.clone()),
            variables: Launcher(self.0).needed_variables(),
        })?;
        let queued = self.bring_queue(record, moving, queue)?;
        failpoint::reached("handoff.queued");
        let as_argument = prompt.as_deref().filter(|text| Launcher::takes_as_argument(&kind, text));
        let start = LaunchParams {
            kind: &kind,
            opening,
            prompt: as_argument,
            pane: None,
            env: EnvFrom::Caller,
            size: None,
        };
        // From here on this is an ordinary agent. The rollback log is cleared first, so that an interrupted import
        // never removes files of a running agent.
        let note = self.moving_note(record);
        self.note_moved(record)?;
        failpoint::reached("handoff.moved");
        if let Err(error) = Launcher(self.0).start_in_tmux(record, &start) {
            self.cancel_queue(&queued);
            if is_out(record, &error) {
                self.note_moving(record, &note)?;
            }
            return Err(error);
        }
        let to_type = prompt.clone().filter(|_| as_argument.is_none());
        Ok((resumed, to_type))
    }

    /// Reports variables that the agent had on the other machine and that are not set here.
    fn missing_variables(&self, opened: &OpenedHandoff, name: &AgentName) -> Option<String> {
        let is_name = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let names: Vec<&str> = opened
            .manifest
            .variables
            .iter()
            .map(String::as_str)
            .filter(|variable| is_name(variable) && self.0.env.var(variable).is_none())
            .collect();
        (!names.is_empty()).then(|| {
            format!(
                "it was given variables that are not set here: {}; export them, then `symposium agent restart {name}`",
                listed_names(names.iter().copied())
            )
        })
    }

    /// Removes everything that the import created. If tmux timed out, it may still start the agent, so the record is
    /// kept for its session.
    fn move_out(&self, record: &AgentRecord, landing: &ImportTarget, error: &Error) {
        if !is_out(record, error) {
            return;
        }
        if let ImportTarget::Fresh(dir) = landing
            && self.moving_note(record).made.as_ref() == Some(dir)
        {
            let _ = std::fs::remove_dir_all(dir);
        }
        Workspaces(self.0).withdraw(record);
    }
}

/// Returns whether no process of the agent runs after a failure, and none will start.
fn is_out(record: &AgentRecord, error: &Error) -> bool {
    record.tmux.is_none() && error.code() != Code::TmuxTimedOut
}

/// Maximum number of untrusted actions that an error lists; `--show` lists all.
const MAX_LISTED_ACTIONS: usize = 20;

/// Returns the error for a hand-off that would run commands on this machine that the user has not agreed to.
fn untrusted(name: &AgentName, acts: &[String]) -> Error {
    let more = acts.len().saturating_sub(MAX_LISTED_ACTIONS);
    Error::new(
        Code::UntrustedHandoff,
        format!("agent `{name}` would perform actions on this machine that need your consent"),
    )
    .saw_all(acts.iter().take(MAX_LISTED_ACTIONS).flat_map(|act| act_lines(act)))
    .saw_all((more > 0).then(|| format!("and {more} more")))
    .saw("nothing was changed")
    .hint("inspect it with `--show`; if you agree, add `--yes --trust`")
}

/// Describes an action of the agent, with the text that it receives below.
fn act_lines(act: &str) -> impl Iterator<Item = String> {
    act.split('\n').enumerate().map(|(at, line)| match at {
        0 => format!("it {line}"),
        _ => format!("  {line}"),
    })
}
