//! The verbs: the only place where edges meet. One file a verb; every face calls these and nothing below.

mod answer;
mod answer_option;
mod attach;
mod beat;
mod birth;
mod blueprint;
mod board;
mod bubble;
mod carried;
mod choose;
mod completions;
mod conversation;
mod deliver;
mod deny_because;
mod detach;
mod digest;
mod dispatch;
mod doctor;
mod doctor_server;
mod driver;
mod edge;
mod editor;
mod ending_server;
mod environments;
mod event;
mod evict;
mod failure;
mod family;
mod far;
mod far_attach;
mod far_list;
mod first;
mod foreground;
mod handoff;
mod hang;
mod hibernate;
mod host;
mod interrupt;
mod keep_alive;
mod kill;
mod launch;
mod logs;
mod manual;
mod mcp;
mod message;
mod metrics;
mod peek;
mod place;
mod prune;
mod pulse;
mod queue;
mod ready;
mod rebuilt;
mod recap;
mod reconcile;
mod reload_config;
mod remote;
mod removal;
mod rename;
mod restart;
mod restore;
mod resume;
mod rm;
mod send;
mod service;
mod settings;
mod settle;
mod share;
mod share_door;
mod shell;
mod side_by_side;
mod spawn;
mod spec_check;
mod spec_init;
mod spec_list;
mod spec_show;
mod supervise;
mod supervisor_log;
mod task;
mod task_add;
mod task_wait;
mod taskspace;
mod taskspace_update;
mod tell;
mod tidy;
mod tied;
mod topic;
mod trust;
mod unshare;
mod vanish;
mod variables;
mod visit;
mod wait;
mod watch;
mod work;
mod workspace;
mod write;
mod writers;

use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub use answer::{Answer, Answered};
pub use attach::{AttachRequest, Attaching};
pub use beat::Beaten;
pub use blueprint::Place;
pub use board::{LONGEST_NOTE, Writing};
pub use choose::Body;
pub use completions::Named;
pub use conversation::ConversationView;
pub use dispatch::{Dispatchable, Errand, Outcome};
pub use doctor::{Check, Health};
pub use environments::{EnvironmentView, Environments};
pub use far::{FarCommand, Piece, Showing};
pub use far_attach::{Before, FarAttach, LinkNews, TAKE, WITHIN_TMUX};
pub use far_list::{FarAgents, PATIENCE};
pub use handoff::{
    Destination, Existing, ExportRequest, Exported, ImportRequest, Imported, Parcel, QueueWish, Secrets,
    Trust,
};
pub use host::{Asking, HostAdded, HostRequest, HostView, Insisting};
pub use interrupt::Interrupted;
pub use keep_alive::KeptAlive;
pub use kill::Killed;
pub use logs::{LogsRequest, LogsStyle};
pub use message::{MessageFilter, MessageRequest};
pub use peek::{Peeked, PeekedFrom};
pub use prune::{PruneRequest, Pruned};
pub use pulse::SupervisorStall;
pub use reconcile::Survey;
pub use remote::serve;
pub use restart::Afresh;
pub use restore::{Continued, Restored, Whom};
pub use resume::Resumed;
pub use rm::{Removal, Removed};
pub use send::SendRequest;
pub use service::{Installed, Service, Uninstalled};
pub use settings::Changes;
pub use settle::Settled;
pub use share::{ShareRequest, Shared};
pub use shell::WorkspaceProgram;
pub use spawn::{Lifetime, SpawnRequest, Spawned, UncommittedChanges};
pub use spec_check::SpecsChecked;
pub use spec_list::{KindLine, SpecLine, SpecList};
pub use spec_show::SpecShown;
pub use supervise::{Card, Exits, Supervision, Turn};
pub use supervisor_log::LogEnd;
pub use task::{TaskFilter, TaskShown, TaskView};
pub use task_add::{TaskAdded, TaskRequest};
pub use taskspace::TaskspaceView;
pub use taskspace_update::TaskspaceUpdate;
pub use tell::{Announcer, Telling, Told};
pub use trust::{SpecEffects, TrustReview};
pub use unshare::Unshared;
pub use vanish::Vanished;
pub use visit::{Left, SharedWithUs, Want};
pub use wait::WaitRequest;
pub use watch::{Watching, Woken};
pub use writers::{StalledWriter, WriterRepair, WriterRepairs, WritersSeen};

