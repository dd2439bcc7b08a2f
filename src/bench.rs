//! Entry points for the benches, which measure parts of the supervisor without its process.

use std::path::Path;

use crate::env::Env;
use crate::error::Error;
use crate::manager::{Context, Dispatcher, TaskCompletion};
pub use crate::transcript::LiveTail;

/// Opens the environment in `home` and returns a function that examines all queues once, as each tick of the
/// supervisor does.
pub fn queue_examination(home: &Path) -> Result<impl Fn() -> Result<(), String>, String> {
    let text = |error: Error| error.to_string();
    let context = Context::open(Env::capture(), Some(home)).map_err(text)?;
    Ok(move || {
        TaskCompletion(&context).finish_tasks().map_err(text)?;
        Dispatcher(&context).recover_deliveries().map_err(text)?;
        Dispatcher(&context).dispatchable(&Default::default()).map_err(text)?;
        Ok(())
    })
}
