//! `agent resume`: starts an agent that has no process, in its directory and with its conversation.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::kinds;
use crate::manager::agent_process::{is_alive, mark_of, target_of};
use crate::manager::delivery::Delivery;
use crate::manager::family::Family;
use crate::manager::launch::Launcher;
use crate::manager::launch::start::{EnvFrom, LaunchParams};
use crate::manager::lifecycle::{Capacity, Resumption, Spawning};
use crate::manager::queue::TaskQueue;
use crate::manager::registry::RegistryWriter;
use crate::manager::specs::LaunchPlanner;
use crate::manager::status::{AgentEvidence, StatusTracker, TmuxObserver};
use crate::manager::supervisor::SupervisorControl;
use crate::manager::workspace::Workspaces;
use crate::model::{Agent, AgentName, AgentRecord, Kind, Status, StatusNote};
use crate::model::{Assignee, NewTask};
use crate::process::{self, TerminationPlan};
use crate::rules::lifecycle::conversation_start::{self, ConversationOpening};
use crate::rules::status::decide::PLAIN_COMMAND;
use crate::rules::status::from_screen::StatusSource;
use crate::store::{AgentLock, AgentLocks};

/// How long a process may take to exit after its terminal was closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

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

/// Time at which a start is checked for an immediate exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::manager) enum EarlyExitCheck {
    /// Wait until the agent has settled.
    Settle,
    /// The caller checks later, for many agents at once.
    Later,
}

/// Options of a resume.
#[derive(Debug, Clone, Copy)]
pub(in crate::manager) struct ResumeOptions {
    pub watch: EarlyExitCheck,
    pub env: EnvFrom,
}

impl ResumeOptions {
    /// Options of a resume that a user requests in a terminal.
    pub(in crate::manager) const ASKED: ResumeOptions =
        ResumeOptions { watch: EarlyExitCheck::Settle, env: EnvFrom::Caller };
}

/// Source of the queued task, as the ledger records it.
const SOURCE: &str = "restart";

