//! `agent spawn`: creates an agent, starts it in tmux and records it.
//!
//! All checks run before anything is created. The agent's lock reserves the name while the agent is started; the
//! registry is written once, when the agent runs. If the spawn is killed before that, the tmux session carries the
//! record, and the next command recovers it from there.

use std::path::{Path, PathBuf};

use crate::error::{Code, Error};
use crate::failpoint;
use crate::git;
use crate::manager::delivery::Delivery;
use crate::manager::family::Family;
use crate::manager::launch::Launcher;
use crate::manager::launch::start::{EnvFrom, LaunchParams};
use crate::manager::lifecycle::rename::refuse_reserved;
use crate::manager::lifecycle::{Capacity, Spawning};
use crate::manager::queue::TaskQueue;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_manifest::SpawnManifest;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::workspace::{WorkspaceSetup, Workspaces};
use crate::model::Title;
use crate::model::{Agent, AgentName, AgentRecord, Kind, Prompt, TaskId, Workspace};
use crate::rules::lifecycle::conversation_start::ConversationOpening;
use crate::rules::lifecycle::{conversation, conversation_start, naming};
use crate::rules::specs::params;
use crate::store::{AgentLock, AgentLocks, StartLock, StoreError};

/// The result of a spawn.
#[derive(Debug)]
pub struct Spawned {
    /// The agent as `list` shows it.
    pub agent: Agent,
    /// Additional observations for the user.
    pub remarks: Vec<String>,
    /// Problems that the user should check.
    pub warnings: Vec<String>,
}

/// A spawn that was checked: what to start, and where.
#[derive(Clone)]
pub(in crate::manager) struct SpawnPlan<'a> {
    pub request: &'a SpawnRequest,
    pub chosen: &'a LaunchPlan,
    /// The directory that the agent or its worktree starts from.
    pub dir: &'a Path,
    pub parent: Option<AgentName>,
    /// How the conversation is opened; `None` means as requested.
    pub opening: Option<ConversationOpening>,
}

