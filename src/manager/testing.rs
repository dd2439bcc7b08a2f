//! A context for unit tests of domains: a temporary state directory, a clock that only tests move, and a tmux server
//! that consists of data. It never sleeps, and starts no process except git for agents with worktrees.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::env::{Clock, Env};
use crate::error::Error;
use crate::ledger::EventQuery;
use crate::manager::Context;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::launch_plan::SpawnTarget;
use crate::manager::specs::spawn_request::SpawnRequest;
use crate::manager::status::StatusTracker;
use crate::manager::workspace::Workspaces;
use crate::model::{
    Agent, AgentName, AgentRecord, Conversation, DeadPane, Exit, LiveClient, LivePane, Status, StatusNote,
    TmuxLocation, Workspace,
};
use crate::rules::status::decide::tests::record as any_record;
use crate::tmux::{FakeServer, Tmux};

/// The highest process id is far below this one, so that no real process is meant.
const FIRST_PID: i32 = i32::MAX - 100_000;

/// A [`Context`] with its fake clock and its fake tmux server.
pub(in crate::manager) struct TestContext {
    pub(in crate::manager) context: Context,
    pub(in crate::manager) tmux: Arc<FakeServer>,
    dir: tempfile::TempDir,
}

impl Deref for TestContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl TestContext {
    /// Creates an empty environment at ten o'clock UTC on 5 January 2026, a Monday.
    pub(in crate::manager) fn new() -> TestContext {
        TestContext::of_caller(&[])
    }

