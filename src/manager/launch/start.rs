//! Starts the process of an agent, for the first time or again. Spawn, resume, restart and restore share this code.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use crate::env::{AGENT, AGENT_ID, HOME};
use crate::error::{Code, Error, seconds};
use crate::failpoint;
use crate::kinds::{self, CommandLine, HookCommand};
use crate::manager::launch::Launcher;
use crate::manager::launch::editor_socket::EDITOR;
use crate::manager::registry::RegistryWriter;
use crate::manager::registry::session_copy::session_record_json;
use crate::manager::specs::LaunchPlanner;
use crate::manager::specs::spawn_request::Variables;
use crate::manager::status::evidence::HOOK_SEEN_FILE;
use crate::manager::status::reconcile::STOPPING;
use crate::manager::status::{AgentEvidence, TmuxObserver};
use crate::manager::workspace::Workspaces;
use crate::model::{AgentName, Status};
use crate::model::{AgentRecord, Conversation, Exit, Kind, PromptVia, StatusNote, TmuxLocation};
use crate::process::{self};
use crate::rules::lifecycle::conversation_start::ConversationOpening;
use crate::rules::specs::params;
use crate::rules::status::decide::{PLAIN_COMMAND, SHELL_RUNS, is_interactive_shell};
use crate::rules::status::from_hook::STARTED_WITH_TASK;
use crate::tmux::{ActivityReports, Launch, LaunchEnv, TmuxError};

/// Size of a session without a client, in columns and lines: wide enough for the tables that agents print.
const SIZE: (u16, u16) = (160, 48);
/// A longer first prompt is typed instead of passed as an argument. Linux limits an argument to 128 KiB.
const MAX_ARGUMENT_BYTES: usize = 100 * 1024;

/// Parameters of one start.
pub(in crate::manager) struct LaunchParams<'a> {
    pub kind: &'a Kind,
    pub opening: ConversationOpening,
    pub prompt: Option<&'a str>,
    /// The dead pane to start in, so that attached clients stay attached.
    pub pane: Option<&'a str>,
    /// The source of the agent's environment.
    pub env: EnvFrom,
    /// Columns and lines of a new session, if the caller is likely to attach.
    pub size: Option<(u16, u16)>,
}

impl LaunchParams<'_> {
    /// Returns the pane if the environment of its session is kept.
    fn keeps_env(&self) -> Option<&str> {
        self.pane.filter(|_| self.env == EnvFrom::Session)
    }
}

/// The source of an agent's environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::manager) enum EnvFrom {
    /// The environment of the calling process.
    Caller,
    /// The environment that the session got at spawn, while the session exists.
    Session,
}

