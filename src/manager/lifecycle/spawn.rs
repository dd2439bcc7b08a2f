//! `agent spawn`: creates an agent, starts it in tmux and records it.
//!
//! All checks run before anything is created. The agent's lock reserves the name while the agent is started; the
//! registry is written once, when the agent runs. If the spawn is killed before that, the tmux session carries the
//! record, and the next command recovers it from there.

use std::path::{Path, PathBuf};

use crate::env::Env;
use crate::error::Error;
use crate::failpoint;
use crate::git;
use crate::manager::delivery::Delivery;
use crate::manager::lifecycle::Lifecycle;
use crate::manager::lifecycle::launch::{EnvFrom, Start};
use crate::manager::lifecycle::rename::refuse_reserved;
use crate::manager::queue::TaskQueue;
use crate::manager::specs::SpecCatalog;
use crate::manager::specs::launch_plan::LaunchPlan;
use crate::manager::specs::spawn_manifest::SpawnManifest;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::workspace::Workspaces;
use crate::model::Title;
use crate::model::{
    Agent, AgentId, AgentName, AgentRecord, Conversation, Kind, Prompt, Restart, Status, StatusNote,
    Workspace,
};
use crate::rules::lifecycle::conversation_start::Opening;
use crate::rules::lifecycle::{conversation, conversation_start, naming, params};
use crate::store::{AgentLock, StartLock, StoreError};

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

impl Lifecycle<'_> {
    /// Starts a new agent and returns it.
    pub fn spawn(&self, request: SpawnRequest) -> Result<Spawned, Error> {
        let dir = self.0.working_directory(request.dir.as_deref())?;
        let parent = self.parent(request.parent.as_ref())?;
        let chosen = SpecCatalog(self.0).chosen(&request, parent.as_ref(), &dir)?;
        chosen.refuse_untrusted()?;
        let task = chosen.task(request.task.as_deref())?;
        let task = task.as_ref().map(Prompt::as_str);
        refuse_unknown_conversation(&request, &chosen)?;
        self.0.tmux()?;
        self.refuse_crowd(&chosen, parent.as_ref())?;
        let (mut record, lock) = self.reserve(&request, &chosen, &dir)?;
        record.parent = parent;
        let room = match self.make_room(&record) {
            Ok(room) => room,
            Err(error) => {
                // Nothing else refers to the name yet, so its lock file can be removed.
                lock.retire();
                return Err(error);
            }
        };
        let mut alone = self.count_alone(&chosen, record.parent.as_ref())?;
        self.refuse_crowd(&chosen, record.parent.as_ref())?;
        let opening = self.opening(&mut record, &chosen.kind, request.conversation.clone());
        self.create_instance(&mut record, &request, &chosen, &mut alone)?;
        let item = TaskQueue(self.0)
            .add_first_task(&record, &chosen, task)
            .inspect_err(|_| Workspaces(self.0).withdraw(&record))?;
        self.keep_initial_prompt(&record.name, task).inspect_err(|_| Workspaces(self.0).withdraw(&record))?;
        let as_argument = task.filter(|task| Self::takes_as_argument(&chosen.kind, task));
        let start = Start {
            kind: &chosen.kind,
            opening,
            prompt: as_argument,
            pane: None,
            env: EnvFrom::Caller,
            size: request.size,
        };
        if let Err(error) = self.start_in_tmux(&mut record, &start) {
            // An agent that runs but could not be recorded, or that a slow tmux may still start, is kept: its session
            // carries its record.
            if let Error::TmuxSilent { what, after, .. } = error {
                return Err(Error::TmuxSilent { what, after, starting: Some(record.name) });
            }
            if record.tmux.is_none() {
                Workspaces(self.0).withdraw(&record);
                TaskQueue(self.0).cancel_first_task(item);
            }
            return Err(error);
        }
        drop((lock, room, alone));
        SupervisorControl(self.0).ensure_supervisor();
        self.settle(&record, &chosen.kind)?;
        let mut remarks: Vec<String> =
            SupervisorControl(self.0).remark_on_supervision(&record).into_iter().collect();
        if let Some(task) = task.filter(|_| as_argument.is_none()) {
            Delivery(self.0).send_first(&record.name, task)?;
            remarks.push("its task was typed in".into());
        }
        Ok(Spawned { agent: self.as_spawned(&record), remarks, warnings: chosen.warnings })
    }

    /// Returns the new agent as `list` would show it, without another tmux query.
    pub(in crate::manager) fn as_spawned(&self, record: &AgentRecord) -> Agent {
        use crate::model::{LivePane, LiveServer, ServerIdentity, TmuxSnapshot};
        use crate::rules::status::reconcile::{Seen, join};
        let place = record.tmux.as_ref();
        let pane = place.map(|place| LivePane {
            session: place.session.clone(),
            pane: place.pane.clone(),
            agent: Some(record.id),
            pid: record.pid,
            dead: None,
            activity: record.started_at,
        });
        let look = TmuxSnapshot::Running(LiveServer {
            identity: ServerIdentity(place.map(|place| place.server.clone()).unwrap_or_default()),
            version: String::new(),
            panes: pane.into_iter().collect(),
            clients: vec![],
        });
        let mut joined = join(vec![record.clone()], Seen::TmuxSnapshot(&look), &|_| true, Env::now());
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
            let lock = self.0.store.lock_agent(name, "spawn")?;
            return match self.is_free(name)? {
                true => Ok((new_record(name, request, chosen, (dir, &self.instances_root())), lock)),
                false => Err(Error::NameTaken { name: name.clone() }),
            };
        }
        let what_for = request.task.as_deref().or(request.called_for.as_deref());
        let task = what_for.map(|task| params::fill(task, &chosen.params));
        for name in naming::candidates(&chosen.spec.name, task.as_deref()) {
            let Some(lock) = self.0.store.try_lock_agent(&name, "spawn")? else { continue };
            if self.is_free(&name)? {
                return Ok((new_record(&name, request, chosen, (dir, &self.instances_root())), lock));
            }
        }
        Err(Error::Usage {
            what: "no free name was found".into(),
            hint: Some("give one with `--name`".into()),
        })
    }

    fn is_free(&self, name: &AgentName) -> Result<bool, Error> {
        let free = self.0.store.find(name, Env::now())?.is_none();
        failpoint::reached("spawn.reserved");
        Ok(free)
    }

    pub(in crate::manager) fn opening(
        &self,
        record: &mut AgentRecord,
        kind: &Kind,
        wanted: Option<String>,
    ) -> Opening {
        let name = wanted.as_deref().filter(|text| !conversation::is_id(text)).and_then(Title::clean);
        let opening = match wanted {
            Some(id) if name.is_none() && !kind.conversation.resume.is_empty() => Opening::Resume(id),
            _ => conversation_start::first(&kind.conversation, uuid::Uuid::new_v4().to_string()),
        };
        record.conversation = match &opening {
            Opening::Resume(id) => Conversation { id: Some(id.clone()), name: None, begun: true },
            Opening::New(id) => Conversation { id: id.clone(), name: None, begun: false },
            Opening::ResumeLast => Conversation::default(),
        };
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
        StatusTracker(self.0).vacate(&record.name)?;
        let worktree = Workspaces(self.0).plan_worktree(record, request, chosen)?;
        Workspaces(self.0).warn_of_company(record)?;
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
            None => Workspaces(self.0).warn_of_unused_setup(request, chosen),
        }
        SpecCatalog(self.0)
            .write_birth_note(&SpawnManifest {
                record: record.clone(),
                env: request.env.clone(),
                spec: Some(chosen.spec.clone()),
                asked: Some(chosen.asked.clone()),
                variables: self.needed_variables(),
            })
            .inspect_err(|_| Workspaces(self.0).withdraw(record))?;
        failpoint::reached("spawn.instance");
        Ok(())
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
    Err(Error::Usage {
        what: format!("`{}` cannot be told which conversation to go on with", chosen.spec.name),
        hint: Some("leave `--conversation` away".into()),
    })
}