use crate::env::{Env, Home};
use crate::error::Error;
use crate::kinds::Kinds;
use crate::ledger::Ledger;
use crate::model::{Agent, AgentName, AgentRecord, Config, EnvironmentName, Status};
pub use crate::ssh::Heed;
use crate::store::{Store, StoreError};
pub use crate::tmux::{Around, Arrival, AttachAs as As, CoverPage, GuestMay};
use crate::tmux::{Setup, SocketRule, Tmux, choose_socket};

/// How long one call of tmux may take. A loaded machine answers in well under a second; a stopped server never.
const TMUX_BOUND: Duration = Duration::from_secs(5);
/// The least time that a look at tmux gets: a healthy server answers within milliseconds.
const MIN_LOOK: Duration = Duration::from_secs(1);

/// Told while something takes long.
type Progress = Box<dyn Fn(&str) + Send + Sync>;

/// One environment, opened.
pub struct Manager {
    env: Env,
    home: Home,
    store: Store,
    kinds: Mutex<Option<settings::Read<Kinds>>>,
    tmux: OnceLock<Tmux>,
    ledger: OnceLock<Ledger>,
    /// The same, for one who only ever reads: it may not be there yet, and none is begun.
    reading: OnceLock<Ledger>,
    settings: Mutex<Option<settings::Read<Config>>>,
    notices: Mutex<Vec<String>>,
    unheard: Mutex<Option<Error>>,
    progress: OnceLock<Progress>,
    /// When looks at tmux must be over, for a command that has a deadline.
    looks_until: Mutex<Option<Instant>>,
}

impl Manager {
    /// Opens the environment that `--home`, the variable or the default names.
    pub fn open(env: Env, home: Option<&Path>) -> Result<Manager, Error> {
        Manager::of(env, home, Store::open)
    }

    /// The same for who only looks: no directory is made.
    pub fn open_existing(env: Env, home: Option<&Path>) -> Result<Manager, Error> {
        Manager::of(env, home, Store::open_existing)
    }

    fn of(
        env: Env,
        home: Option<&Path>,
        store: fn(&Path) -> Result<Store, StoreError>,
    ) -> Result<Manager, Error> {
        if let Some(given) = env.chosen_environment(home)
            && let Err(why) = given.parse::<EnvironmentName>()
        {
            return Err(Error::BadName { given, why });
        }
        let home = env.home(home).ok_or_else(|| Error::State {
            what: "cannot tell where the state directory is: HOME is not set".into(),
            saw: vec![],
            hint: "set HOME or SYMPOSIUM_HOME".into(),
        })?;
        if home.path.to_str().is_none() {
            return Err(Error::State {
                what: format!("the state directory {:?} is not valid UTF-8", home.path),
                saw: vec![],
                hint: "set SYMPOSIUM_HOME to a path that is".into(),
            });
        }
        // One that was removed must not come back because of a late hook, nor by a slip of the keyboard.
        if let Ok(environments) = Environments::of(env.clone())
            && let Some(name) = environments.lacks(&home.path)
        {
            return Err(environments.no_such(&name));
        }
        let store = store(&home.path)?;
        Ok(Manager {
            env,
            home,
            store,
            kinds: Mutex::default(),
            tmux: OnceLock::new(),
            ledger: OnceLock::new(),
            reading: OnceLock::new(),
            settings: Mutex::default(),
            notices: Mutex::default(),
            unheard: Mutex::default(),
            progress: OnceLock::new(),
            looks_until: Mutex::default(),
        })
    }

