//! `agent resume`: starts an agent that has no process, in its directory and with its conversation.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::env::Env;
use crate::error::Error;
use crate::kinds;
use crate::manager::agent_process::{is_alive, mark_of, target_of};
use crate::manager::lifecycle::Lifecycle;
use crate::manager::lifecycle::launch::{EnvFrom, Start};
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::SpecCatalog;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
use crate::manager::workspace::Workspaces;
use crate::model::{Agent, AgentName, AgentRecord, Kind, Status, StatusNote};
use crate::process::{self, EndPlan};
use crate::rules::lifecycle::conversation_start::{self, Opening};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::status::from_screen::StatusSource;
use crate::store::AgentLock;

/// How long a process may take to exit after its terminal was closed.
const LEAVING: Duration = Duration::from_secs(1);

/// How long processes that outlived their terminal get to exit before they are killed.
const ORPHAN_GRACE: Duration = Duration::from_secs(2);

/// The result of a resume.
#[derive(Debug)]
pub struct Resumed {
    /// The agent as `list` shows it.
    pub agent: Agent,
    /// Describes which conversation the agent continues.
    pub remark: String,
    /// The initial prompt, if the agent has not accepted it and it could not be passed with the start.
    pub(in crate::manager) untyped: Option<String>,
}

/// When a start is checked for an immediate exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::manager) enum Watch {
    /// Wait until the agent has settled.
    Settle,
    /// The caller checks later, for many agents at once.
    Later,
}

/// Options of a resume.
#[derive(Debug, Clone, Copy)]
pub(in crate::manager) struct How {
    pub watch: Watch,
    pub env: EnvFrom,
}

impl How {
    /// Options of a resume that a user requests in a terminal.
    pub(in crate::manager) const ASKED: How = How { watch: Watch::Settle, env: EnvFrom::Caller };
}

