//! `supervisor log`: prints the log of the supervisor from the oldest line that is kept.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::error::Error;
use crate::manager::supervisor::SupervisorControl;
use crate::store::{Logs, Watches};

/// The file name of the supervisor's log in the state directory.
pub(in crate::manager) const SUPERVISOR_LOG: &str = "supervisor.log";
/// Interval of reads of a followed log if no change of its directory is reported.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(2);

/// Whether reading stops at the end of a log or waits for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogEnd {
    /// Reading stops at the end.
    Stop,
    /// Reading waits for more lines.
    Follow,
}

impl SupervisorControl<'_> {
    /// Passes the lines of the supervisor's log to `each`, in batches, until `each` breaks or the log ends.
    pub fn read_supervisor_log(
        &self,
        end: LogEnd,
        mut each: impl FnMut(&[String]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let watch = match end {
            LogEnd::Follow => Some(Watches(&self.0.store).log(&[SUPERVISOR_LOG])?),
            LogEnd::Stop => None,
        };
        let mut log = Logs(&self.0.store).read(SUPERVISOR_LOG)?;
        loop {
            if each(&log.new_lines()?).is_break() {
                return Ok(());
            }
            let Some(watch) = &watch else { return Ok(()) };
            watch.changed(FOLLOW_INTERVAL);
        }
    }
}
