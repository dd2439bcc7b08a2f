//! Compares the registry with one tmux snapshot, records changes and completes interrupted operations.
//!
//! The records are read before the snapshot is taken: every agent in the registry existed before the snapshot, so an
//! agent that the snapshot lacks is really gone. A change is written only if the record is still what was read and no
//! other command holds the agent's lock.

use std::sync::{Arc, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use jiff::tz::TimeZone;

use crate::error::Error;
use crate::failpoint;
use crate::manager::Context;
use crate::manager::access::Access;
use crate::manager::agent_process::is_alive;
use crate::manager::registry::RegistryWriter;
use crate::manager::registry::session_copy::{of_home, session_record_json};
use crate::manager::status::StatusTracker;
use crate::manager::workspace::Workspaces;
use crate::manager::workspace::worktree::branch_now;
use crate::model::{Agent, AgentName, AgentRecord, LivePane, Status, StatusNote, TmuxLocation, TmuxSnapshot};
use crate::process::{self};
use crate::rules::status::cut_off;
use crate::rules::status::reconcile::{
    FoundPane, ReconcileResult, RenamedSession, StatusChange, TmuxReply, join,
};
use crate::store::{AgentLock, AgentLocks, LEDGER_STALE, RunFiles};

/// State file that records that the end of an agent was requested. If it contains a reason, the end is a crash.
pub(in crate::manager) const STOPPING: &str = "stopping";

/// How long a command that shows agents waits for the disk.
const DISK_TIMEOUT: Duration = Duration::from_secs(5);

/// All agents at one moment.
#[derive(Debug)]
pub struct AgentList {
    /// All agents, sorted by name.
    pub agents: Vec<Agent>,
    /// Why tmux could not be queried, if so: then running agents are `unknown`.
    pub silence: Option<Error>,
}

impl AgentList {
    /// Returns a notice if tmux is not installed: the records are shown, and the status of agents in tmux is not known.
    pub fn without_tmux(&self) -> Option<String> {
        let silence = self.silence.as_ref().filter(|silence| silence.is_without_tmux())?;
        Some(format!(
            "{silence}; the list shows the stored status, and it is unknown which agents are still running"
        ))
    }
}

/// Determines the machines that the clients of the agent connect from.
pub(in crate::manager) fn find_origins(agent: &mut Agent) {
    for client in &mut agent.clients {
        client.from = client.pid.and_then(process::came_from);
    }
}

impl StatusTracker<'_> {
    /// Returns all agents, with one tmux query.
    pub fn current_agents(&self) -> Result<AgentList, Error> {
        let joined = self.join(vec![])?;
        self.settled_with_orphans(joined)
    }

    /// Returns all agents, for a command that shows them. Recording changes has a bounded time: while the disk does not
    /// respond, agents are shown as tmux reports them, and a notice says so.
    pub fn current_agents_for_display(context: &Arc<Context>) -> Result<AgentList, Error> {
        let joined = StatusTracker(context).join(vec![])?;
        let agents = joined.0.agents.clone();
        let (done, settled) = mpsc::channel();
        let manager = Arc::clone(context);
        // The thread is left behind, because a write to a disk that does not respond cannot be cancelled.
        let begun = thread::Builder::new().name("settle".into()).spawn(move || {
            let _ = done.send(StatusTracker(&manager).settled_with_orphans(joined));
        });
        begun.map_err(Error::io("cannot record the observed status"))?;
        settled.recv_timeout(DISK_TIMEOUT).unwrap_or_else(|_| {
            context.notice(format!(
                "the observed status could not be stored within {} s, and tasks are not shown: the disk of {} does \
                 not answer, or another command holds the registry",
                DISK_TIMEOUT.as_secs(),
                context.home.path.display()
            ));
            Ok(AgentList { agents, silence: None })
        })
    }

    fn settled_with_orphans(&self, joined: (ReconcileResult, Option<Error>)) -> Result<AgentList, Error> {
        if joined.0.orphans.is_empty() {
            return Ok(self.settled(joined));
        }
        let unwritten = match self.adopt(&joined.0.orphans) {
            Ok(()) => vec![],
            // Running agents are shown anyway: reading needs no disk space.
            Err(error) => {
                self.0.notice(format!("running agents could not be stored: {error}"));
                self.carried_by(&joined.0.orphans)?
            }
        };
        Ok(self.settled(self.join(unwritten)?))
    }

    /// Adds a notice that the status of agents is not known, on a machine without tmux.
    pub(in crate::manager) fn warn_about_unknown(&self, current_agents: &AgentList) {
        if let Some(why) = current_agents.without_tmux() {
            self.0.notice(why);
        }
    }

    /// Stores why tmux did not answer, for the command that shows the incomplete result.
    pub(in crate::manager) fn keep_tmux_error(&self, silence: Option<Error>) {
        let silence = silence.filter(|silence| !silence.is_without_tmux());
        *self.0.tmux_error.lock().unwrap_or_else(PoisonError::into_inner) = silence;
    }

    /// Returns why the last result lacks information from tmux, if tmux is installed but did not answer. Returns it
    /// once.
    pub fn take_tmux_error(&self) -> Option<Error> {
        self.0.tmux_error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Compares the registry, and records that could not be written to it, with one tmux snapshot.
    fn join(&self, unwritten: Vec<AgentRecord>) -> Result<(ReconcileResult, Option<Error>), Error> {
        let mut records = self.0.store.read(self.0.now())?;
        if RunFiles(&self.0.store).exists(LEDGER_STALE) {
            match RegistryWriter(self.0).catch_up() {
                Ok(()) => records = self.0.store.read(self.0.now())?,
                Err(error) => self.0.notice(format!("the list of agents may be outdated: {error}")),
            }
        }
        let is_new = |record: &AgentRecord| {
            records.iter().all(|known| known.id != record.id && known.name != record.name)
        };
        let new: Vec<AgentRecord> = unwritten.into_iter().filter(is_new).collect();
        records.extend(new);
        let (snapshot, silence) =
            match self.0.tmux().and_then(|tmux| Ok(tmux.snapshot_within(self.0.snapshot_timeout())?)) {
                Ok(snapshot) => (Some(snapshot), None),
                // Without records and without tmux there is nothing to show.
                Err(error) if error.is_without_tmux() && records.is_empty() => return Err(error),
                Err(error) => (None, Some(error)),
            };
        let error_text = silence.as_ref().map(ToString::to_string).unwrap_or_default();
        let seen = snapshot.as_ref().map_or(TmuxReply::Silence(&error_text), TmuxReply::Snapshot);
        Ok((join(records, seen, &is_alive, self.0.now()), silence))
    }

    fn settled(&self, (mut joined, silence): (ReconcileResult, Option<Error>)) -> AgentList {
        self.apply_stop_requests(&mut joined);
        self.keep_preparing(&mut joined);
        // The next command repeats a failed repair; the result of the snapshot is valid regardless.
        let _ = self.write_changes(std::mem::take(&mut joined.changes));
        for misnamed_sessions in std::mem::take(&mut joined.misnamed_sessions) {
            let _ = self.rename_back(&misnamed_sessions);
        }
        for record in std::mem::take(&mut joined.unmoved) {
            let _ = self.finish_rename(&record);
        }
        RegistryWriter(self.0).count_tasks(&mut joined.agents);
        let (now, zone) = (self.0.now(), TimeZone::system());
        for agent in joined.agents.iter_mut().filter(|agent| cut_off::is_shown(agent.status)) {
            if let Some(cut) = &agent.cut_off {
                agent.reason = cut_off::sentence(cut, now, &zone);
            }
        }
        joined.agents.iter_mut().for_each(find_origins);
        AgentList { agents: joined.agents, silence }
    }

    /// Turns a requested end into a stop, even if the command that requested it was killed. A request with a reason
    /// becomes a crash.
    fn apply_stop_requests(&self, joined: &mut ReconcileResult) {
        let mut written = None;
        for change in &mut joined.changes {
            let note = &mut change.decision.note;
            if note.status.is_live() || *note == change.before.status {
                continue;
            }
            if let Ok(Some(why)) = self.0.store.instance(&change.before.name).read_state(STOPPING) {
                *note = match String::from_utf8_lossy(&why).as_ref() {
                    "" => StatusNote::new(Status::Stopped, note.since, "it was ended on request"),
                    why => StatusNote::new(Status::Crashed, note.since, why),
                };
            } else {
                // A command that ends an agent first records the new status and then removes the request. Reading in
                // the same order avoids missing both.
                let written =
                    written.get_or_insert_with(|| self.0.store.read(self.0.now()).unwrap_or_default());
                match written.iter().find(|record| record.id == change.before.id) {
                    Some(now) if now.status != change.before.status => note.clone_from(&now.status),
                    _ => continue,
                }
            }
            if let Some(agent) = joined.agents.iter_mut().find(|agent| agent.id == change.before.id) {
                agent.status = note.status;
                agent.reason.clone_from(&note.reason);
            }
        }
    }

    /// Keeps the status of an agent whose process is not recorded yet, as long as a command holds its lock. The agent is
    /// starting, or a hook of its new process has already reported.
    fn keep_preparing(&self, joined: &mut ReconcileResult) {
        let is_spawning = |record: &AgentRecord| {
            record.status.status.is_live() && record.tmux.is_none() && record.pid.is_none()
        };
        let busy = |record: &AgentRecord| {
            matches!(AgentLocks(&self.0.store).try_lock(&record.name, "look"), Ok(None))
        };
        let agents = &mut joined.agents;
        joined.changes.retain(|change| {
            if change.found.is_some() || !is_spawning(&change.before) || !busy(&change.before) {
                return true;
            }
            if let Some(agent) = agents.iter_mut().find(|agent| agent.id == change.before.id) {
                let note = &change.before.status;
                agent.status = note.status;
                agent.reason = match note.status {
                    Status::Starting => "it is being prepared".to_owned(),
                    _ => note.reason.clone(),
                };
            }
            false
        });
    }

    pub(in crate::manager) fn has_stop_request(&self, record: &AgentRecord) -> bool {
        matches!(self.0.store.instance(&record.name).read_state(STOPPING), Ok(Some(_)))
    }

    /// Returns whether a process is ending the agent now. A request alone may be left over from a killed command; a
    /// process that is ending the agent holds the agent's lock.
    pub(in crate::manager) fn is_being_ended(&self, record: &AgentRecord) -> bool {
        self.has_stop_request(record)
            && matches!(AgentLocks(&self.0.store).try_lock(&record.name, "look"), Ok(None))
    }

    pub(in crate::manager) fn write_changes(&self, changes: Vec<StatusChange>) -> Result<(), Error> {
        let mut mine = Vec::new();
        for change in changes {
            if let Some(lock) = AgentLocks(&self.0.store).try_lock(&change.before.name, "reconcile")? {
                mine.push((change, lock));
            }
        }
        self.discard_outdated_restarts(&mut mine);
        if mine.is_empty() {
            return Ok(());
        }
        self.write_locked_changes(mine)
    }

    /// Removes changes that return an ended agent to a live status, or that add a location in tmux to a record, if the
    /// pane no longer exists. The snapshot is older than the lock: an agent that kills itself records its stop, closes
    /// its session and dies with it, and only then releases the lock. The record alone does not show that the snapshot
    /// is outdated, because it may have been read between these steps.
    fn discard_outdated_restarts(&self, changes: &mut Vec<(StatusChange, AgentLock)>) {
        let is_revival = |change: &StatusChange| {
            let returns = !change.before.status.status.is_live() && change.decision.note.status.is_live();
            returns || change.found.is_some()
        };
        if !changes.iter().any(|(change, _)| is_revival(change)) {
            return;
        }
        let panes = match self.0.tmux().and_then(|tmux| Ok(tmux.snapshot_within(self.0.snapshot_timeout())?))
        {
            Ok(TmuxSnapshot::Running(server)) => server.panes,
            Ok(TmuxSnapshot::NoServer) | Err(_) => vec![],
        };
        changes.retain(|(change, _)| {
            let is_live = change.decision.note.status.is_live();
            let is_seen =
                |pane: &LivePane| pane.agent == Some(change.before.id) && (pane.dead.is_none() || !is_live);
            !is_revival(change) || panes.iter().any(is_seen)
        });
    }

    /// Writes changes of agents whose locks are held, unless the registry has other values by now.
    pub(in crate::manager) fn write_locked_changes(
        &self,
        changes: Vec<(StatusChange, AgentLock)>,
    ) -> Result<(), Error> {
        // Read before the registry is locked: the directory may be on a disk that does not respond.
        let with_branch =
            |(change, lock): (StatusChange, AgentLock)| (branch_now(&change.before), change, lock);
        let mine: Vec<_> = changes.into_iter().map(with_branch).collect();
        // Without tmux no pane is found, but a foreground agent may have ended.
        let socket =
            self.0.tmux().map(|tmux| tmux.socket().to_string_lossy().into_owned()).unwrap_or_default();
        let ended = RegistryWriter(self.0).write(|edit| {
            let mut ended = Vec::new();
            for (branch, change, _lock) in &mine {
                let before = &change.before;
                if let Ok(Some(mut record)) = edit.get(&before.name)
                    && record.status == before.status
                    && record.tmux == before.tmux
                    && record.pid == before.pid
                {
                    record.status = change.decision.note.clone();
                    record.exit = change.decision.exit;
                    record.branch.clone_from(branch);
                    if let Some(FoundPane { server, pane }) = change.found.clone() {
                        record.pid = pane.pid;
                        let (session, pane) = (pane.session, pane.pane);
                        record.tmux = Some(TmuxLocation { socket: socket.clone(), server, session, pane });
                    }
                    if !edit.put(record).status.status.is_live() {
                        ended.push(before);
                    }
                }
            }
            ended
        })?;
        for (_, change, _) in &mine {
            if !change.decision.note.status.is_live() {
                let _ = self.0.store.instance(&change.before.name).remove_state(STOPPING);
            }
        }
        // The status line of an attached client shows that the agent has ended. A lost agent has no screen.
        for (_, change, _) in mine.iter().filter(|(_, change, _)| change.decision.note.status != Status::Lost)
        {
            if ended.iter().any(|before| before.id == change.before.id) {
                self.show_status(&change.before);
            }
        }
        // Done last, because the process that serves a share may be this one.
        ended.into_iter().for_each(|before| Access(self.0).end_shares(&before.name));
        Ok(())
    }

    /// Adds sessions of this environment that no record refers to to the registry, from the record that each carries.
    fn adopt(&self, orphans: &[String]) -> Result<(), Error> {
        let seen = self.carried_by(orphans)?;
        failpoint::reached("adopt.seen");
        let mut locks = Vec::new();
        for record in seen {
            // An agent whose lock is held is being spawned and will be recorded by that command.
            if let Ok(Some(lock)) = AgentLocks(&self.0.store).try_lock(&record.name, "adopt") {
                locks.push((record.name, lock));
            }
        }
        if locks.is_empty() {
            return Ok(());
        }
        // Read again, because the previous holder of the lock may have killed and removed the agent.
        let mut found = self.carried_by(orphans)?;
        found.retain(|record| locks.iter().any(|(name, _)| *name == record.name));
        RegistryWriter(self.0).write(|edit| {
            for mut record in found {
                let known = edit.all().is_ok_and(|all| all.iter().any(|r| r.id == record.id));
                if known {
                    continue;
                }
                let mut name = record.name.clone();
                for n in 2.. {
                    if !edit.contains(&name) {
                        break;
                    }
                    name = record.name.numbered(n);
                }
                record.name = name;
                // The instance directory may be lost too, and hooks and transcript need it.
                let _ = self.0.store.instance(&record.name).create();
                edit.put(record);
            }
        })?;
        Ok(())
    }

    /// Returns the records that these sessions carry now, if they belong to this state directory.
    fn carried_by(&self, sessions: &[String]) -> Result<Vec<AgentRecord>, Error> {
        let carried = self.0.tmux()?.records()?.into_iter().filter(|(session, _)| sessions.contains(session));
        Ok(carried.filter_map(|(_, json)| of_home(&json, self.0.home())).collect())
    }

    /// Renames a session after its record. The registry is authoritative: a session with another name is an interrupted
    /// rename.
    fn rename_back(&self, misnamed_sessions: &RenamedSession) -> Result<(), Error> {
        let record = &misnamed_sessions.record;
        let Some(_lock) = AgentLocks(&self.0.store).try_lock(&record.name, "rename")? else { return Ok(()) };
        let json = session_record_json(record, self.0.home());
        Ok(self.0.tmux()?.rename_session(record.id, &misnamed_sessions.session, &record.name, &json)?)
    }

    /// Moves the instance directory if no other process holds the lock of either name.
    fn finish_rename(&self, record: &AgentRecord) -> Result<(), Error> {
        let Some(old) = &record.renamed_from else { return Ok(()) };
        let Some(_new) = AgentLocks(&self.0.store).try_lock(&record.name, "rename")? else { return Ok(()) };
        let Some(_old) = AgentLocks(&self.0.store).try_lock(old, "rename")? else { return Ok(()) };
        self.finish_move(record)
    }

    /// Moves the instance directory with this name to the agent that was renamed away from it, before another agent
    /// takes the name. The caller holds the lock of the name.
    pub(in crate::manager) fn move_renamed_instance(&self, name: &AgentName) -> Result<(), Error> {
        if !self.0.store.instance(name).dir().exists() {
            return Ok(());
        }
        for record in self.0.store.read(self.0.now())? {
            if record.renamed_from.as_ref() == Some(name) {
                let _lock = AgentLocks(&self.0.store).lock(&record.name, "rename")?;
                self.finish_move(&record)?;
            }
        }
        Ok(())
    }

    /// Moves the instance directory of an agent whose rename was interrupted.
    pub(in crate::manager) fn finish_move(&self, record: &AgentRecord) -> Result<(), Error> {
        let Some(old) = &record.renamed_from else { return Ok(()) };
        let (from, to) = (self.0.store.instance(old), self.0.store.instance(&record.name));
        if from.dir().exists() && !to.dir().exists() {
            from.rename_to(&to)?;
        }
        Workspaces(self.0).mend_worktree(record);
        RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut now)) = edit.get(&record.name) {
                now.renamed_from = None;
                edit.put(now);
            }
        })?;
        Ok(())
    }
}
