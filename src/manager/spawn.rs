//! `agent spawn`: a new agent, started in tmux, written down.
//!
//! Nothing is created before everything that can be checked was checked. The agent's lock keeps its name while
//! it is being started; the registry is written once, when it runs. Killed before that, the session carries the
//! record, and the next command takes it back from there.

use std::path::{Path, PathBuf};

use super::Manager;
use super::launch::{BirthNote, Start};
use crate::env::Env;
use crate::error::{Error, shown};
use crate::failpoint;
use crate::git;
use crate::kinds::{self, Wish};
use crate::model::{
    Agent, AgentId, AgentName, AgentRecord, Conversation, Kind, Prompt, Restart, Status, StatusNote, Title,
    Workspace,
};
use crate::rules::opening::Opening;
use crate::rules::status::PLAIN_COMMAND;
use crate::rules::{fallback, naming, opening};
use crate::store::AgentLock;

/// What is to run.
#[derive(Debug, Clone)]
pub enum Body {
    /// A spec or kind by name; none means `default`.
    Spec(Option<String>),
    /// Any command.
    Command(Vec<String>),
}

/// What a user asked for.
#[derive(Debug, Clone)]
pub struct SpawnRequest {
    /// What is to run.
    pub body: Body,
    /// What it is to be called.
    pub name: Option<AgentName>,
    /// Where it is to work; none means here.
    pub dir: Option<PathBuf>,
    /// Its first prompt.
    pub task: Option<String>,
    /// Free text for people.
    pub title: Option<String>,
    /// What sort of place it works in.
    pub workspace: Workspace,
    /// Go on with this conversation of the CLI.
    pub conversation: Option<String>,
    /// Variables on top of the caller's environment.
    pub env: Vec<(String, String)>,
}

/// A new agent.
#[derive(Debug)]
pub struct Spawned {
    /// As everybody sees it.
    pub agent: Agent,
    /// What should be said about it.
    pub remarks: Vec<String>,
}

/// What is to run, found and checked.
pub(super) struct Chosen {
    pub spec: String,
    pub kind_name: String,
    pub kind: Kind,
    pub command: Vec<String>,
    pub remarks: Vec<String>,
}

impl Manager {
    /// Starts a new agent and returns it.
    pub fn spawn(&self, request: SpawnRequest) -> Result<Spawned, Error> {
        let task =
            request.task.as_deref().map(str::parse::<Prompt>).transpose().map_err(Error::Unsendable)?;
        let task = task.as_ref().map(Prompt::as_str);
        let dir = self.working_directory(request.dir.as_deref())?;
        let chosen = self.chosen(&request.body, &dir)?;
        refuse_unknown_conversation(&request, &chosen)?;
        self.tmux()?;
        let (mut record, lock) = self.reserve(&request, &chosen, &dir)?;
        let opening = self.opening(&mut record, &chosen.kind, request.conversation.clone());
        self.create_instance(&mut record, &request)?;
        let as_argument = task.filter(|task| Self::takes_as_argument(&chosen.kind, task));
        let start = Start { kind: &chosen.kind, opening, prompt: as_argument, pane: None };
        if let Err(error) = self.start_in_tmux(&mut record, &start) {
            // One that runs but could not be written down, or that a slow tmux may start all the same, is kept: its
            // session carries its record.
            if record.tmux.is_none() && !matches!(error, Error::TmuxSilent { .. }) {
                self.withdraw(&record);
            }
            return Err(error);
        }
        drop(lock);
        self.settle(&record, &chosen.kind)?;
        let mut remarks = chosen.remarks;
        if let Some(task) = task.filter(|_| as_argument.is_none()) {
            self.send_first(&record, task)?;
            remarks.push("its task was typed in".into());
        }
        Ok(Spawned { agent: self.as_spawned(&record), remarks })
    }

    /// The new agent as `list` would show it, without asking tmux once more.
    pub(super) fn as_spawned(&self, record: &AgentRecord) -> Agent {
        use crate::model::{LivePane, LiveServer, Look, ServerIdentity};
        use crate::rules::reconcile::{Seen, join};
        let place = record.tmux.as_ref();
        let pane = place.map(|place| LivePane {
            session: place.session.clone(),
            pane: place.pane.clone(),
            agent: Some(record.id),
            pid: record.pid,
            dead: None,
            activity: record.started_at,
        });
        let look = Look::Running(LiveServer {
            identity: ServerIdentity(place.map(|place| place.server.clone()).unwrap_or_default()),
            version: String::new(),
            panes: pane.into_iter().collect(),
            clients: vec![],
        });
        let mut joined = join(vec![record.clone()], Seen::Look(&look), &|_| true, Env::now());
        joined.agents.remove(0)
    }

