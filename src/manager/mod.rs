//! Use cases, grouped by domain. This is the only layer where adapters meet; faces and the supervisor call it.
//!
//! [`Context`] owns the adapters of one environment. Each domain consists of small structs over it, one per purpose, such
//! as `Termination(&context).kill(…)`, so a call shows which part does the work. A domain may use the domains above it in
//! this table, never one below it (checked by `tests/layers.rs`):
//!
//! | domain | purpose |
//! | --- | --- |
//! | `registry` | writes to the registry and the ledger |
//! | `supervisor` | the supervisor process |
//! | `access` | stored shares, and ending them |
//! | `specs` | specs, and planning a launch |
//! | `workspace` | worktrees and the work in them |
//! | `review` | the changes that an agent made since its base |
//! | `status` | the status of agents |
//! | `checkpoints` | the state of a working tree before each turn |
//! | `delivery` | typing a prompt and verifying it |
//! | `queue` | entries in the queue of an agent |
//! | `launch` | starting the process of an agent |
//! | `family` | parents and children, and limits on spawning |
//! | `lifecycle` | spawn, resume, restart, kill, hibernate, rename |
//! | `restore` | resuming lost agents |
//! | `tasks` | the commands of `symposium task` |
//! | `sharing` | sharing with other users |
//! | `terminal` | attach, send, approve, peek, logs |
//! | `comments` | comments on the changes of an agent |
//! | `removal` | removing agents and keeping their work |
//! | `messages` | messages and the board |
//! | `taskspaces` | worktree, agent and task as one |
//! | `hosts` | other machines |
//! | `conversations` | the conversations of an agent |
//! | `permissions` | rights of callers of tools |
//! | `dispatch` | giving queued tasks and messages to idle agents |
//! | `recaps` | summaries of past events |
//! | `finish` | getting work into its base branch |
//! | `groups` | several agents on the same work |
//! | `handoff` | export and import |
//! | `notices` | notices to other devices |
//! | `maintenance` | periodic work of the supervisor |
//! | `web` | access to the web page |
//! | `events` | events of tmux and of agent CLIs |
//! | `diagnostics` | doctor, metrics, completion |
//! | `environments` | named environments |
//!
//! The other files belong to [`Context`]:
//!
//! - `settings`: `config.toml` and `kinds.toml`, read again when a file has changed
//! - `context_adapters`: adapters beside the store
//! - `error_from`: converts the errors of adapters
//! - `caller`: the agent, directory and terminal of the caller
//! - `agent_process`: the processes of an agent's record
//! - `hook_program`: the link through which hooks start this program
//! - `parallel`: performs an action on many agents
//! - `die_with_parent`: child processes that die with this process

mod access;
mod agent_process;
mod caller;
mod checkpoints;
mod comments;
mod context_adapters;
mod conversations;
mod delivery;
mod diagnostics;
mod die_with_parent;
mod dispatch;
mod environments;
mod error_from;
mod events;
mod family;
mod finish;
mod groups;
mod handoff;
mod hook_program;
mod hosts;
mod launch;
mod lifecycle;
mod maintenance;
mod messages;
mod notices;
mod parallel;
mod permissions;
mod queue;
mod recaps;
mod registry;
mod removal;
mod restore;
mod review;
mod settings;
mod sharing;
mod specs;
mod status;
mod supervisor;
mod tasks;
mod taskspaces;
mod terminal;
#[cfg(test)]
mod testing;
mod web;
mod workspace;

use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

pub use access::*;
pub use checkpoints::*;
pub use comments::*;
pub use conversations::ConversationView;
pub use conversations::Conversations;
pub use delivery::*;
pub use diagnostics::*;
pub use dispatch::*;
pub use environments::{EnvironmentView, Environments};
pub use events::*;
pub use family::Family;
pub use finish::*;
pub use groups::*;
pub use handoff::*;
pub use hosts::*;
pub use lifecycle::*;
pub use maintenance::*;
pub use messages::*;
pub use permissions::*;
pub use recaps::*;
pub use registry::*;
pub use removal::*;
pub use restore::*;
pub use review::*;
pub use settings::StoreChangeListener;
pub use sharing::*;
pub use specs::*;
pub use status::*;
pub use supervisor::*;
pub use tasks::*;
pub use taskspaces::*;
pub use terminal::*;
pub use web::*;
pub use workspace::*;

use crate::env::{Clock, Env, StateDirPath};
use crate::error::{Code, Error};
use crate::kinds::Kinds;
use crate::ledger::Ledger;
use crate::model::{AgentName, AgentRecord, Config, EnvironmentName};
pub use crate::ssh::FrameFlow;
use crate::store::{Store, StoreError};
pub use crate::tmux::{
    AttachAs as As, AttachSurroundings, CoverPage, GuestPermission, JoinReason, PaneScreen,
};
use crate::tmux::{SocketRule, Tmux, TmuxSetup, choose_socket};
pub use crate::transcript::LiveOutput;

