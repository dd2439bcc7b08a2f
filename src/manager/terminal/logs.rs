//! `agent logs`: the transcript, also after the agent and the server are gone.

use crate::manager::status::StatusTracker;
use crate::manager::terminal::Terminals;
use std::io::{self, Write};
use std::thread;

use jiff::Timestamp;

use crate::env::Env;
use crate::error::Error;
use crate::model::{Agent, AgentName};
use crate::process;
use crate::tmux;
use crate::transcript::{self, Go, Limits, Since};

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogsStyle {
    /// Byte by byte, with all escape sequences.
    AsPrinted,
    /// As text, as the terminal showed it.
    Plain,
}

/// What a user asked for.
#[derive(Debug, Clone)]
pub struct LogsRequest {
    /// The agent.
    pub name: AgentName,
    /// From when.
    pub since: Option<Timestamp>,
    /// How it is written.
    pub style: LogsStyle,
}

impl Terminals<'_> {
    /// Writes the transcript so far.
    pub fn logs(&self, request: &LogsRequest, out: &mut dyn Write) -> Result<(), Error> {
        let record = self.0.record(&request.name, "logs")?;
        StatusTracker(self.0).finish_move(&record)?;
        let instance = self.0.store.instance(&record.name);
        let since = request.since.map_or(Since::Start, Since::At);
        let cannot = || Error::io(format!("cannot read the transcript of `{}`", record.name));
        let mut log = transcript::open(instance.dir(), since).map_err(cannot())?;
        let mut out = out;
        match request.style {
            LogsStyle::AsPrinted => io::copy(&mut log, &mut out).map(|_| ()),
            LogsStyle::Plain => transcript::plain(log, &mut out, crate::manager::status::last_lines::SCREEN),
        }
        .map_err(cannot())
    }

    /// The end of the transcript, as the terminal showed it.
    pub fn logs_tail(&self, name: &AgentName) -> Result<String, Error> {
        let record = self.0.record(name, "logs")?;
        StatusTracker(self.0).finish_move(&record)?;
        Ok(StatusTracker(self.0).transcript_tail(&record))
    }

    /// Writes it as it was printed, and then what comes, until the agent is gone or `out` is closed. In one go: what is
    /// printed between two readings would be in neither.
    pub fn follow_logs(&self, request: &LogsRequest, out: &mut dyn Write) -> Result<(), Error> {
        let record = self.0.record(&request.name, "logs")?;
        StatusTracker(self.0).finish_move(&record)?;
        let instance = self.0.store.instance(&record.name);
        let since = request.since.map_or(Since::Start, Since::At);
        // By its id: it may get another name.
        let is_live = |agent: &Agent| agent.id == record.id && agent.status.is_live();
        let gone =
            || StatusTracker(self.0).survey().map_or(true, |survey| !survey.agents.iter().any(is_live));
        let each = |bytes: &[u8]| {
            out.write_all(bytes)?;
            out.flush()?;
            Ok(Go::On)
        };
        transcript::follow(instance.dir(), since, each, &gone)
            .map_err(Error::io(format!("cannot follow the transcript of `{}`", record.name)))
    }

    /// The hidden writer behind tmux's pipe: standard input into an instance's transcript.
    ///
    /// The writer is a child of the tmux server for as long as the agent runs, as the agent's process is. So it also
    /// makes the server notice the end of that process, whether or not a supervisor runs.
    pub fn write_transcript(dir: &std::path::Path, env: &Env) -> io::Result<()> {
        let process = env.var(tmux::PANE_PROCESS).and_then(|pid| pid.to_str()?.parse().ok());
        if let Some(process) = process {
            // This thread ends with the program. A writer that cannot start it still writes.
            let _ =
                thread::Builder::new().name("exit".into()).spawn(move || process::remind_parent_of(process));
        }
        transcript::write(dir, io::stdin().lock(), Limits::default(), &Env::now)
    }
}