    /// What was repaired on the way, to be said once.
    pub fn notices(&self) -> Vec<String> {
        let said = self.store.take_notices().into_iter().map(|notice| notice.to_string());
        let own = std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner));
        said.chain(own).collect()
    }

    /// Whom to tell while something takes long.
    pub fn on_progress(&self, tell: impl Fn(&str) + Send + Sync + 'static) {
        let _ = self.progress.set(Box::new(tell));
    }

    fn progress(&self, text: &str) {
        if let Some(tell) = self.progress.get() {
            tell(text);
        }
    }

    /// Keeps something to be said once.
    fn notice(&self, what: String) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&what) {
            notices.push(what);
        }
    }

    /// The state directory.
    pub fn home(&self) -> &Path {
        &self.home.path
    }

    /// The user's home directory, to shorten paths.
    pub fn user_home(&self) -> Option<String> {
        self.env.user_home()?.to_str().map(str::to_owned)
    }

    fn tmux(&self) -> Result<&Tmux, Error> {
        if let Some(tmux) = self.tmux.get() {
            return Ok(tmux);
        }
        let tmux = Tmux::find(self.tmux_setup()?)?;
        self.mend_socket(&tmux);
        Ok(self.tmux.get_or_init(|| tmux))
    }

    /// Bounds all further looks at tmux by a deadline.
    fn limit_looks(&self, until: Option<Instant>) {
        *self.looks_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// How long a look at tmux may take now. One that begins at the deadline still gets a moment.
    fn look_bound(&self) -> Duration {
        let until = *self.looks_until.lock().unwrap_or_else(PoisonError::into_inner);
        let left = until.map(|until| until.saturating_duration_since(Instant::now()).max(MIN_LOOK));
        left.unwrap_or(TMUX_BOUND).min(TMUX_BOUND)
    }

    fn tmux_setup(&self) -> Result<Setup, Error> {
        let run_dir = self.store.run_dir();
        let socket = choose_socket(&SocketRule {
            run_dir: &run_dir,
            over: self.env.var("SYMPOSIUM_TMUX_SOCKET"),
            home: &self.home.path,
            default_home: self.home.is_default,
            tmpdir: self.env.var("TMUX_TMPDIR"),
            uid: Env::uid(),
        })?;
        Ok(Setup {
            path: self.env.var("PATH").map(Into::into),
            socket,
            run_dir,
            home: self.home.path.clone(),
            user_conf: self.home.path.join("tmux.conf"),
            binary: self.env.exe().to_path_buf(),
            base_env: self.env.for_server(),
            bound: TMUX_BOUND,
        })
    }

    fn record(&self, name: &AgentName, verb: &'static str) -> Result<AgentRecord, Error> {
        match self.store.find(name, Env::now())? {
            Some(record) => Ok(record),
            None => Err(self.no_such_agent(name, verb)),
        }
    }

    fn no_such_agent(&self, name: &AgentName, verb: &'static str) -> Error {
        let known = self.store.read(Env::now()).unwrap_or_default();
        Error::NoSuchAgent {
            name: name.to_string(),
            known: known.into_iter().map(|r| r.name).collect(),
            verb,
        }
    }

    /// One agent as everybody sees it.
    pub fn show(&self, name: &AgentName) -> Result<Agent, Error> {
        self.agent(name, "show")
    }

    fn agent(&self, name: &AgentName, verb: &'static str) -> Result<Agent, Error> {
        let survey = self.survey()?;
        self.say_what_is_unknown(&survey);
        match survey.agents.into_iter().find(|agent| agent.name == *name) {
            Some(agent) => {
                self.keep_unheard(survey.silence.filter(|_| agent.status == Status::Unknown));
                Ok(agent)
            }
            None => Err(self.no_such_agent(name, verb)),
        }
    }

    /// The agent with a process that can be acted on.
    fn running(&self, name: &AgentName, verb: &'static str) -> Result<Agent, Error> {
        let survey = self.survey()?;
        match survey.agents.into_iter().find(|agent| agent.name == *name) {
            None => Err(self.no_such_agent(name, verb)),
            Some(agent) if agent.tmux.is_some() && agent.status.is_live() => Ok(agent),
            Some(agent) if foreground::is_in_terminal(&agent) => Err(Error::InTerminal { name: agent.name }),
            Some(_) if survey.silence.is_some() => survey.silence.map_or_else(|| unreachable!(), Err),
            Some(agent) => Err(Error::NotRunning {
                name: agent.name,
                status: format!("{} ({})", agent.status, agent.reason),
            }),
        }
    }
}
