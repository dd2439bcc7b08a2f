//! Sanitizes the output of a command on another machine and passes it on as it arrives.

use super::output_prefix::{HostPrefixer, PrefixTarget, error_of};
use super::pasted::pasted_from;
use super::remote_use::OutputFormat;
use crate::base::terminal::output::{OutputMode, OutputSanitizer};
use crate::cli::render::ui;
use crate::error::Error;
use crate::manager::OutputPlan;
use crate::model::HostName;

/// Maximum length of a line that is searched for commands to paste.
const MAX_LINE_BYTES: usize = 8 * 1024;

/// Both output streams of one command.
pub(super) struct RemoteOutput {
    host: HostName,
    showing: OutputPlan,
    out: OutputSanitizer,
    marker: HostPrefixer,
    err: OutputSanitizer,
    /// The incomplete last line of standard error.
    line: Vec<u8>,
}

/// Describes how the output of a command is shown.
pub(super) struct OutputOptions {
    pub(super) showing: OutputPlan,
    pub(super) manner: OutputMode,
    pub(super) face: OutputFormat,
    pub(super) mark: PrefixTarget,
}

impl RemoteOutput {
    /// Creates the output of a command that runs on this host.
    pub(super) fn of(host: &HostName, how: OutputOptions) -> RemoteOutput {
        let coloured = how.face.coloured && !how.face.json;
        RemoteOutput {
            host: host.clone(),
            showing: how.showing,
            out: OutputSanitizer::of(how.manner),
            marker: HostPrefixer::of(host.clone(), how.mark),
            err: OutputSanitizer::of(OutputMode::Text { coloured }),
            line: vec![],
        }
    }

    /// Passes on a piece of standard output. Returns `false` if the reader is gone.
    pub(super) fn out(&mut self, bytes: &[u8]) -> bool {
        ui::pass_on(&self.marker.marked(&self.out.clean(bytes)), ui::OutputTarget::Out)
    }

    /// Passes on a piece of standard error.
    pub(super) fn err(&mut self, bytes: &[u8]) {
        self.line.extend(self.err.clean(bytes));
        let is_long = self.line.len() > MAX_LINE_BYTES;
        let end = self.line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.line.split_off(if is_long { self.line.len() } else { end });
        let lines = std::mem::replace(&mut self.line, rest);
        self.pass_on_err(&lines);
    }

    fn pass_on_err(&self, lines: &[u8]) {
        let text = String::from_utf8_lossy(lines);
        let hinted = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
            Some(line) => format!("{}\n", error_of(&self.host, line)),
            None => error_of(&self.host, line),
        });
        ui::pass_on(pasted_from(&self.host, &hinted.collect::<String>()).as_bytes(), ui::OutputTarget::Err);
    }

    /// Discards partial output after the connection was lost, because a read-only command runs again from its
    /// beginning.
    pub(super) fn lost(&mut self) {
        if self.showing != OutputPlan::Once {
            self.out.forget();
            self.marker.forget();
            self.err.forget();
            self.line.clear();
        }
    }

    /// Prints the rest of both streams, and fails if not everything could be shown.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        let rest = self.marker.marked(&self.out.finish());
        ui::pass_on(&[rest, self.marker.finish()].concat(), ui::OutputTarget::Out);
        self.line.extend(self.err.finish());
        self.pass_on_err(&self.line);
        match self.out.refused() {
            0 => Ok(()),
            _ => Err(Error::unexpected_answer(
                &self.host,
                vec!["its output is not JSON and is not shown".to_owned()],
            )),
        }
    }
}
