//! Writes the actions of the supervisor to `supervisor.log`, one JSON object per line: names and reasons, never prompts
//! or environments.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::error::Error;
use crate::manager::Context;
use crate::manager::SupervisorControl;

/// Directs all further tracing output to the log.
pub(super) fn begin(manager: &Context) -> Result<(), Error> {
    let log = SharedLog(Arc::new(Mutex::new(Box::new(SupervisorControl(manager).supervisor_log()?))));
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_target(false)
        .with_max_level(LevelFilter::INFO)
        .with_writer(log)
        .finish();
    // A second supervisor in the same process, as in a test, keeps the first subscriber.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}

/// The log file, shared by all writers.
#[derive(Clone)]
struct SharedLog(Arc<Mutex<Box<dyn Write + Send>>>);

impl Write for SharedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

impl MakeWriter<'_> for SharedLog {
    type Writer = SharedLog;

    fn make_writer(&self) -> SharedLog {
        self.clone()
    }
}
