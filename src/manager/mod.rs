//! Use cases, grouped by domain. This is the only layer where adapters meet; faces and the supervisor call it.
//!
//! [`Context`] owns the adapters of one environment. Each domain is a small struct over it, such as
//! `Lifecycle(&context).kill(…)`, so a call into another domain names that domain. A domain may use the domains above
//! it in this table, never one below it (checked by `tests/layers.rs`):
//!
//! | domain | purpose |
//! | --- | --- |
//! | `registry` | writes to the registry and the ledger |
//! | `supervisor` | the supervisor process |
//! | `access` | stored shares, and ending them |
//! | `specs` | specs, and planning a launch |
//! | `workspace` | worktrees and the work in them |
//! | `status` | the status of agents |
//! | `delivery` | typing a prompt and verifying it |
//! | `queue` | entries in the queue of an agent |
//! | `lifecycle` | spawn, resume, restart, restore, kill, hibernate |
//! | `tasks` | the commands of `symposium task` |
//! | `sharing` | sharing with other users |
//! | `terminal` | attach, send, approve, peek, logs |
//! | `removal` | removing agents and keeping their work |
//! | `messages` | messages and the board |
//! | `taskspaces` | worktree, agent and task as one |
//! | `hosts` | other machines |
//! | `conversations` | the conversations of an agent |
//! | `permissions` | rights of callers of tools |
//! | `dispatch` | giving queued tasks and messages to idle agents |
//! | `recaps` | summaries of past events |
//! | `handoff` | export and import |
//! | `maintenance` | periodic work of the supervisor |
//! | `events` | events of tmux and of agent CLIs |
//! | `diagnostics` | doctor, metrics, completion |
//! | `environments` | named environments |

mod access;
mod agent_process;
mod caller;
mod context_adapters;
mod conversations;
mod delivery;
mod diagnostics;
mod die_with_parent;
mod dispatch;
mod environments;
mod error_from;
mod events;
mod handoff;
mod hook_program;
mod hosts;
mod lifecycle;
mod maintenance;
mod messages;
mod parallel;
mod permissions;
mod queue;
mod recaps;
mod registry;
mod removal;
mod settings;
mod sharing;
mod specs;
mod status;
mod supervisor;
mod tasks;
mod taskspaces;
mod terminal;
mod workspace;

use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub use access::Access;
pub use access::unshare::Unshared;
pub use conversations::ConversationView;
pub use conversations::Conversations;
pub use delivery::Delivery;
pub use delivery::send::SendRequest;
pub use diagnostics::Diagnostics;
pub use diagnostics::completions::Named;
pub use diagnostics::doctor::{Check, Health};
pub use dispatch::Dispatcher;
pub use dispatch::run::{Dispatchable, Outcome, QueueItem};
pub use environments::{EnvironmentView, Environments};
pub use events::Events;
pub use handoff::Handoff;
pub use handoff::{
    Destination, Existing, ExportRequest, Exported, ImportRequest, Imported, OpenedHandoff, QueueWish,
    Secrets, Trust,
};
pub use hosts::Hosts;
pub use hosts::attach::{Before, FarAttach, LinkNews, TAKE, WITHIN_TMUX};
pub use hosts::list::{FarAgents, HOST_TIMEOUT};
pub use hosts::manage::{Asking, HostAdded, HostCheck, HostRequest, HostView};
pub use hosts::run::{FarCommand, Piece, Showing};
pub use hosts::serve::serve;
pub use lifecycle::Lifecycle;
pub use lifecycle::kill::Killed;
pub use lifecycle::restart::ConversationChoice;
pub use lifecycle::restore::{Continued, RestoreScope, Restored};
pub use lifecycle::resume::Resumed;
pub use lifecycle::spawn::Spawned;
pub use maintenance::Maintenance;
pub use maintenance::auto_restart::AutoRestartReport;
pub use maintenance::heartbeat::HeartbeatReport;
pub use maintenance::notify::{Announcer, NotifyReport, Told};
pub use maintenance::transcript_writers::{StalledWriter, WriterRepair, WriterRepairs, WritersSeen};
pub use messages::Messages;
pub use messages::board::{LONGEST_NOTE, Writing};
pub use messages::mail::{MessageFilter, MessageRequest};
pub use permissions::Permissions;
pub use queue::TaskQueue;
pub use recaps::Recaps;
pub use registry::RegistryWriter;
pub use removal::AgentRemoval;
pub use removal::ephemeral::RemovedEphemeral;
pub use removal::prune::{PruneRequest, Pruned};
pub use removal::remove::{Removal, Removed};
pub use settings::Changes;
pub use sharing::Sharing;
pub use sharing::guest::{IncomingShares, Left, Want};
pub use sharing::share::{ShareRequest, Shared};
pub use specs::SpecCatalog;
pub use specs::check::SpecsChecked;
pub use specs::launch_plan::Body;
pub use specs::list::{KindLine, SpecLine, SpecList};
pub use specs::resolve::Place;
pub use specs::show::SpecShown;
pub use specs::spawn_request::{Lifetime, SpawnRequest, UncommittedChanges};
pub use specs::trust::{SpecEffects, TrustReview};
pub use status::StatusTracker;
pub use status::reconcile::AgentList;
pub use supervisor::SupervisorControl;
pub use supervisor::control::{Card, Exits, Supervision, Turn};
pub use supervisor::log::LogEnd;
pub use supervisor::service::{Installed, Service, Uninstalled};
pub use supervisor::stall::SupervisorStall;
pub use tasks::Tasks;
pub use tasks::add::{TaskAdded, TaskRequest};
pub use tasks::finish::FinishedTasks;
pub use tasks::manage::{TaskFilter, TaskShown, TaskView};
pub use taskspaces::Taskspaces;
pub use taskspaces::manage::TaskspaceView;
pub use taskspaces::update::TaskspaceUpdate;
pub use terminal::Terminals;
pub use terminal::approve::{Answer, Answered};
pub use terminal::attach::{AttachRequest, Attaching};
pub use terminal::interrupt::Interrupted;
pub use terminal::logs::{LogsRequest, LogsStyle};
pub use terminal::peek::{Peeked, PeekedFrom};
pub use terminal::shell::WorkspaceProgram;
pub use terminal::wait::WaitRequest;
pub use terminal::watch::{Watching, Woken};
pub use workspace::Workspaces;