impl Launcher<'_> {
    /// Returns the complete command line and environment of a start, and writes the files that its hooks need into the
    /// instance directory.
    pub(in crate::manager) fn prepare_launch(
        &self,
        record: &AgentRecord,
        start: &LaunchParams<'_>,
    ) -> Result<(Vec<String>, Variables), Error> {
        let mut env = self.environment(record, start);
        let instance = self.0.store.instance(&record.name);
        self.0.mend_hook_link();
        let hook = HookCommand { binary: self.0.hook_program(), home: self.0.home.path.clone() };
        let setup = kinds::hooks(start.kind, &hook, &instance.state_dir(), &|key| {
            env.iter().find(|(k, _)| k == key).and_then(|(_, value)| value.to_str().map(str::to_owned))
        });
        for (file, text) in &setup.files {
            instance.write_state(file, text.as_bytes())?;
        }
        // A session that is kept already has these variables, derived from the environment at spawn.
        for (key, value) in setup.env.into_iter().filter(|_| start.keeps_env().is_none()) {
            env.retain(|(k, _)| *k != *key);
            env.push((key.into(), value.into()));
        }
        let tools = LaunchPlanner(self.0).tools_for(LaunchPlanner(self.0).owner(record), start.kind, &env);
        if let Some((key, value)) = tools.env.filter(|_| start.keeps_env().is_none()) {
            env.retain(|(k, _)| *k != *key);
            env.push((key.into(), value.into()));
        }
        let given = [setup.args, tools.args].concat();
        let opening = match &start.opening {
            ConversationOpening::New(id) => kinds::ConversationStart::New { conversation: id.as_deref() },
            ConversationOpening::Resume(id) => kinds::ConversationStart::Resume { conversation: id },
            ConversationOpening::ResumeLast => kinds::ConversationStart::ResumeLast,
            ConversationOpening::Fork { from, id } => {
                kinds::ConversationStart::Fork { from, conversation: id.as_deref() }
            }
        };
        let line = CommandLine { base: &record.command, opening, prompt: start.prompt, hook_args: &given };
        Ok((kinds::argv(start.kind, &line), env))
    }

    /// Returns whether the first prompt can be passed as an argument.
    pub(in crate::manager) fn takes_as_argument(kind: &Kind, prompt: &str) -> bool {
        matches!(kind.prompt, PromptVia::Args(_)) && prompt.len() < MAX_ARGUMENT_BYTES
    }

    /// Returns the environment of an agent: the caller's variables (unless the session keeps its own), then the ports of
    /// its worktree, those of the kind, the spec and `--env`, then the agent's name, id and state directory.
    fn environment(&self, record: &AgentRecord, start: &LaunchParams<'_>) -> Variables {
        let kind = start.kind;
        let mut env: Variables = match start.keeps_env() {
            Some(_) => Vec::new(),
            None => self.0.env.for_agents().cloned().collect(),
        };
        let mut set = |key: &str, value: OsString| {
            env.retain(|(k, _)| k != key);
            env.push((key.into(), value));
        };
        set("COLORTERM", "truecolor".into());
        if start.keeps_env().is_none() {
            self.point_to_editor(record.id);
        }
        if let Some(link) = self.editor_link(record.id) {
            set(EDITOR, link.into());
        }
        for (key, value) in Workspaces(self.0).port_variables(record) {
            set(&key, value.into());
        }
        for (key, value) in &kind.env {
            set(key, value.into());
        }
        if let Some(note) = LaunchPlanner(self.0).spawn_manifest(&record.name) {
            let of_spec = note.spec.map(|spec| spec.env).unwrap_or_default();
            for (key, value) in of_spec.into_iter().chain(note.env) {
                set(&key, value.into());
            }
        }
        for given in &record.params {
            set(&params::variable(&given.name), given.value.to_string().into());
        }
        set(AGENT, record.name.as_str().into());
        set(AGENT_ID, record.id.to_string().into());
        set(HOME, self.0.home.path.clone().into());
        env
    }

    /// Starts the agent in tmux and records its pane and process. The caller holds the agent's lock.
    pub(in crate::manager) fn start_in_tmux(
        &self,
        record: &mut AgentRecord,
        start: &LaunchParams<'_>,
    ) -> Result<(), Error> {
        let (argv, env) = self.prepare_launch(record, start)?;
        let pipe = self.transcript_command(&record.name);
        let json = self.begin_record(record, start);
        let launch = Launch {
            name: &record.name,
            id: record.id,
            title: record.title.as_deref(),
            argv: &argv,
            dir: Path::new(&record.working_directory),
            env: match start.keeps_env() {
                Some(_) => LaunchEnv::Kept { also: &env },
                None => LaunchEnv::Given(&env),
            },
            record: &json,
            pipe: &pipe,
            size: start.size.unwrap_or(SIZE),
            edges: if record.kind == PLAIN_COMMAND { ActivityReports::Off } else { ActivityReports::On },
            // The ledger is opened while tmux starts the session; the start is stored there after the server's answer.
            meanwhile: Some(&|| RegistryWriter(self.0).open_ledger()),
        };
        let tmux = self.0.tmux()?;
        let started = match start.pane {
            Some(pane) => tmux.respawn(&launch, pane)?,
            None => match tmux.start(&launch) {
                Err(TmuxError::NoServer { .. }) => {
                    TmuxObserver(self.0).end_stuck_server(tmux)?;
                    tmux.start(&launch)?
                }
                other => other?,
            },
        };
        for mistake in &started.mistakes {
            self.0.notice(format!("{mistake} (the tmux server reads that file when it starts)"));
        }
        failpoint::reached("launch.started");
        let _ = self.0.store.instance(&record.name).remove_state(STOPPING);
        record.before_start = None;
        record.pid = Some(started.pid);
        record.tmux = Some(TmuxLocation {
            socket: tmux.socket().to_string_lossy().into_owned(),
            server: started.server.0,
            session: started.session,
            pane: started.pane,
        });
        self.note_started(record).map_err(|error| {
            let name = &record.name;
            let observed =
                format!("`{name}` is running, but this could not be stored; the next command tries again");
            not_written(error, &observed)
        })?;
        failpoint::reached("launch.noted");
        Ok(())
    }

    /// Resets what the record says about the last run, and returns its copy for the session as JSON.
    fn begin_record(&self, record: &mut AgentRecord, start: &LaunchParams<'_>) -> String {
        let _ = self.0.store.instance(&record.name).remove_state(HOOK_SEEN_FILE);
        record.exit = None;
        record.started_at = Some(self.0.now());
        record.status = first_note(record, start);
        // No hook updates the copy of the record in the session, from which a lost registry is rebuilt. The copy
        // therefore counts the first prompt as accepted.
        let begun = record.conversation.begun | start.prompt.is_some();
        let conversation = Conversation { begun, ..record.conversation.clone() };
        let json = session_record_json(&AgentRecord { conversation, ..record.clone() }, self.0.home());
        // An agent with prompt hooks reports that it has accepted the prompt.
        record.conversation.begun |= start.prompt.is_some() && !start.kind.hooks.report_prompts();
        json
    }

    /// Records the start, and keeps what events of the agent and of its clients have recorded in the meantime.
    fn note_started(&self, record: &mut AgentRecord) -> Result<(), Error> {
        let written = RegistryWriter(self.0).write(|edit| {
            let mut written = record.clone();
            let now = edit.get(&record.name).ok().flatten().filter(|now| now.id == record.id);
            written.cut_off = now.as_ref().and_then(|now| now.cut_off.clone());
            if let Some(now) = now {
                written.last_attached = now.last_attached;
                if now.status.since >= record.status.since && now.status.status.is_live() {
                    written.status = now.status;
                    written.conversation = now.conversation;
                    written.conversations = now.conversations;
                    written.prompt = now.prompt;
                    written.branch = now.branch;
                }
            }
            edit.put(written.clone());
            written
        })?;
        *record = written;
        Ok(())
    }

    /// Waits briefly for an agent that exits immediately, and returns an error that describes the exit if it does.
    ///
    /// A plain command has no waiting time: the check is made once, and a quick exit with code 0 is a success.
    pub(in crate::manager) fn fail_on_early_exit(
        &self,
        record: &AgentRecord,
        kind: &Kind,
    ) -> Result<(), Error> {
        let begun = Instant::now();
        let Some(pid) = record.pid else { return Ok(()) };
        let at_most = Duration::from_millis(kind.settle_ms);
        if !process::wait_exit(pid, at_most).map_err(Error::io("cannot watch the new process"))? {
            return Ok(());
        }
        let after = begun.elapsed();
        let exit = TmuxObserver(self.0).exit_of(record)?;
        if record.kind == PLAIN_COMMAND
            && exit.is_none_or(|exit| exit == Exit { code: Some(0), signal: None })
        {
            return Ok(());
        }
        Err(exited_at_once(&record.name, exit, after, &AgentEvidence(self.0).last_lines(record)))
    }

    /// Returns the command that reads an agent's output from tmux and writes the transcript.
    pub(in crate::manager) fn transcript_command(&self, name: &AgentName) -> [String; 3] {
        let dir = self.0.store.instance(name).dir().to_string_lossy().into_owned();
        [self.0.own_program().to_string_lossy().into_owned(), "transcript".into(), dir]
    }
}