impl Resumption<'_> {
    /// Resumes the agent.
    pub fn resume(&self, name: &AgentName) -> Result<Resumed, Error> {
        let lock = AgentLocks(&self.0.store).lock(name, "resume")?;
        let record = self.0.record(name, "resume")?;
        let resumed = self.resume_locked(record, ResumeOptions::ASKED, &lock)?;
        drop(lock);
        Launcher(self.0).warn_of_lacking_variables([name]);
        SupervisorControl(self.0).ensure_supervisor();
        self.type_first(resumed)
    }

    pub(in crate::manager) fn resume_locked(
        &self,
        record: AgentRecord,
        how: ResumeOptions,
        lock: &AgentLock,
    ) -> Result<Resumed, Error> {
        let pane = self.free_pane(&record)?;
        self.resume_into(record, pane, how, lock)
    }

    /// Returns the dead pane that the agent can be started in, if there is one. Returns an error while the agent is
    /// running, and ends processes that outlived their terminal.
    pub(in crate::manager) fn free_pane(&self, record: &AgentRecord) -> Result<Option<String>, Error> {
        let running = || {
            let name = &record.name;
            Error::still_running(name).hint(format!(
                "`symposium agent attach {name}` shows it, `symposium agent restart {name}` starts it again"
            ))
        };
        match TmuxObserver(self.0).own_pane(record)? {
            Some(pane) if pane.dead.is_none() => Err(running()),
            Some(pane) => Ok(Some(pane.pane)),
            // The agent runs in a terminal outside tmux.
            None if record.tmux.is_none() => match record.pid {
                Some(pid) if outlives_terminal(pid, record) => Err(running()),
                _ => Ok(None),
            },
            // The agent runs in a tmux server that cannot be reached. If its own server answered, only its session is gone.
            None if is_alive(record) && !TmuxObserver(self.0).own_server_answers(record)? => Err(running()),
            None => self.end_orphans(record).map(|()| None),
        }
    }

    /// Ends the processes of an agent whose terminal is gone. A program that ignores SIGHUP (gemini) survives its tmux
    /// server; its terminal cannot come back, and two programs must not use one conversation.
    fn end_orphans(&self, record: &AgentRecord) -> Result<(), Error> {
        let target = target_of(self.0.home(), record);
        let remaining = || process::tree(&target).map_err(Error::io("cannot inspect processes"));
        let deadline = Instant::now() + EXIT_TIMEOUT;
        for process in remaining()? {
            let _ = process::wait_exit(process.pid, deadline.saturating_duration_since(Instant::now()));
        }
        if remaining()?.is_empty() {
            return Ok(());
        }
        let cannot = Error::io(format!("cannot end the processes of `{}`", record.name));
        let ending = process::end(&target, &TerminationPlan::with_grace(ORPHAN_GRACE)).map_err(cannot)?;
        if !ending.survivors.is_empty() {
            let pids: Vec<i32> = ending.survivors.iter().map(|process| process.pid).collect();
            return Err(Error::survivors(&record.name, &pids));
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
        how: ResumeOptions,
        lock: &AgentLock,
    ) -> Result<Resumed, Error> {
        let kind = self.0.kind_of(&record)?;
        let on_disk = Launcher(self.0).on_disk(&record, &kind);
        // Without prompt hooks, prompts that a user typed are not reported: a user who attached may have typed one, or
        // may only have answered a first-run question.
        record.conversation.begun |= AgentEvidence(self.0).status_source(&record.name, &kind)
            != StatusSource::Hooks
            && record.last_attached.is_some()
            && on_disk != Some(false);
        // An agent that was killed in its first turn may not have stored the conversation; resuming it would fail every
        // time.
        let lacks = kinds::lacks_conversation(&kind, &AgentEvidence(self.0).last_lines(&record));
        if lacks && !record.conversation.begun {
            // The conversation to copy does not exist any more.
            record.conversation.forked_from = None;
        }
        record.conversation.begun &= !lacks;
        let first = Launcher(self.0).first_left(&mut record, &kind);
        // A record that was rebuilt may lack this information.
        record.conversation.begun |= !lacks && on_disk == Some(true);
        let opening =
            conversation_start::open_on_resume(&record, &kind.conversation, self.neighbours(&record)?);
        self.start_stopped(record, RestartPlan { kind: &kind, opening, pane, how, first }, lock)
    }

    fn neighbours(&self, record: &AgentRecord) -> Result<usize, Error> {
        let all = self.0.store.read(self.0.now())?;
        let beside = |other: &&AgentRecord| {
            other.id != record.id
                && other.kind == record.kind
                && other.working_directory == record.working_directory
        };
        Ok(all.iter().filter(beside).count())
    }

    pub(in crate::manager) fn start_stopped(
        &self,
        mut record: AgentRecord,
        again: RestartPlan<'_>,
        lock: &AgentLock,
    ) -> Result<Resumed, Error> {
        let dir = PathBuf::from(&record.working_directory);
        if !dir.is_dir() {
            return Err(Workspaces(self.0).directory_gone(&record));
        }
        Family(self.0).check_instance_limit(&record)?;
        StatusTracker(self.0).finish_move(&record)?;
        Workspaces(self.0).refuse_unfinished(&record)?;
        record.renamed_from = None;
        self.refresh_program(&mut record, again.kind, &dir)?;
        let remark = remark(&record, &again);
        if let ConversationOpening::New(id) = &again.opening {
            record.conversation.id.clone_from(id);
            record.conversation.begun = false;
            record.conversation.forked_from = None;
        }
        if again.how.env == EnvFrom::Caller {
            // A user wants the agent to run, so earlier automatic restarts no longer count.
            record.restarts.clear();
            record.restart.next_at = None;
        }
        let slot = Capacity(self.0).acquire_start_slot(&record)?;
        let was = record.status.status;
        if was != Status::Starting {
            let returns = matches!(was, Status::Lost | Status::Stopped | Status::Hibernated);
            record.before_start = returns.then(|| record.status.clone());
            record.status = StatusNote::new(Status::Starting, self.0.now(), "it is being started again");
        }
        (record.tmux, record.pid) = (None, None);
        self.0.store.instance(&record.name).create()?;
        RegistryWriter(self.0).write(|edit| edit.put(record.clone()))?;
        crate::failpoint::reached("resume.reserved");
        let pane = again.pane.as_deref();
        let (given, untyped) = match again.first {
            Some(task) if Launcher::takes_as_argument(again.kind, &task) => (Some(task), None),
            other => (None, other),
        };
        let (kind, opening, env) = (again.kind, again.opening, again.how.env);
        let start = LaunchParams { kind, opening, prompt: given.as_deref(), pane, env, size: None };
        if let Err(error) = Launcher(self.0).start_in_tmux(&mut record, &start) {
            self.note_not_started(&record, was, &error);
            return Err(error);
        }
        drop(slot);
        if again.how.watch == EarlyExitCheck::Settle {
            Launcher(self.0).fail_on_early_exit(&record, kind)?;
        }
        let _ = lock;
        Ok(Resumed { agent: Spawning(self.0).as_spawned(&record), remark, untyped })
    }

    /// Checks that the directory and the program exist, so that a running agent is not ended in vain.
    pub(in crate::manager) fn check_can_start(&self, record: &AgentRecord) -> Result<(), Error> {
        let dir = PathBuf::from(&record.working_directory);
        if !dir.is_dir() {
            return Err(Workspaces(self.0).directory_gone(record));
        }
        self.refresh_program(&mut record.clone(), &self.0.kind_of(record)?, &dir)
    }

    /// Searches for the program again if it has moved since (an update, a new node version).
    fn refresh_program(&self, record: &mut AgentRecord, kind: &Kind, dir: &Path) -> Result<(), Error> {
        // Older versions of symposium may have recorded a bare name.
        let bare = record.command.first().filter(|program| Path::new(program).is_relative()).cloned();
        let gone =
            bare.is_some() || record.command.first().is_none_or(|program| !Path::new(program).exists());
        let given = LaunchPlanner(self.0)
            .spawn_manifest(&record.name)
            .and_then(|note| note.spec?.command.first().cloned());
        let is_ours = given.is_none() && kind.program.first().is_some_and(|program| program == kinds::SELF);
        if !gone && !is_ours {
            return Ok(());
        }
        let found = match given.or(bare) {
            Some(program) => LaunchPlanner(self.0).find_program(&program, dir),
            None => LaunchPlanner(self.0).program_of(kind, dir).filter(|_| record.kind != PLAIN_COMMAND),
        };
        match (found, record.command.first_mut()) {
            (Some(found), Some(program)) => {
                *program = found.to_string_lossy().into_owned();
                Ok(())
            }
            _ => Err(Error::program_missing(
                record.command.first().map_or("", String::as_str),
                &record.kind,
                &kind.install,
            )),
        }
    }

    /// Records that the start failed. The agent keeps its earlier status, so that a lost agent can still be restored;
    /// an agent that was running becomes `crashed`.
    fn note_not_started(&self, record: &AgentRecord, was: Status, error: &Error) {
        let status = if was.is_live() { Status::Crashed } else { was };
        let _ = RegistryWriter(self.0).write(|edit| {
            if let Ok(Some(mut now)) = edit.get(&record.name) {
                now.status =
                    StatusNote::new(status, self.0.now(), format!("it could not be started: {error}"));
                now.before_start = None;
                edit.put(now);
            }
        });
    }

    /// Types the initial prompt, after a start whose outcome the caller waits for.
    pub(in crate::manager) fn type_first(&self, mut resumed: Resumed) -> Result<Resumed, Error> {
        if let Some(task) = resumed.untyped.take() {
            Delivery(self.0).send_first(&resumed.agent.name, &task)?;
        }
        Ok(resumed)
    }

    /// Queues the initial prompt, after a start whose outcome no caller waits for. A plain command has no queue.
    pub(in crate::manager) fn queue_first(&self, mut resumed: Resumed) -> Result<Resumed, Error> {
        let agent = &resumed.agent;
        if let Some(task) = resumed.untyped.take().filter(|_| agent.kind != PLAIN_COMMAND) {
            TaskQueue(self.0).queue(&NewTask::plain(
                Assignee::Agent(agent.id, agent.name.clone()),
                task,
                SOURCE,
            ))?;
            RegistryWriter(self.0).forget_initial_prompt(&agent.name);
        }
        Ok(resumed)
    }
}

