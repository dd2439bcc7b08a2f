//! Starts the process of an agent, for the first time or again: what spawn, resume, restart and restore share.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Manager;
use super::carried::carried;
use super::editor::EDITOR;
use super::event::HEARD;
use super::kill::not_written;
use super::reconcile::STOPPING;
use crate::env::{AGENT, AGENT_ID, Env, HOME};
use crate::error::Error;
use crate::failpoint;
use crate::kinds::{self, CommandLine, HookCommand};
use crate::model::{AgentRecord, Conversation, Exit, Kind, PromptVia, Status, StatusNote, TmuxPlace};
use crate::process;
use crate::rules::hook::WITH_A_TASK;
use crate::rules::opening::Opening;
use crate::rules::params;
use crate::rules::status::{PLAIN_COMMAND, SHELL_RUNS, is_interactive_shell};
use crate::tmux::{Capture, Edges, Launch, LaunchEnv, TmuxError};
use crate::transcript::{self, Size};

/// The size of a session that nobody has attached to yet: wide enough for an agent's tables.
const SIZE: (u16, u16) = (160, 48);
/// The same, for reading a transcript.
pub(super) const SCREEN: Size = Size { rows: 48, cols: 160 };
/// An argument may have 128 KiB on Linux; a longer first prompt is typed in instead.
const LONGEST_ARGUMENT: usize = 100 * 1024;
/// How many lines of a dead agent are shown.
const LAST_LINES: usize = 12;

/// An environment.
pub(super) type Variables = Vec<(OsString, OsString)>;

/// One start.
pub(super) struct Start<'a> {
    pub kind: &'a Kind,
    pub opening: Opening,
    pub prompt: Option<&'a str>,
    /// The dead pane to start in, so that whoever is attached stays attached.
    pub pane: Option<&'a str>,
    /// Whose environment it gets.
    pub env: EnvFrom,
    /// Columns and lines of a new session, when whoever starts it is likely to come.
    pub size: Option<(u16, u16)>,
}

impl Start<'_> {
    /// The pane whose session's environment is kept, when one is.
    fn keeps_env(&self) -> Option<&str> {
        self.pane.filter(|_| self.env == EnvFrom::Session)
    }
}

/// Whose environment an agent gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EnvFrom {
    /// That of whoever starts it.
    Caller,
    /// The one its session was given by its spawner, as long as that session is there.
    Session,
}

impl Manager {
    /// The whole command line of a start and its environment; what its hooks need is written into its directory.
    pub(super) fn equip(
        &self,
        record: &AgentRecord,
        start: &Start<'_>,
    ) -> Result<(Vec<String>, Variables), Error> {
        let mut env = self.environment(record, start);
        let instance = self.store.instance(&record.name);
        let hook = HookCommand { binary: self.env.exe().to_path_buf(), home: self.home.path.clone() };
        let setup = kinds::hooks(start.kind, &hook, &instance.state_dir(), &|key| {
            env.iter().find(|(k, _)| k == key).and_then(|(_, value)| value.to_str().map(str::to_owned))
        });
        for (file, text) in &setup.files {
            instance.write_state(file, text.as_bytes())?;
        }
        // A session that is kept has them already, made from what its spawner had.
        for (key, value) in setup.env.into_iter().filter(|_| start.keeps_env().is_none()) {
            env.retain(|(k, _)| *k != *key);
            env.push((key.into(), value.into()));
        }
        let tools = self.tools_for(self.owner(record), start.kind, &env);
        if let Some((key, value)) = tools.env.filter(|_| start.keeps_env().is_none()) {
            env.retain(|(k, _)| *k != *key);
            env.push((key.into(), value.into()));
        }
        let given = [setup.args, tools.args].concat();
        let opening = match &start.opening {
            Opening::New(id) => kinds::Opening::New { conversation: id.as_deref() },
            Opening::Resume(id) => kinds::Opening::Resume { conversation: id },
            Opening::ResumeLast => kinds::Opening::ResumeLast,
        };
        let line = CommandLine { base: &record.command, opening, prompt: start.prompt, hook_args: &given };
        Ok((kinds::argv(start.kind, &line), env))
    }

    /// Whether the first prompt can go in as an argument.
    pub(super) fn takes_as_argument(kind: &Kind, prompt: &str) -> bool {
        matches!(kind.prompt, PromptVia::Args(_)) && prompt.len() < LONGEST_ARGUMENT
    }

