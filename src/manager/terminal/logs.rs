//! `agent logs`: prints the transcript, also after the agent and the tmux server have ended.

use std::io::{self, Write};
use std::thread;

use jiff::Timestamp;

use crate::env::{Clock, Env};
use crate::error::Error;
use crate::manager::status::{AgentEvidence, StatusTracker};
use crate::manager::terminal::AgentLogs;
use crate::model::{Agent, AgentName};
use crate::process;
use crate::tmux;
use crate::transcript::{self, FollowFlow, ReadFrom, TranscriptLimits};

/// The output format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogsStyle {
    /// The raw bytes with all escape sequences.
    AsPrinted,
    /// Plain text as the terminal showed it.
    Plain,
}

/// The options of `agent logs`.
#[derive(Debug, Clone)]
pub struct LogsRequest {
    /// Name of the agent whose transcript is printed.
    pub name: AgentName,
    /// Start of the period; the default is the beginning of the transcript.
    pub since: Option<Timestamp>,
    /// The output format.
    pub style: LogsStyle,
}

impl AgentLogs<'_> {
    /// Writes the existing transcript to `out`.
    pub fn logs(&self, request: &LogsRequest, out: &mut dyn Write) -> Result<(), Error> {
        let record = self.0.record(&request.name, "logs")?;
        StatusTracker(self.0).finish_move(&record)?;
        let instance = self.0.store.instance(&record.name);
        let since = request.since.map_or(ReadFrom::Start, ReadFrom::At);
        let cannot = || Error::io(format!("cannot read the transcript of `{}`", record.name));
        let mut log = transcript::open(instance.dir(), since).map_err(cannot())?;
        let mut out = out;
        match request.style {
            LogsStyle::AsPrinted => io::copy(&mut log, &mut out).map(|_| ()),
            LogsStyle::Plain => transcript::plain(log, &mut out, crate::manager::status::last_lines::SCREEN),
        }
        .map_err(cannot())
    }

    /// Returns the end of the transcript as the terminal showed it.
    pub fn logs_tail(&self, name: &AgentName) -> Result<String, Error> {
        let record = self.0.record(name, "logs")?;
        StatusTracker(self.0).finish_move(&record)?;
        Ok(AgentEvidence(self.0).transcript_tail(&record))
    }

    /// Writes the raw transcript and then new output, until the agent has ended or `out` is closed. Both are done by
    /// one reader, because output between two readers would be lost.
    pub fn follow_logs(&self, request: &LogsRequest, out: &mut dyn Write) -> Result<(), Error> {
        let record = self.0.record(&request.name, "logs")?;
        StatusTracker(self.0).finish_move(&record)?;
        let instance = self.0.store.instance(&record.name);
        let since = request.since.map_or(ReadFrom::Start, ReadFrom::At);
        // Compared by id, because the agent may be renamed.
        let is_live = |agent: &Agent| agent.id == record.id && agent.status.is_live();
        let gone = || {
            StatusTracker(self.0)
                .current_agents()
                .map_or(true, |current_agents| !current_agents.agents.iter().any(is_live))
        };
        let each = |bytes: &[u8]| {
            out.write_all(bytes)?;
            out.flush()?;
            Ok(FollowFlow::Continue)
        };
        transcript::follow(instance.dir(), since, each, &gone)
            .map_err(Error::io(format!("cannot follow the transcript of `{}`", record.name)))
    }

    /// Copies standard input to the transcript of an instance. This is the hidden command behind tmux's `pipe-pane`.
    ///
    /// The writer is a child of the tmux server for as long as the agent runs, as the agent's process is. So it also
    /// makes the server notice the end of that process, whether or not a supervisor runs.
    pub fn write_transcript(dir: &std::path::Path, env: &Env) -> io::Result<()> {
        let process = env.var(tmux::PANE_PROCESS).and_then(|pid| pid.to_str()?.parse().ok());
        if let Some(process) = process {
            // This thread ends with the program. A writer that cannot start the thread still writes.
            let _ =
                thread::Builder::new().name("exit".into()).spawn(move || process::remind_parent_of(process));
        }
        transcript::write(dir, io::stdin(), TranscriptLimits::default(), &|| Clock::System.now())
    }
}