/// Returns whether the agent's process is alive and does not exit within `EXIT_TIMEOUT` because its terminal is gone.
fn outlives_terminal(pid: i32, record: &AgentRecord) -> bool {
    process::is_alive(pid, &mark_of(record)) && !matches!(process::wait_exit(pid, EXIT_TIMEOUT), Ok(true))
}

/// Parameters of starting an existing agent.
pub(in crate::manager) struct RestartPlan<'a> {
    pub kind: &'a Kind,
    pub opening: ConversationOpening,
    pub pane: Option<String>,
    pub how: ResumeOptions,
    /// The initial prompt, if the agent has not accepted it.
    pub first: Option<String>,
}

fn remark(record: &AgentRecord, again: &RestartPlan<'_>) -> String {
    match &again.opening {
        ConversationOpening::New(_) if again.first.is_some() => {
            "starts again with its task, which it had not accepted".into()
        }
        ConversationOpening::Resume(id) => format!("continues conversation {id}"),
        ConversationOpening::Fork { from, .. } => format!("starts again with a copy of conversation {from}"),
        ConversationOpening::ResumeLast => "continues the last conversation in its directory".into(),
        ConversationOpening::New(_) if record.kind == PLAIN_COMMAND => "runs its command again".into(),
        ConversationOpening::New(_) if record.conversation.begun => {
            "starts a new conversation: its CLI does not report which one it used".into()
        }
        ConversationOpening::New(_) => "starts with an empty conversation: it had none yet".into(),
    }
}