/// Time limit of one tmux call. A loaded machine answers in well under a second; a stopped server never does.
const TMUX_BOUND: Duration = Duration::from_secs(5);
/// Minimum time limit of a tmux snapshot: a healthy server answers within milliseconds.
const MIN_SNAPSHOT_TIMEOUT: Duration = Duration::from_secs(1);

/// Callback that receives progress messages of a long operation.
type ProgressCallback = Box<dyn Fn(&str) + Send + Sync>;

/// The adapters, settings and clock of one environment. Every domain works on it.
pub struct Context {
    env: Env,
    clock: Clock,
    home: StateDirPath,
    store: Store,
    kinds: Mutex<Option<settings::CachedFileContent<Kinds>>>,
    tmux: OnceLock<Tmux>,
    ledger: OnceLock<Ledger>,
    /// The ledger for a command that only reads. It may not exist yet, and is not created.
    reading: OnceLock<Ledger>,
    settings: Mutex<Option<settings::CachedFileContent<Config>>>,
    notices: Mutex<Vec<String>>,
    tmux_error: Mutex<Option<Error>>,
    progress: OnceLock<ProgressCallback>,
    /// Deadline for tmux snapshots, for a command that has a timeout.
    snapshot_deadline: Mutex<Option<Instant>>,
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
            return Err(Error::bad_name(&given, why));
        }
        let home = env.home(home).ok_or_else(|| {
            Error::new(Code::State, "the state directory is unknown: HOME is not set")
                .hint("set HOME or SYMPOSIUM_HOME")
        })?;
        if home.path.to_str().is_none() {
            return Err(Error::new(
                Code::State,
                format!("the state directory {:?} is not valid UTF-8", home.path),
            )
            .hint("set SYMPOSIUM_HOME to a path that is"));
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
            clock: Clock::System,
            home,
            store,
            kinds: Mutex::default(),
            tmux: OnceLock::new(),
            ledger: OnceLock::new(),
            reading: OnceLock::new(),
            settings: Mutex::default(),
            notices: Mutex::default(),
            tmux_error: Mutex::default(),
            progress: OnceLock::new(),
            snapshot_deadline: Mutex::default(),
        })
    }

    /// Returns the notices about repairs and problems that were collected so far. Each is returned once.
    pub fn notices(&self) -> Vec<String> {
        let from_store = self.store.take_notices().into_iter().map(|notice| notice.to_string());
        let own = std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner));
        from_store.chain(own).collect()
    }

    /// Sets the callback that receives progress messages of long operations.
    pub fn on_progress(&self, callback: impl Fn(&str) + Send + Sync + 'static) {
        let _ = self.progress.set(Box::new(callback));
    }

    fn progress(&self, text: &str) {
        if let Some(callback) = self.progress.get() {
            callback(text);
        }
    }

    /// Adds a notice for the user, unless it is already there.
    fn notice(&self, what: String) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&what) {
            notices.push(what);
        }
    }

    /// Returns the current time of this context's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
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
    fn set_snapshot_deadline(&self, until: Option<Instant>) {
        *self.snapshot_deadline.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Returns the current time limit of a tmux snapshot. A snapshot that begins at the deadline still gets `MIN_SNAPSHOT_TIMEOUT`.
    fn snapshot_timeout(&self) -> Duration {
        let until = *self.snapshot_deadline.lock().unwrap_or_else(PoisonError::into_inner);
        let left =
            until.map(|until| until.saturating_duration_since(Instant::now()).max(MIN_SNAPSHOT_TIMEOUT));
        left.unwrap_or(TMUX_BOUND).min(TMUX_BOUND)
    }

    fn tmux_setup(&self) -> Result<TmuxSetup, Error> {
        let run_dir = self.store.run_dir();
        let socket = choose_socket(&SocketRule {
            run_dir: &run_dir,
            over: self.env.var("SYMPOSIUM_TMUX_SOCKET"),
            home: &self.home.path,
            default_home: self.home.is_default,
            tmpdir: self.env.var("TMUX_TMPDIR"),
            uid: Env::uid(),
        })?;
        Ok(TmuxSetup {
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
        match self.store.find(name, self.now())? {
            Some(record) => Ok(record),
            None => Err(self.no_such_agent(name, verb)),
        }
    }

    fn no_such_agent(&self, name: &AgentName, verb: &'static str) -> Error {
        let known = self.store.read(self.now()).unwrap_or_default();
        Error::no_such_agent(name.to_string(), known.into_iter().map(|r| r.name).collect(), verb)
    }
}
