//! Monitors the transcript writers, the processes behind tmux's pipes. While one is stopped, tmux buffers all output of
//! its agent without any limit.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::manager::launch::Launcher;
use crate::manager::maintenance::TranscriptWriters;
use crate::model::{AgentName, ServerIdentity, Status};
use crate::process::{self, Stall, stalled_children};

/// Interval of checks while an agent prints. tmux takes in about 30 MB/s of output.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// Number of times that a stopped writer is continued before it is replaced.
const MAX_CONTINUES: u32 = 2;
/// Time limit for a killed writer to exit.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause between two checks for writers that wait for the disk. A healthy disk makes a writer wait for milliseconds.
const DISK_LOOKS: Duration = Duration::from_millis(300);

/// A transcript writer that makes no progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StalledWriter {
    /// The agent whose output the writer stores.
    pub agent: AgentName,
    /// Process id of the writer.
    pub pid: i32,
    /// Why the writer makes no progress.
    pub stall: Stall,
}

/// How a stopped writer was repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriterRepair {
    /// The writer received a signal to continue.
    Continued,
    /// The writer stayed stopped and was replaced.
    Replaced,
}

/// How often each stopped writer was continued, by process id.
#[derive(Debug, Default)]
pub struct WriterRepairs(HashMap<i32, u32>);

/// Result of a check of the writers.
#[derive(Debug, Default)]
pub struct WritersSeen {
    /// The repair of each stopped writer, by agent.
    pub repaired: Vec<(AgentName, WriterRepair)>,
    /// Time of the next check; `None` while no agent may print.
    pub again_in: Option<Duration>,
}

impl TranscriptWriters<'_> {
    /// Lists the transcript writers of this environment that make no progress at this moment.
    pub fn stalled_writers(&self) -> Result<Vec<StalledWriter>, Error> {
        let records = self.0.store.read(self.0.now())?;
        let servers: BTreeSet<i32> = records
            .iter()
            .filter(|record| record.status.status.is_live())
            .filter_map(|record| ServerIdentity(record.tmux.as_ref()?.server.clone()).pid())
            .collect();
        let is_writer = |args: &[String]| self.agent_of_writer(args).is_some();
        let children = servers.into_iter().flat_map(|server| stalled_children(server, is_writer));
        let writers = children.filter_map(|child| {
            let agent = self.agent_of_writer(&child.args)?;
            Some(StalledWriter { agent, pid: child.pid, stall: child.stall })
        });
        Ok(writers.collect())
    }

    /// Lists the writers that make no progress in two checks in a row.
    pub(in crate::manager) fn lasting_stalls(&self) -> Result<Vec<StalledWriter>, Error> {
        let mut stalled = self.stalled_writers()?;
        if stalled.iter().any(|writer| writer.stall == Stall::WaitsForDisk) {
            std::thread::sleep(DISK_LOOKS);
            let again = self.stalled_writers()?;
            stalled.retain(|writer| again.contains(writer));
        }
        Ok(stalled)
    }

    /// Returns the agent of a writer process from its command line: `symposium transcript DIR`.
    fn agent_of_writer(&self, args: &[String]) -> Option<AgentName> {
        let [_, verb, dir] = args else { return None };
        let (dir, instances) = (Path::new(dir), self.0.store.instances_dir());
        let is_ours = verb == "transcript" && dir.parent() == Some(instances.as_path());
        dir.file_name().filter(|_| is_ours)?.to_str()?.parse().ok()
    }

    /// Continues stopped writers, and replaces those that stay stopped.
    pub fn repair_writers(&self, repairs: &mut WriterRepairs) -> Result<WritersSeen, Error> {
        let records = self.0.store.read(self.0.now())?;
        if !records.iter().any(|record| may_print(record.status.status)) {
            return Ok(WritersSeen::default());
        }
        let mut stopped = self.stalled_writers()?;
        stopped.retain(|writer| writer.stall == Stall::Stopped);
        repairs.0.retain(|pid, _| stopped.iter().any(|writer| writer.pid == *pid));
        let mut seen = WritersSeen { repaired: Vec::new(), again_in: Some(LOOK_INTERVAL) };
        for writer in stopped {
            let continues = repairs.0.entry(writer.pid).or_default();
            *continues += 1;
            let repair =
                if *continues > MAX_CONTINUES { WriterRepair::Replaced } else { WriterRepair::Continued };
            match repair {
                WriterRepair::Continued => self.continue_writer(&writer)?,
                WriterRepair::Replaced => self.replace_writer(&writer)?,
            }
            seen.repaired.push((writer.agent, repair));
        }
        Ok(seen)
    }

    fn continue_writer(&self, writer: &StalledWriter) -> Result<(), Error> {
        process::ask_to_continue(writer.pid, || self.is_still(writer))
            .map_err(Error::io("cannot continue a transcript writer"))
    }

    /// Replaces a writer. tmux frees the buffer of a writer when the writer ends.
    fn replace_writer(&self, writer: &StalledWriter) -> Result<(), Error> {
        process::end_at_once(writer.pid, || self.is_still(writer), KILL_TIMEOUT)
            .map_err(Error::io("cannot end a transcript writer"))?;
        let record = self.0.record(&writer.agent, "record")?;
        let Some(location) = &record.tmux else { return Ok(()) };
        Ok(self.0.tmux()?.pipe_output(&location.pane, &Launcher(self.0).transcript_command(&record.name))?)
    }

    fn is_still(&self, writer: &StalledWriter) -> bool {
        self.stalled_writers().is_ok_and(|stalled| stalled.contains(writer))
    }
}

/// Returns whether an agent with this status may print much. A shell and an agent without hooks are `unknown`, and an
/// agent that waits for an answer may have other programs running.
fn may_print(status: Status) -> bool {
    matches!(status, Status::Starting | Status::Working | Status::Waiting | Status::Unknown)
}
