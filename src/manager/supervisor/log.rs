//! `supervisor log`: what the supervisor did, from its oldest line that is kept.

use crate::manager::supervisor::SupervisorControl;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::error::Error;

/// The supervisor's log in the state directory.
pub(in crate::manager) const SUPERVISOR_LOG: &str = "supervisor.log";
/// How often a followed log is read when no change of its directory is reported.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(2);

/// Whether a log is read to its end or followed from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogEnd {
    /// Reading stops at the end.
    Stop,
    /// Reading waits for more lines.
    Follow,
}

impl SupervisorControl<'_> {
    /// Hands the lines of the supervisor's log to `each`, in batches, until that breaks off or the log ends.
    pub fn read_supervisor_log(
        &self,
        end: LogEnd,
        mut each: impl FnMut(&[String]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let watch = match end {
            LogEnd::Follow => Some(self.0.store.watch_log(&[SUPERVISOR_LOG])?),
            LogEnd::Stop => None,
        };
        let mut log = self.0.store.read_log(SUPERVISOR_LOG)?;
        loop {
            if each(&log.new_lines()?).is_break() {
                return Ok(());
            }
            let Some(watch) = &watch else { return Ok(()) };
            watch.changed(FOLLOW_INTERVAL);
        }
    }
}