/// Returns the project of a directory. The worktree of an agent, below `instances`, belongs to its repository.
fn project_around(dir: &Path, instances: &Path) -> PathBuf {
    match git::project(dir) {
        Some(top) if top.starts_with(instances) => git::repository(&top),
        Some(top) => top,
        None => dir.to_path_buf(),
    }
}

fn new_record(
    name: &AgentName,
    request: &SpawnRequest,
    chosen: &LaunchPlan,
    (dir, instances): (&Path, &Path),
) -> AgentRecord {
    let now = Env::now();
    let project = project_around(dir, instances);
    let mut record = AgentRecord {
        name: name.clone(),
        id: AgentId::fresh(),
        title: None,
        prompt: None,
        spec: String::new(),
        kind: String::new(),
        command: vec![],
        working_directory: dir.to_string_lossy().into_owned(),
        project: project.to_str().map(str::to_owned),
        branch: git::branch(dir),
        directory_gone: None,
        workspace: request.workspace.unwrap_or(chosen.spec.workspace),
        created_at: now,
        started_at: None,
        last_attached: None,
        last_detached: None,
        last_activity: None,
        conversation: Conversation::default(),
        parent: None,
        ephemeral: false,
        restart: Restart::default(),
        restarts: vec![],
        heartbeat: None,
        params: vec![],
        changes: 0,
        status: StatusNote::new(Status::Starting, now, "it was just started"),
        exit: None,
        pid: None,
        tmux: None,
        conversations: vec![],
        renamed_from: None,
        before_start: None,
        cut_off: None,
    };
    chosen.write_into(&mut record);
    record
}