    /// Creates an environment in which the calling process has these variables.
    pub(in crate::manager) fn of_caller(vars: &[(&str, &str)]) -> TestContext {
        let dir = tempfile::Builder::new().prefix("sy").tempdir().unwrap();
        let home = dir.path().join("user");
        let project = dir.path().join("project");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(&project).unwrap();
        let fixed = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("HOME", home.to_str().unwrap()),
            ("SYMPOSIUM_SUPERVISOR", "off"),
        ];
        let is_default = |(key, _): &&(&str, &str)| !vars.iter().any(|(chosen, _)| chosen == key);
        let all: Vec<_> = fixed.iter().filter(is_default).chain(vars).copied().collect();
        let env = Env::of_test(&all, project);
        let mut context = Context::open(env, Some(&dir.path().join("state"))).unwrap();
        context.clock = Clock::manual("2026-01-05T10:00:00Z".parse().unwrap());
        let tmux = Arc::new(FakeServer::default());
        let adapter = Tmux::with_fake_server(context.tmux_setup().unwrap(), Arc::clone(&tmux));
        context.tmux.set(adapter).unwrap();
        TestContext { context, tmux, dir }
    }

    /// Writes the configuration file of the environment.
    pub(in crate::manager) fn configure(&self, toml: &str) {
        std::fs::write(self.home().join("config.toml"), toml).unwrap();
        self.config().unwrap();
    }

    /// Returns the working directory of the caller, which exists and is no repository.
    pub(in crate::manager) fn project(&self) -> std::path::PathBuf {
        self.dir.path().join("project")
    }

    /// Moves the clock forward.
    pub(in crate::manager) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }

    /// Moves the clock forward by seconds.
    pub(in crate::manager) fn advance_seconds(&self, seconds: u64) {
        self.advance(Duration::from_secs(seconds));
    }

    /// Adds an agent of kind `demo` whose status was recorded now. A live agent gets a pane in tmux.
    pub(in crate::manager) fn agent(&self, name: &str, status: Status) -> AgentRecord {
        self.agent_with(name, status, |_| {})
    }

    /// Adds an agent like [`TestContext::agent`] after changing its record.
    pub(in crate::manager) fn agent_with(
        &self,
        name: &str,
        status: Status,
        change: impl FnOnce(&mut AgentRecord),
    ) -> AgentRecord {
        let now = self.now();
        let number = self.store.read(now).unwrap().len();
        let pane = format!("%{number}");
        let socket = self.context.tmux().unwrap().socket().to_string_lossy().into_owned();
        let location = TmuxLocation { socket, server: "1700000000:0".into(), session: name.into(), pane };
        let mut record = AgentRecord {
            working_directory: self.project().to_string_lossy().into_owned(),
            project: Some(self.project().to_string_lossy().into_owned()),
            created_at: now,
            started_at: Some(now),
            status: StatusNote::new(status, now, "noted"),
            pid: Some(FIRST_PID + i32::try_from(number).unwrap()),
            tmux: Some(location),
            conversation: Conversation { begun: true, ..Conversation::default() },
            ..any_record(name, status)
        };
        change(&mut record);
        self.store.instance(&record.name).create().unwrap();
        if record.status.status.is_live() && record.tmux.is_some() {
            let pane = live_pane(&record, now);
            self.tmux.change(|server| server.panes.push(pane));
        }
        RegistryWriter(self).write(|edit| edit.put(record)).unwrap()
    }

    /// Adds an idle agent of kind `demo` with a worktree of its own, created from a directory of a repository.
    pub(in crate::manager) fn worktree_agent(&self, name: &str, from: &Path) -> AgentRecord {
        self.worktree_agent_with(name, from, |_| {}).unwrap()
    }

    /// Adds an agent like [`TestContext::worktree_agent`] after changing the request. Returns the error with which a
    /// spawn would fail.
    pub(in crate::manager) fn worktree_agent_with(
        &self,
        name: &str,
        from: &Path,
        change: impl FnOnce(&mut SpawnRequest),
    ) -> Result<AgentRecord, Error> {
        let mut request = SpawnRequest {
            body: SpawnTarget::Spec(Some("demo".into())),
            workspace: Some(Workspace::Worktree),
            ..SpawnRequest::default()
        };
        change(&mut request);
        let chosen = LaunchPlanner(self).chosen(&request, None, from)?;
        let mut record = self.agent_with(name, Status::Idle, |record| {
            record.workspace = request.workspace.unwrap_or_default();
            record.working_directory = from.to_string_lossy().into_owned();
        });
        if let Some(plan) = Workspaces(self).plan_worktree(&record, &request, &chosen)? {
            Workspaces(self).create_worktree(&mut record, &request, &plan, &mut None)?;
        }
        RegistryWriter(self).write(|edit| edit.put(record))
    }

    /// Returns the record of an agent that must exist.
    pub(in crate::manager) fn stored(&self, name: &str) -> AgentRecord {
        self.store.find(&agent_name(name), self.now()).unwrap().unwrap()
    }

    /// Changes the record of an agent.
    pub(in crate::manager) fn edit(&self, name: &str, change: impl FnOnce(&mut AgentRecord)) -> AgentRecord {
        let mut record = self.stored(name);
        change(&mut record);
        RegistryWriter(self).write(|edit| edit.put(record)).unwrap()
    }

    /// Returns all agents as lists show them.
    pub(in crate::manager) fn agents(&self) -> Vec<Agent> {
        StatusTracker(self).current_agents().unwrap().agents
    }

    /// Records another status of an agent, since now. If it is not a live status, the process in its pane ends.
    pub(in crate::manager) fn set_status(&self, name: &str, status: Status, why: &str) -> AgentRecord {
        let note = StatusNote::new(status, self.now(), why);
        if !status.is_live() {
            self.end_process(name, exit_code(i32::from(status != Status::Exited)));
        }
        self.edit(name, |record| record.status = note)
    }

    /// Ends the process in an agent's pane. The pane stays.
    pub(in crate::manager) fn end_process(&self, name: &str, exit: Exit) {
        let at = Some(self.now());
        self.tmux.change(|server| {
            for pane in server.panes.iter_mut().filter(|pane| pane.session == name) {
                pane.dead = Some(DeadPane { exit, at });
            }
        });
    }

    /// Closes an agent's session.
    pub(in crate::manager) fn close_session(&self, name: &str) {
        self.tmux.change(|server| server.panes.retain(|pane| pane.session != name));
    }

    /// Attaches a client that drives an agent.
    pub(in crate::manager) fn attach_driver(&self, name: &str) {
        let client = LiveClient {
            session: name.into(),
            tty: "/dev/pts/900".into(),
            user: None,
            observer: false,
            pid: Some(FIRST_PID - 1),
            since: Some(self.now()),
            driver: true,
            guest: false,
            focused: true,
        };
        self.tmux.change(|server| server.clients.push(client));
    }

    /// Returns whether a command that contains all these words was sent to tmux.
    pub(in crate::manager) fn sent_to_tmux(&self, words: &[&str]) -> bool {
        self.tmux.received().iter().any(|command| words.iter().all(|word| command.contains(word)))
    }

    /// Returns the reasons of all ledger events with this word as their kind, oldest first.
    pub(in crate::manager) fn events(&self, what: &str) -> Vec<String> {
        let query = EventQuery { agent: None, since: None, after: None, limit: 1000 };
        let rows = RegistryWriter(self).with_existing_ledger(|ledger| ledger.events(&query)).unwrap();
        let events = rows.into_iter().map(|(_, event)| event);
        events.filter(|event| event.what.word() == what).map(|event| event.why).collect()
    }

    /// Writes a file below the temporary directory and returns its path.
    pub(in crate::manager) fn write_file(&self, name: &str, text: &str) -> std::path::PathBuf {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

/// Parses the name of an agent.
pub(in crate::manager) fn agent_name(text: &str) -> AgentName {
    text.parse().unwrap()
}

/// Returns how a process ended that exited with a code.
pub(in crate::manager) fn exit_code(code: i32) -> Exit {
    Exit { code: Some(code), signal: None }
}

fn live_pane(record: &AgentRecord, now: Timestamp) -> LivePane {
    LivePane {
        session: record.name.to_string(),
        pane: record.tmux.as_ref().unwrap().pane.clone(),
        agent: Some(record.id),
        pid: record.pid,
        dead: None,
        activity: Some(now),
    }
}