    pub(super) fn working_directory(&self, wanted: Option<&Path>) -> Result<PathBuf, Error> {
        let wanted = match (wanted, self.env.cwd()) {
            (Some(dir), Some(cwd)) => cwd.join(dir),
            (Some(dir), None) => dir.to_path_buf(),
            (None, Some(cwd)) => cwd.to_path_buf(),
            (None, None) => {
                return Err(Error::BadDirectory {
                    path: ".".into(),
                    why: "the current directory is gone".into(),
                });
            }
        };
        let bad = |why: String| Error::BadDirectory { path: wanted.display().to_string(), why };
        let dir = wanted.canonicalize().map_err(|error| bad(error.to_string()))?;
        if !dir.is_dir() {
            return Err(bad("it is not a directory".into()));
        }
        if dir.to_str().is_none() {
            return Err(bad("its name is not valid UTF-8".into()));
        }
        Ok(dir)
    }

    /// Finds what is to run; nothing has been created when it is not there.
    pub(super) fn chosen(&self, body: &Body, dir: &Path) -> Result<Chosen, Error> {
        match body {
            Body::Command(argv) => self.chosen_command(argv, dir),
            Body::Spec(None) => {
                let kinds = self.kinds()?;
                let is_here =
                    |name: &str| kinds.get(name).is_some_and(|kind| self.program_of(kind, dir).is_some());
                let mut chosen = self.chosen_kind(fallback::kind(is_here), dir)?;
                chosen.spec = "default".into();
                Ok(chosen)
            }
            Body::Spec(Some(name)) if name == "default" => self.chosen(&Body::Spec(None), dir),
            Body::Spec(Some(name)) => self.chosen_kind(name, dir),
        }
    }

    fn chosen_kind(&self, name: &str, dir: &Path) -> Result<Chosen, Error> {
        let kinds = self.kinds()?;
        let Some(kind) = kinds.get(name).filter(|_| name != PLAIN_COMMAND) else {
            let known = kinds.names().filter(|name| *name != PLAIN_COMMAND).map(str::to_owned).collect();
            return Err(Error::NoSuchSpec { name: name.into(), known });
        };
        let program = self.program_of(kind, dir).ok_or_else(|| Error::ProgramMissing {
            program: kind.program.first().cloned().unwrap_or_else(|| name.to_owned()),
            kind: name.to_owned(),
            install: kind.install.clone(),
        })?;
        let (command, remarks) = kinds::base(kind, &program, &Wish::default());
        Ok(Chosen { spec: name.into(), kind_name: name.into(), kind: kind.clone(), command, remarks })
    }

    /// The demo agent is this very binary; every other kind is looked for in PATH.
    pub(super) fn program_of(&self, kind: &Kind, dir: &Path) -> Option<PathBuf> {
        if kind.program.first().is_some_and(|program| program == "symposium") {
            return Some(self.env.exe().to_path_buf());
        }
        kinds::find_program(kind, self.env.var("PATH"), dir)
    }

    fn chosen_command(&self, argv: &[String], dir: &Path) -> Result<Chosen, Error> {
        let program = argv.first().filter(|program| !program.is_empty()).ok_or_else(|| Error::Usage {
            what: "no command was given after `--`".into(),
            hint: Some("`symposium agent spawn -- make watch`".into()),
        })?;
        if let Some(bad) = argv.iter().find(|word| word.contains('\0')) {
            return Err(Error::Usage { what: format!("`{}` holds a NUL byte", shown(bad)), hint: None });
        }
        let kind = Kind::default();
        let found = kinds::find_program(
            &Kind { program: vec![program.clone()], ..Kind::default() },
            self.env.var("PATH"),
            dir,
        );
        let found = found.ok_or_else(|| Error::ProgramMissing {
            program: shown(program),
            kind: PLAIN_COMMAND.into(),
            install: "check the spelling; a pipeline needs a shell: `symposium agent spawn -- sh -c '…'`"
                .into(),
        })?;
        let mut command = argv.to_vec();
        command[0] = found.to_string_lossy().into_owned();
        let stem = Path::new(program)
            .file_name()
            .map_or_else(|| program.clone(), |name| name.to_string_lossy().into_owned());
        Ok(Chosen { spec: stem, kind_name: PLAIN_COMMAND.into(), kind, command, remarks: vec![] })
    }

