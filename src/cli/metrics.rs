//! `symposium metrics`

use super::Context;
use crate::error::Error;

pub(super) fn run(context: &Context) -> Result<u8, Error> {
    let text = context.manager.metrics()?;
    if context.ui.json {
        context.ui.json(&serde_json::json!({ "prometheus": text }));
    } else {
        context.ui.data(&text);
    }
    context.manager.unheard().map_or(Ok(0), Err)
}