impl Spawning<'_> {
    /// Starts a new agent and returns it.
    pub fn spawn(&self, request: SpawnRequest) -> Result<Spawned, Error> {
        let dir = self.0.working_directory(request.dir.as_deref())?;
        let parent = Family(self.0).parent(request.parent.as_ref())?;
        let chosen = LaunchPlanner(self.0).chosen(&request, parent.as_ref(), &dir)?;
        chosen.refuse_untrusted()?;
        refuse_unknown_conversation(&request, &chosen)?;
        self.spawn_planned(SpawnPlan { request: &request, chosen: &chosen, dir: &dir, parent, opening: None })
    }

    /// Starts a new agent as planned.
    pub(in crate::manager) fn spawn_planned(&self, plan: SpawnPlan<'_>) -> Result<Spawned, Error> {
        let SpawnPlan { request, chosen, dir, parent, opening } = plan;
        let task = chosen.task(request.task.as_deref())?;
        let task = task.as_ref().map(Prompt::as_str);
        self.0.tmux()?;
        Family(self.0).check_spawn_limits(chosen, parent.as_ref())?;
        let (mut record, lock) = self.reserve(request, chosen, dir)?;
        record.parent = parent;
        let slot = match Capacity(self.0).acquire_start_slot(&record) {
            Ok(slot) => slot,
            Err(error) => {
                // Nothing else refers to the name yet, so its lock file can be removed.
                lock.release_and_remove();
                return Err(error);
            }
        };
        let mut alone = Family(self.0).lock_instance_count(chosen, record.parent.as_ref())?;
        Family(self.0).check_spawn_limits(chosen, record.parent.as_ref())?;
        let opening = match opening {
            Some(opening) => {
                record.conversation = opening.stored();
                opening
            }
            None => self.opening(&mut record, &chosen.kind, request.conversation.clone()),
        };
        self.create_instance(&mut record, request, chosen, &mut alone)?;
        let item = TaskQueue(self.0)
            .add_first_task(&record, chosen, task)
            .inspect_err(|_| Workspaces(self.0).withdraw(&record))?;
        Launcher(self.0)
            .keep_initial_prompt(&record.name, task)
            .inspect_err(|_| Workspaces(self.0).withdraw(&record))?;
        let as_argument = task.filter(|task| Launcher::takes_as_argument(&chosen.kind, task));
        let start = LaunchParams {
            kind: &chosen.kind,
            opening,
            prompt: as_argument,
            pane: None,
            env: EnvFrom::Caller,
            size: request.size,
        };
        Launcher(self.0)
            .start_in_tmux(&mut record, &start)
            .map_err(|error| self.undo_failed_start(&record, item, error))?;
        drop((lock, slot, alone));
        SupervisorControl(self.0).ensure_supervisor();
        Launcher(self.0).fail_on_early_exit(&record, &chosen.kind)?;
        let mut remarks: Vec<String> =
            SupervisorControl(self.0).remark_on_supervision(&record).into_iter().collect();
        if let Some(task) = task.filter(|_| as_argument.is_none()) {
            Delivery(self.0).send_first(&record.name, task)?;
            remarks.push("its task was typed in".into());
        }
        Ok(Spawned { agent: self.as_spawned(&record), remarks, warnings: chosen.warnings.clone() })
    }

    /// Removes what was created for an agent that could not be started. An agent that runs but could not be recorded, or
    /// that a slow tmux may still start, is kept: its session carries its record.
    fn undo_failed_start(&self, record: &AgentRecord, first_task: Option<TaskId>, error: Error) -> Error {
        if error.code() == Code::TmuxTimedOut {
            let name = &record.name;
            return error
                .saw(format!("tmux may still start agent `{name}` when it answers again"))
                .hint(format!("`symposium agent show {name}` shows whether it did; do not start it twice"));
        }
        if record.tmux.is_none() {
            Workspaces(self.0).withdraw(record);
            TaskQueue(self.0).cancel_first_task(first_task);
        }
        error
    }

    /// Returns the new agent as `list` would show it, without another tmux query.
    pub(in crate::manager) fn as_spawned(&self, record: &AgentRecord) -> Agent {
        use crate::model::{LivePane, LiveServer, ServerIdentity, TmuxSnapshot};
        use crate::rules::status::reconcile::{TmuxReply, join};
        let location = record.tmux.as_ref();
        let pane = location.map(|location| LivePane {
            session: location.session.clone(),
            pane: location.pane.clone(),
            agent: Some(record.id),
            pid: record.pid,
            dead: None,
            activity: record.started_at,
        });
        let snapshot = TmuxSnapshot::Running(LiveServer {
            identity: ServerIdentity(location.map(|location| location.server.clone()).unwrap_or_default()),
            version: String::new(),
            panes: pane.into_iter().collect(),
            clients: vec![],
        });
        let mut joined = join(vec![record.clone()], TmuxReply::Snapshot(&snapshot), &|_| true, self.0.now());
        joined.agents.remove(0)
    }

    /// Reserves a name. While its lock is held and no record uses it, no other spawn can take it.
    pub(in crate::manager) fn reserve(
        &self,
        request: &SpawnRequest,
        chosen: &LaunchPlan,
        dir: &Path,
    ) -> Result<(AgentRecord, AgentLock), Error> {
        if let Some(name) = &request.name {
            refuse_reserved(name)?;
            let lock = AgentLocks(&self.0.store).lock(name, "spawn")?;
            return match self.is_free(name)? {
                true => Ok((self.new_record(name, request, chosen, dir), lock)),
                false => Err(Error::name_taken(name)),
            };
        }
        let what_for = request.task.as_deref().or(request.called_for.as_deref());
        let task = what_for.map(|task| params::fill(task, &chosen.params));
        for name in naming::candidates(&chosen.spec.name, task.as_deref()) {
            let Some(lock) = AgentLocks(&self.0.store).try_lock(&name, "spawn")? else { continue };
            if self.is_free(&name)? {
                return Ok((self.new_record(&name, request, chosen, dir), lock));
            }
        }
        Err(Error::usage("cannot find a free name").hint("give one with `--name`"))
    }

    fn is_free(&self, name: &AgentName) -> Result<bool, Error> {
        let free = self.0.store.find(name, self.0.now())?.is_none();
        failpoint::reached("spawn.reserved");
        Ok(free)
    }

    pub(in crate::manager) fn opening(
        &self,
        record: &mut AgentRecord,
        kind: &Kind,
        wanted: Option<String>,
    ) -> ConversationOpening {
        let name = wanted.as_deref().filter(|text| !conversation::is_id(text)).and_then(Title::clean);
        let opening = match wanted {
            Some(id) if name.is_none() && !kind.conversation.resume.is_empty() => {
                ConversationOpening::Resume(id)
            }
            _ => conversation_start::first(&kind.conversation, uuid::Uuid::new_v4().to_string()),
        };
        record.conversation = opening.stored();
        record.conversation.name = name.map(String::from);
        opening
    }

    /// Creates the instance directory, after removing what an earlier agent of this name left behind.
    pub(in crate::manager) fn create_instance(
        &self,
        record: &mut AgentRecord,
        request: &SpawnRequest,
        chosen: &LaunchPlan,
        alone: &mut Option<StartLock>,
    ) -> Result<(), Error> {
        self.0.store.begin()?;
        StatusTracker(self.0).move_renamed_instance(&record.name)?;
        let worktree = Workspaces(self.0).plan_worktree(record, request, chosen)?;
        Workspaces(self.0).warn_of_shared_directory(record)?;
        let instance = self.0.store.instance(&record.name);
        instance.remove()?;
        let undo = |_: &StoreError| drop(instance.remove());
        instance.create().inspect_err(undo)?;
        if record.workspace == Workspace::Scratch {
            let workspace = instance.create_workspace().inspect_err(undo)?;
            record.working_directory = workspace.to_string_lossy().into_owned();
            record.project = Some(record.working_directory.clone());
            record.branch = None;
        }
        match &worktree {
            Some(plan) => Workspaces(self.0).create_worktree(record, request, plan, alone)?,
            None => WorkspaceSetup(self.0).warn_of_unused_setup(request, chosen),
        }
        LaunchPlanner(self.0)
            .write_spawn_manifest(&SpawnManifest {
                record: record.clone(),
                env: request.env.clone(),
                spec: Some(chosen.spec.clone()),
                args: Some(chosen.args.clone()),
                variables: Launcher(self.0).needed_variables(),
            })
            .inspect_err(|_| Workspaces(self.0).withdraw(record))?;
        failpoint::reached("spawn.instance");
        Ok(())
    }

    fn new_record(
        &self,
        name: &AgentName,
        request: &SpawnRequest,
        chosen: &LaunchPlan,
        dir: &Path,
    ) -> AgentRecord {
        let now = self.0.now();
        let project = project_around(dir, &self.instances_root());
        let mut record = AgentRecord {
            project: project.to_str().map(str::to_owned),
            branch: git::branch(dir),
            workspace: request.workspace.unwrap_or(chosen.spec.workspace),
            group: request.group,
            ..AgentRecord::new(name.clone(), &chosen.kind_name, &dir.to_string_lossy(), now)
        };
        chosen.write_into(&mut record);
        record
    }

    /// Returns the directory that holds the workspaces of agents, without symbolic links.
    fn instances_root(&self) -> PathBuf {
        let path = self.0.home.path.join("instances");
        path.canonicalize().unwrap_or(path)
    }
}

/// Returns an error if a conversation was requested but the agent CLI cannot resume a given conversation.
pub(in crate::manager) fn refuse_unknown_conversation(
    request: &SpawnRequest,
    chosen: &LaunchPlan,
) -> Result<(), Error> {
    if request.conversation.is_none() || !chosen.kind.conversation.resume.is_empty() {
        return Ok(());
    }
    Err(Error::usage(format!("`{}` has no option to choose a conversation", chosen.spec.name))
        .hint("omit `--conversation`"))
}

/// Returns the project of a directory. The worktree of an agent, below `instances`, belongs to its repository.
fn project_around(dir: &Path, instances: &Path) -> PathBuf {
    match git::project(dir) {
        Some(top) if top.starts_with(instances) => git::repository(&top),
        Some(top) => top,
        None => dir.to_path_buf(),
    }
}