/// Replaces the observation of a state error: the store knows only about its own files.
pub(in crate::manager) fn not_written(error: Error, observed: &str) -> Error {
    match error.code() {
        Code::State => error.with_observation(observed),
        _ => error,
    }
}

/// Returns the first status of a start. A plain command never reports another one.
fn first_note(record: &AgentRecord, start: &LaunchParams<'_>) -> StatusNote {
    let now = record.started_at.unwrap_or(record.created_at);
    if record.kind == PLAIN_COMMAND && is_interactive_shell(&record.command) {
        StatusNote::new(Status::Unknown, now, SHELL_RUNS)
    } else if record.kind == PLAIN_COMMAND {
        StatusNote::new(Status::Working, now, "its process runs")
    } else if start.prompt.is_some() && start.kind.hooks.report_prompts() {
        StatusNote::new(Status::Starting, now, STARTED_WITH_TASK)
    } else if record.status.status == Status::Starting {
        record.status.clone()
    } else {
        StatusNote::new(Status::Starting, now, "it was just started")
    }
}

fn exited_at_once(name: &AgentName, exit: Option<Exit>, after: Duration, last_lines: &[String]) -> Error {
    let how = exit.map_or_else(|| "code unknown".to_owned(), |exit| exit.to_string());
    Error::new(
        Code::ExitedAtOnce,
        format!("agent `{name}` exited as soon as it started ({how}, after {})", seconds(after)),
    )
    .saw_last_lines(last_lines)
    .hint(format!("fix the cause, then run `symposium agent restart {name}`"))
    .hint(format!("or remove it: `symposium agent rm {name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::testing::TestContext;
    use crate::rules::status::from_hook::prompt_line;

    #[test]
    fn events_that_arrive_before_the_start_is_recorded_are_kept() {
        let context = TestContext::new();
        let mut record =
            context.agent_with("api", Status::Starting, |record| (record.tmux, record.pid) = (None, None));
        context.edit("api", |now| {
            now.status = StatusNote::new(Status::Working, context.now(), "it accepted a prompt");
            now.prompt = prompt_line("fix it");
            now.last_attached = Some(context.now());
        });
        record.pid = Some(7);
        Launcher(&context).note_started(&mut record).unwrap();
        let stored = context.stored("api");
        assert_eq!((stored.status.status, stored.pid), (Status::Working, Some(7)));
        assert_eq!(stored.prompt, prompt_line("fix it"));
        assert_eq!(stored.last_attached, Some(context.now()));
    }

    #[test]
    fn an_early_exit_shows_code_and_last_lines() {
        let exit = Exit { code: Some(1), signal: None };
        let lines = ["Invalid API key".to_owned()];
        let error =
            exited_at_once(&"api-fix".parse().unwrap(), Some(exit), Duration::from_millis(400), &lines);
        assert_eq!(error.to_string(), "agent `api-fix` exited as soon as it started (code 1, after 0.4s)");
        assert_eq!(error.observations(), ["last lines:", "  Invalid API key"]);
    }
}