impl Lifecycle<'_> {
    /// Resumes the agent.
    pub fn resume(&self, name: &AgentName) -> Result<Resumed, Error> {
        let lock = self.0.store.lock_agent(name, "resume")?;
        let record = self.0.record(name, "resume")?;
        let resumed = self.resume_locked(record, How::ASKED, &lock)?;
        drop(lock);
        self.warn_of_lacking_variables([name]);
        SupervisorControl(self.0).ensure_supervisor();
        self.type_first(resumed)
    }

    pub(in crate::manager) fn resume_locked(
        &self,
        record: AgentRecord,
        how: How,
        lock: &AgentLock,
    ) -> Result<Resumed, Error> {
        let pane = self.free_pane(&record)?;
        self.resume_into(record, pane, how, lock)
    }

    /// Returns the dead pane that the agent can be started in, if there is one. Returns an error while the agent is
    /// running, and ends processes that outlived their terminal.
    pub(in crate::manager) fn free_pane(&self, record: &AgentRecord) -> Result<Option<String>, Error> {
        let running = || Error::StillRunning { name: record.name.clone(), verb: "resume" };
        match StatusTracker(self.0).own_pane(record)? {
            Some(pane) if pane.dead.is_none() => Err(running()),
            Some(pane) => Ok(Some(pane.pane)),
            // The agent runs in a terminal outside tmux.
            None if record.tmux.is_none() => match record.pid {
                Some(pid) if stays(pid, record) => Err(running()),
                _ => Ok(None),
            },
            // The agent runs in a tmux server that cannot be reached.
            None if is_alive(record) => Err(running()),
            None => self.end_orphans(record).map(|()| None),
        }
    }

    /// Ends the processes of an agent whose terminal is gone. A program that ignores SIGHUP (gemini) survives its tmux
    /// server; its terminal cannot come back, and two programs must not use one conversation.
    fn end_orphans(&self, record: &AgentRecord) -> Result<(), Error> {
        let target = target_of(record);
        let look = || process::tree(&target).map_err(Error::io("cannot look at processes"));
        let deadline = Instant::now() + LEAVING;
        for process in look()? {
            let _ = process::wait_exit(process.pid, deadline.saturating_duration_since(Instant::now()));
        }
        if look()?.is_empty() {
            return Ok(());
        }
        let cannot = Error::io(format!("cannot end the processes of `{}`", record.name));
        let ending = process::end(&target, &EndPlan::with_grace(ORPHAN_GRACE)).map_err(cannot)?;
        if !ending.survivors.is_empty() {
            let pids = ending.survivors.iter().map(|process| process.pid).collect();
            return Err(Error::Survivors { name: record.name.clone(), pids });
        }
        let (count, verb) = match ending.ended {
            1 => ("1 process".to_owned(), "was"),
            count => (format!("{count} processes"), "were"),
        };
        self.0.notice(format!("{count} of `{}` had outlived its terminal and {verb} ended", record.name));
        Ok(())
    }

    /// Starts the agent with its conversation, in its old pane if that still exists.
    pub(in crate::manager) fn resume_into(
        &self,
        mut record: AgentRecord,
        pane: Option<String>,
        how: How,
        lock: &AgentLock,
    ) -> Result<Resumed, Error> {
        let kind = self.0.kind_of(&record)?;
        let on_disk = self.on_disk(&record, &kind);
        // Without prompt hooks, prompts that a user typed are not reported: a user who attached may have typed one, or
        // may only have answered a first-run question.
        record.conversation.begun |= StatusTracker(self.0).status_source(&record.name, &kind)
            != StatusSource::Hooks
            && record.last_attached.is_some()
            && on_disk != Some(false);
        // An agent that was killed in its first turn may not have stored the conversation; resuming it would fail every
        // time.
        let lacks = kinds::lacks_conversation(&kind, &StatusTracker(self.0).last_lines(&record));
        record.conversation.begun &= !lacks;
        let first = self.first_left(&mut record, &kind);
        // A record that was rebuilt may lack this information.
        record.conversation.begun |= !lacks && on_disk == Some(true);
        let opening = conversation_start::again(&record, &kind.conversation, self.neighbours(&record)?);
        self.start_again(record, RestartPlan { kind: &kind, opening, pane, how, first }, lock)
    }

    fn neighbours(&self, record: &AgentRecord) -> Result<usize, Error> {
        let all = self.0.store.read(Env::now())?;
        let beside = |other: &&AgentRecord| {
            other.id != record.id
                && other.kind == record.kind
                && other.working_directory == record.working_directory
        };
        Ok(all.iter().filter(beside).count())
    }

    pub(in crate::manager) fn start_again(
        &self,
        mut record: AgentRecord,
        again: RestartPlan<'_>,
        lock: &AgentLock,
    ) -> Result<Resumed, Error> {
        let dir = PathBuf::from(&record.working_directory);
        if !dir.is_dir() {
            return Err(Error::DirectoryGone { name: record.name, path: record.working_directory });
        }
        self.refuse_return(&record)?;
        StatusTracker(self.0).finish_move(&record)?;
        Workspaces(self.0).refuse_unfinished(&record)?;
        record.renamed_from = None;
        self.refresh_program(&mut record, again.kind, &dir)?;
        let remark = remark(&record, &again);
        if let Opening::New(id) = &again.opening {
            record.conversation.id.clone_from(id);
            record.conversation.begun = false;
        }
        if again.how.env == EnvFrom::Caller {
            // A user wants the agent to run, so earlier automatic restarts no longer count.
            record.restarts.clear();
            record.restart.next_at = None;
        }
        let room = self.make_room(&record)?;
        let was = record.status.status;
        if was != Status::Starting {
            let returns = matches!(was, Status::Lost | Status::Stopped | Status::Hibernated);
            record.before_start = returns.then(|| record.status.clone());
            record.status = StatusNote::new(Status::Starting, Env::now(), "it is being started again");
        }
        (record.tmux, record.pid) = (None, None);
        self.0.store.instance(&record.name).create()?;
        RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?;
        crate::failpoint::reached("resume.reserved");
        let pane = again.pane.as_deref();
        let (given, untyped) = match again.first {
            Some(task) if Self::takes_as_argument(again.kind, &task) => (Some(task), None),
            other => (None, other),
        };
        let (kind, opening, env) = (again.kind, again.opening, again.how.env);
        let start = Start { kind, opening, prompt: given.as_deref(), pane, env, size: None };
        if let Err(error) = self.start_in_tmux(&mut record, &start) {
            self.note_not_started(&record, was, &error);
            return Err(error);
        }
        drop(room);
        if again.how.watch == Watch::Settle {
            self.settle(&record, kind)?;
        }
        let _ = lock;
        Ok(Resumed { agent: self.as_spawned(&record), remark, untyped })
    }

    /// Checks that the directory and the program exist, so that a running agent is not ended in vain.
    pub(in crate::manager) fn check_can_start(&self, record: &AgentRecord) -> Result<(), Error> {
        let dir = PathBuf::from(&record.working_directory);
        if !dir.is_dir() {
            return Err(Error::DirectoryGone {
                name: record.name.clone(),
                path: record.working_directory.clone(),
            });
        }
        self.refresh_program(&mut record.clone(), &self.0.kind_of(record)?, &dir)
    }

    /// Searches for the program again if it has moved since (an update, a new node version).
    fn refresh_program(&self, record: &mut AgentRecord, kind: &Kind, dir: &Path) -> Result<(), Error> {
        // Older versions of symposium may have recorded a bare name.
        let bare = record.command.first().filter(|program| Path::new(program).is_relative()).cloned();
        let gone =
            bare.is_some() || record.command.first().is_none_or(|program| !Path::new(program).exists());
        let given = SpecCatalog(self.0)
            .spawn_manifest(&record.name)
            .and_then(|note| note.spec?.command.first().cloned());
        let is_ours = given.is_none() && kind.program.first().is_some_and(|program| program == kinds::SELF);
        if !gone && !is_ours {
            return Ok(());
        }
        let found = match given.or(bare) {
            Some(program) => SpecCatalog(self.0).find_program(&program, dir),
            None => SpecCatalog(self.0).program_of(kind, dir).filter(|_| record.kind != PLAIN_COMMAND),
        };
        match (found, record.command.first_mut()) {
            (Some(found), Some(program)) => {
                *program = found.to_string_lossy().into_owned();
                Ok(())
            }
            _ => Err(Error::ProgramMissing {
                program: record.command.first().cloned().unwrap_or_default(),
                kind: record.kind.clone(),
                install: kind.install.clone(),
            }),
        }
    }

    /// Records that the start failed. The agent keeps its earlier status, so that a lost agent can still be restored;
    /// an agent that was running becomes `crashed`.
    fn note_not_started(&self, record: &AgentRecord, was: Status, error: &Error) {
        let status = if was.is_live() { Status::Crashed } else { was };
        let _ = RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut now)) = edit.get(&record.name) {
                now.status = StatusNote::new(status, Env::now(), format!("it could not be started: {error}"));
                now.before_start = None;
                edit.put(now);
            }
        });
    }
}

/// Returns whether the agent's process is alive and does not exit within `LEAVING` because its terminal is gone.
fn stays(pid: i32, record: &AgentRecord) -> bool {
    process::is_alive(pid, &mark_of(record)) && !matches!(process::wait_exit(pid, LEAVING), Ok(true))
}

/// Parameters of starting an existing agent.
pub(in crate::manager) struct RestartPlan<'a> {
    pub kind: &'a Kind,
    pub opening: Opening,
    pub pane: Option<String>,
    pub how: How,
    /// The initial prompt, if the agent has not accepted it.
    pub first: Option<String>,
}

fn remark(record: &AgentRecord, again: &RestartPlan<'_>) -> String {
    match &again.opening {
        Opening::New(_) if again.first.is_some() => "starts anew with its task: it had not taken it".into(),
        Opening::Resume(id) => format!("goes on with conversation {id}"),
        Opening::ResumeLast => "goes on with the last conversation in its directory".into(),
        Opening::New(_) if record.kind == PLAIN_COMMAND => "runs its command again".into(),
        Opening::New(_) if record.conversation.begun => {
            "starts a new conversation: its CLI does not tell which one was its own".into()
        }
        Opening::New(_) => "starts with an empty conversation: it had none yet".into(),
    }
}