    /// Takes a name: with its lock held and no record under it, nobody else gets it.
    pub(super) fn reserve(
        &self,
        request: &SpawnRequest,
        chosen: &Chosen,
        dir: &Path,
    ) -> Result<(AgentRecord, AgentLock), Error> {
        if let Some(name) = &request.name {
            let lock = self.store.lock_agent(name, "spawn")?;
            return match self.is_free(name)? {
                true => Ok((new_record(name, request, chosen, dir), lock)),
                false => Err(Error::NameTaken { name: name.clone() }),
            };
        }
        for name in naming::candidates(&chosen.spec, request.task.as_deref()) {
            let Some(lock) = self.store.try_lock_agent(&name, "spawn")? else { continue };
            if self.is_free(&name)? {
                return Ok((new_record(&name, request, chosen, dir), lock));
            }
        }
        Err(Error::Usage {
            what: "no free name was found".into(),
            hint: Some("give one with `--name`".into()),
        })
    }

    fn is_free(&self, name: &AgentName) -> Result<bool, Error> {
        let free = self.store.find(name, Env::now())?.is_none();
        failpoint::reached("spawn.reserved");
        Ok(free)
    }

    pub(super) fn opening(&self, record: &mut AgentRecord, kind: &Kind, wanted: Option<String>) -> Opening {
        let opening = match wanted {
            Some(id) if !kind.conversation.resume.is_empty() => Opening::Resume(id),
            _ => opening::first(&kind.conversation, uuid::Uuid::new_v4().to_string()),
        };
        record.conversation = match &opening {
            Opening::Resume(id) => Conversation { id: Some(id.clone()), name: None, begun: true },
            Opening::New(id) => Conversation { id: id.clone(), name: None, begun: false },
            Opening::ResumeLast => Conversation::default(),
        };
        opening
    }

    /// Makes the instance directory; what an earlier agent of this name left behind goes first.
    pub(super) fn create_instance(
        &self,
        record: &mut AgentRecord,
        request: &SpawnRequest,
    ) -> Result<(), Error> {
        self.store.begin()?;
        self.vacate(&record.name)?;
        let instance = self.store.instance(&record.name);
        instance.remove()?;
        instance.create()?;
        if record.workspace == Workspace::Scratch {
            record.working_directory = instance.create_workspace()?.to_string_lossy().into_owned();
            record.project = Some(record.working_directory.clone());
            record.branch = None;
        }
        let note = BirthNote { record: record.clone(), env: request.env.clone() };
        instance.write_spec(&note)?;
        failpoint::reached("spawn.instance");
        Ok(())
    }

    /// Removes what was made for an agent that could not be started.
    pub(super) fn withdraw(&self, record: &AgentRecord) {
        let _ = self.store.update(Env::now(), |edit| edit.remove(&record.name));
        let _ = self.store.instance(&record.name).remove();
    }
}

/// A conversation that the CLI cannot be told to go on with must not be left out silently.
pub(super) fn refuse_unknown_conversation(request: &SpawnRequest, chosen: &Chosen) -> Result<(), Error> {
    if request.conversation.is_none() || !chosen.kind.conversation.resume.is_empty() {
        return Ok(());
    }
    Err(Error::Usage {
        what: format!("`{}` cannot be told which conversation to go on with", chosen.spec),
        hint: Some("leave `--conversation` away".into()),
    })
}

fn new_record(name: &AgentName, request: &SpawnRequest, chosen: &Chosen, dir: &Path) -> AgentRecord {
    let now = Env::now();
    let project = git::project(dir).unwrap_or_else(|| dir.to_path_buf());
    AgentRecord {
        name: name.clone(),
        id: AgentId::fresh(),
        title: request.title.as_deref().and_then(Title::clean).map(String::from),
        spec: chosen.spec.clone(),
        kind: chosen.kind_name.clone(),
        command: chosen.command.clone(),
        working_directory: dir.to_string_lossy().into_owned(),
        project: project.to_str().map(str::to_owned),
        branch: git::branch(dir),
        workspace: request.workspace,
        created_at: now,
        started_at: None,
        last_attached: None,
        last_activity: None,
        conversation: Conversation::default(),
        parent: None,
        ephemeral: false,
        restart: Restart::default(),
        status: StatusNote::new(Status::Starting, now, "it is being started"),
        exit: None,
        pid: None,
        tmux: None,
        renamed_from: None,
    }
}
