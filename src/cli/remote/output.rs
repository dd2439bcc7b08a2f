//! What another machine printed, on its way to this terminal: cleaned, and handed on as it comes.

use crate::base::terminal_output::{Cleaner, Manner};
use crate::cli::render::ui;
use crate::error::Error;
use crate::manager::Showing;
use crate::model::HostName;
use crate::rules::remote::{Face, Mark, Marker, error_of, pasted_from};

/// The longest line in which a command to paste is looked for.
const LONGEST_LINE: usize = 8 * 1024;

/// Both streams of one command.
pub(super) struct Shown {
    host: HostName,
    showing: Showing,
    out: Cleaner,
    marker: Marker,
    err: Cleaner,
    /// The line of standard error that has no end yet.
    line: Vec<u8>,
}

/// How a command is shown.
pub(super) struct How {
    pub(super) showing: Showing,
    pub(super) manner: Manner,
    pub(super) face: Face,
    pub(super) mark: Mark,
}

impl Shown {
    /// For a command of this machine.
    pub(super) fn of(host: &HostName, how: How) -> Shown {
        let coloured = how.face.coloured && !how.face.json;
        Shown {
            host: host.clone(),
            showing: how.showing,
            out: Cleaner::of(how.manner),
            marker: Marker::of(host.clone(), how.mark),
            err: Cleaner::of(Manner::Text { coloured }),
            line: vec![],
        }
    }

    /// A piece of its standard output; false when nobody reads it.
    pub(super) fn out(&mut self, bytes: &[u8]) -> bool {
        ui::pass_on(&self.marker.marked(&self.out.clean(bytes)), ui::Stream::Out)
    }

    /// A piece of its standard error.
    pub(super) fn err(&mut self, bytes: &[u8]) {
        self.line.extend(self.err.clean(bytes));
        let is_long = self.line.len() > LONGEST_LINE;
        let end = self.line.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.line.split_off(if is_long { self.line.len() } else { end });
        let lines = std::mem::replace(&mut self.line, rest);
        self.pass_on_err(&lines);
    }

    fn pass_on_err(&self, lines: &[u8]) {
        let text = String::from_utf8_lossy(lines);
        let told = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
            Some(line) => format!("{}\n", error_of(&self.host, line)),
            None => error_of(&self.host, line),
        });
        ui::pass_on(pasted_from(&self.host, &told.collect::<String>()).as_bytes(), ui::Stream::Err);
    }

    /// The link was lost: what is only looked at comes again from its beginning.
    pub(super) fn lost(&mut self) {
        if self.showing != Showing::Once {
            self.out.forget();
            self.marker.forget();
            self.err.forget();
            self.line.clear();
        }
    }

    /// The rest of both, and whether everything could be shown.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        let rest = self.marker.marked(&self.out.finish());
        ui::pass_on(&[rest, self.marker.finish()].concat(), ui::Stream::Out);
        self.line.extend(self.err.finish());
        self.pass_on_err(&self.line);
        match self.out.refused() {
            0 => Ok(()),
            _ => Err(Error::FarFailed {
                name: self.host,
                said: vec!["what it printed is no JSON; that is not shown".to_owned()],
            }),
        }
    }
}
