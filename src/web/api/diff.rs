//! The changes of an agent since its base, as a patch.

use std::io::{self, Write};
use std::sync::Arc;

use axum::extract::{Path, State};
use serde_json::json;

use super::{ApiResult, agent_name, answered};
use crate::manager::{DiffPart, DiffRequest, Reviews};
use crate::model::without_deception;
use crate::web::WebState;

/// Maximum size of a patch in bytes: more than can be read on a phone. `agent diff` shows longer ones.
const MAX_PATCH_BYTES: usize = 512 * 1024;

/// `GET …/diff`: the changed files as `agent diff --json` prints them, and the patch, cut after some size.
pub(in crate::web) async fn diff(State(state): State<Arc<WebState>>, Path(name): Path<String>) -> ApiResult {
    let (context, name) = (Arc::clone(&state.context), agent_name(&name)?);
    answered(move || {
        let session = Reviews(&context).diff(&DiffRequest { name, base: None, part: DiffPart::All })?;
        let mut patch = PatchStart::default();
        session.write_patch(&[], &mut patch)?;
        Ok(json!({ "diff": session.diff, "patch": patch.text(), "is_cut": patch.is_cut }))
    })
    .await
}

/// The first bytes of a patch. The rest is read and dropped, so that git ends normally.
#[derive(Default)]
struct PatchStart {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl PatchStart {
    /// Returns whole lines without characters that would hide or reorder others.
    fn text(&self) -> String {
        let bytes = match self.bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) if self.is_cut => &self.bytes[..=end],
            _ => &self.bytes,
        };
        without_deception(&String::from_utf8_lossy(bytes))
    }
}

impl Write for PatchStart {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let kept = data.len().min(MAX_PATCH_BYTES - self.bytes.len());
        self.bytes.extend_from_slice(&data[..kept]);
        self.is_cut |= kept < data.len();
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_patch_is_cut_after_a_line() {
        let mut patch = PatchStart::default();
        let line = [b"+".repeat(99), b"\n".to_vec()].concat();
        for _ in 0..MAX_PATCH_BYTES / 50 {
            patch.write_all(&line).unwrap();
        }
        assert!(patch.is_cut);
        let text = patch.text();
        assert!(text.ends_with("+\n") && text.len() % 100 == 0 && text.len() <= MAX_PATCH_BYTES);
    }

    #[test]
    fn a_patch_cannot_reorder_its_text() {
        let mut patch = PatchStart::default();
        patch.write_all("+a\u{202e}b\u{1b}[2J\tc".as_bytes()).unwrap();
        assert_eq!((patch.text().as_str(), patch.is_cut), ("+a b [2J\tc", false));
    }
}
