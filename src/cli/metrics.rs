//! The `symposium metrics` command.

use super::Invocation;
use crate::error::Error;
use crate::manager::{Diagnostics, StatusTracker};

pub(super) fn run(context: &Invocation) -> Result<u8, Error> {
    let text = Diagnostics(&context.manager).metrics()?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "prometheus": text }));
    } else {
        context.ui.data(&text);
    }
    StatusTracker(&context.manager).unheard().map_or(Ok(0), Err)
}