    /// The environment of an agent: the caller's unless its session has one, the kind's, its spec's, what `--env` gave,
    /// and who it is.
    fn environment(&self, record: &AgentRecord, start: &Start<'_>) -> Variables {
        let kind = start.kind;
        let mut env: Variables = match start.keeps_env() {
            Some(_) => Vec::new(),
            None => self.env.for_agents().cloned().collect(),
        };
        let mut set = |key: &str, value: OsString| {
            env.retain(|(k, _)| k != key);
            env.push((key.into(), value));
        };
        set("COLORTERM", "truecolor".into());
        if start.keeps_env().is_none() {
            self.point_to_editor(record.id);
        }
        if let Some(link) = self.way_to_editor(record.id) {
            set(EDITOR, link.into());
        }
        for (key, value) in &kind.env {
            set(key, value.into());
        }
        if let Some(note) = self.birth_note(&record.name) {
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
        set(HOME, self.home.path.clone().into());
        env
    }

    /// Starts it in tmux and writes down where. The caller holds the agent's lock.
    pub(super) fn start_in_tmux(&self, record: &mut AgentRecord, start: &Start<'_>) -> Result<(), Error> {
        let (argv, env) = self.equip(record, start)?;
        let instance = self.store.instance(&record.name);
        let pipe = self.transcript_command(&record.name);
        let _ = instance.remove_state(HEARD);
        record.exit = None;
        record.started_at = Some(Env::now());
        record.status = first_note(record, start);
        // The copy that a lost registry is rebuilt from is never told of the first prompt.
        let begun = record.conversation.begun | start.prompt.is_some();
        let conversation = Conversation { begun, ..record.conversation.clone() };
        let json = carried(&AgentRecord { conversation, ..record.clone() }, self.home());
        // One with such hooks says so itself, as soon as it has really taken it.
        record.conversation.begun |= start.prompt.is_some() && !start.kind.hooks.tell_of_prompts();
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
            edges: if record.kind == PLAIN_COMMAND { Edges::Untold } else { Edges::Told },
            // The start is written there as soon as the server has answered.
            meanwhile: Some(&|| self.open_ledger()),
        };
        let tmux = self.tmux()?;
        let started = match start.pane {
            Some(pane) => tmux.respawn(&launch, pane)?,
            None => match tmux.start(&launch) {
                Err(TmuxError::NoServer { .. }) => {
                    self.end_stuck_server(tmux)?;
                    tmux.start(&launch)?
                }
                other => other?,
            },
        };
        for mistake in &started.mistakes {
            self.notice(format!("{mistake} (the tmux server reads that file when it starts)"));
        }
        failpoint::reached("launch.started");
        let _ = instance.remove_state(STOPPING);
        record.before_start = None;
        record.pid = Some(started.pid);
        record.tmux = Some(TmuxPlace {
            socket: tmux.socket().to_string_lossy().into_owned(),
            server: started.server.0,
            session: started.session,
            pane: started.pane,
        });
        self.note_started(record).map_err(|error| {
            let name = &record.name;
            let observed =
                format!("`{name}` is running; that is not written down, and the next command repeats it");
            not_written(error, &observed)
        })?;
        failpoint::reached("launch.noted");
        Ok(())
    }

    /// Writes the start down, keeping what the agent's own hooks have said meanwhile.
    fn note_started(&self, record: &mut AgentRecord) -> Result<(), Error> {
        let written = self.write(|edit| {
            let mut written = record.clone();
            let now = edit.get(&record.name).ok().flatten().filter(|now| now.id == record.id);
            written.cut_off = now.as_ref().and_then(|now| now.cut_off.clone());
            if let Some(now) = now
                && now.status.since >= record.status.since
                && now.status.status.is_live()
            {
                written.status = now.status;
                written.conversation = now.conversation;
                written.conversations = now.conversations;
            }
            edit.put(written.clone());
            written
        })?;
        *record = written;
        Ok(())
    }

    /// Waits a moment for an agent that dies at once, and tells how if it does.
    ///
    /// A plain command gets no wait at all: whether it is gone by now is free to see, and to end quickly with
    /// code 0 is its right.
    pub(super) fn settle(&self, record: &AgentRecord, kind: &Kind) -> Result<(), Error> {
        let begun = Instant::now();
        let Some(pid) = record.pid else { return Ok(()) };
        let at_most = Duration::from_millis(kind.settle_ms);
        if !process::wait_exit(pid, at_most).map_err(Error::io("cannot watch the new process"))? {
            return Ok(());
        }
        let after = begun.elapsed();
        let exit = self.exit_of(record)?;
        if record.kind == PLAIN_COMMAND
            && exit.is_none_or(|exit| exit == Exit { code: Some(0), signal: None })
        {
            return Ok(());
        }
        Err(Error::ExitedAtOnce {
            name: record.name.clone(),
            exit,
            after,
            last_lines: self.last_lines(record),
        })
    }

    /// The end of what an agent printed: its dead screen while that is there, else its transcript.
    pub(super) fn last_lines(&self, record: &AgentRecord) -> Vec<String> {
        let pane = record.tmux.as_ref().map(|place| place.pane.as_str());
        let screen = pane.and_then(|pane| self.tmux().ok()?.capture(pane, Capture::All).ok());
        let text = screen.unwrap_or_else(|| self.transcript_tail(record));
        let is_tmuxs =
            |line: &str| line.starts_with("Pane is dead") || line.starts_with(" the agent has ended");
        let is_words = |line: &&str| !line.is_empty() && !is_tmuxs(line);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(is_words).collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].iter().map(ToString::to_string).collect()
    }

    /// The end of the transcript as the terminal showed it.
    pub(super) fn transcript_tail(&self, record: &AgentRecord) -> String {
        let instance = self.store.instance(&record.name);
        let mut text = Vec::new();
        if let Ok(tail) = transcript::tail(instance.dir(), 64 * 1024) {
            let _ = transcript::plain(&tail[..], &mut text, SCREEN);
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// What is known of an agent that was just started; a plain command will never say more.
fn first_note(record: &AgentRecord, start: &Start<'_>) -> StatusNote {
    let now = record.started_at.unwrap_or(record.created_at);
    if record.kind == PLAIN_COMMAND && is_interactive_shell(&record.command) {
        StatusNote::new(Status::Unknown, now, SHELL_RUNS)
    } else if record.kind == PLAIN_COMMAND {
        StatusNote::new(Status::Working, now, "its process runs")
    } else if start.prompt.is_some() && start.kind.hooks.tell_of_prompts() {
        StatusNote::new(Status::Starting, now, WITH_A_TASK)
    } else if record.status.status == Status::Starting {
        record.status.clone()
    } else {
        StatusNote::new(Status::Starting, now, "it was just started")
    }
}