use crate::env::{Env, Home};
use crate::error::Error;
use crate::kinds::Kinds;
use crate::ledger::Ledger;
use crate::model::{AgentName, AgentRecord, Config, EnvironmentName};
pub use crate::ssh::Heed;
use crate::store::{Store, StoreError};
pub use crate::tmux::{Around, AttachAs as As, CoverPage, GuestMay, JoinReason};
use crate::tmux::{Setup, SocketRule, Tmux, choose_socket};

/// Time limit of one tmux call. A loaded machine answers in well under a second; a stopped server never does.
const TMUX_BOUND: Duration = Duration::from_secs(5);
/// Minimum time limit of a tmux snapshot: a healthy server answers within milliseconds.
const MIN_LOOK: Duration = Duration::from_secs(1);

/// Callback that receives progress messages of a long operation.
type Progress = Box<dyn Fn(&str) + Send + Sync>;

/// The adapters, settings and clock of one environment. Every domain works on it.
pub struct Context {
    env: Env,
    home: Home,
    store: Store,
    kinds: Mutex<Option<settings::Read<Kinds>>>,
    tmux: OnceLock<Tmux>,
    ledger: OnceLock<Ledger>,
    /// The ledger for a command that only reads. It may not exist yet, and is not created.
    reading: OnceLock<Ledger>,
    settings: Mutex<Option<settings::Read<Config>>>,
    notices: Mutex<Vec<String>>,
    unheard: Mutex<Option<Error>>,
    progress: OnceLock<Progress>,
    /// Deadline for tmux snapshots, for a command that has a timeout.
    looks_until: Mutex<Option<Instant>>,
}

impl Context {
    /// Opens the environment that `--home`, the variable or the default selects, and creates its directory if
    /// necessary.
    pub fn open(env: Env, home: Option<&Path>) -> Result<Context, Error> {
        Context::of(env, home, Store::open)
    }

    /// Opens an existing environment read-only. Creates nothing.
    pub fn open_existing(env: Env, home: Option<&Path>) -> Result<Context, Error> {
        Context::of(env, home, Store::open_existing)
    }

    fn of(
        env: Env,
        home: Option<&Path>,
        store: fn(&Path) -> Result<Store, StoreError>,
    ) -> Result<Context, Error> {
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
        // A removed environment must not be created again by a late hook or a mistyped name.
        if let Ok(environments) = Environments::of(env.clone())
            && let Some(name) = environments.lacks(&home.path)
        {
            return Err(environments.no_such(&name));
        }
        let store = store(&home.path)?;
        Ok(Context {
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

    /// Returns the notices about repairs and problems that were collected so far. Each is returned once.
    pub fn notices(&self) -> Vec<String> {
        let said = self.store.take_notices().into_iter().map(|notice| notice.to_string());
        let own = std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner));
        said.chain(own).collect()
    }

    /// Sets the callback that receives progress messages of long operations.
    pub fn on_progress(&self, tell: impl Fn(&str) + Send + Sync + 'static) {
        let _ = self.progress.set(Box::new(tell));
    }

    fn progress(&self, text: &str) {
        if let Some(tell) = self.progress.get() {
            tell(text);
        }
    }

    /// Adds a notice for the user, unless it is already there.
    fn notice(&self, what: String) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&what) {
            notices.push(what);
        }
    }

    /// Returns the state directory.
    pub fn home(&self) -> &Path {
        &self.home.path
    }

    /// Returns the user's home directory, to shorten paths.
    pub fn user_home(&self) -> Option<String> {
        self.env.user_home()?.to_str().map(str::to_owned)
    }

    fn tmux(&self) -> Result<&Tmux, Error> {
        if let Some(tmux) = self.tmux.get() {
            return Ok(tmux);
        }
        let tmux = Tmux::find(self.tmux_setup()?)?;
        self.reopen_deleted_socket(&tmux);
        Ok(self.tmux.get_or_init(|| tmux))
    }

    /// Sets a deadline for all further tmux snapshots.
    fn limit_looks(&self, until: Option<Instant>) {
        *self.looks_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Returns the current time limit of a tmux snapshot. A snapshot that begins at the deadline still gets `MIN_LOOK`.
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
            binary: self.hook_program(),
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
}
