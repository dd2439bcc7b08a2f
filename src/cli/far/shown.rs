//! What another machine printed, on its way to this terminal: cleaned, and handed on as it comes.

use super::super::ui;
use super::list::Lines;
use crate::error::Error;
use crate::manager::Showing;
use crate::model::HostName;
use crate::rules::far::Face;
use crate::rules::foreign::{Cleaner, Manner};

/// Both streams of one command.
pub(super) struct Shown {
    host: HostName,
    showing: Showing,
    out: Cleaner,
    lines: Lines,
    err: Cleaner,
}

impl Shown {
    /// For a command whose output is shown in this manner.
    pub(super) fn of(host: &HostName, showing: Showing, manner: Manner, face: Face) -> Shown {
        let marked = (showing == Showing::Again && face.json).then(|| host.clone());
        let coloured = face.coloured && !face.json;
        Shown {
            host: host.clone(),
            showing,
            out: Cleaner::of(manner),
            lines: Lines::of(marked),
            err: Cleaner::of(Manner::Text { coloured }),
        }
    }

    /// A piece of its standard output; false when nobody reads it.
    pub(super) fn out(&mut self, bytes: &[u8]) -> bool {
        ui::pass_on(&self.lines.marked(&self.out.clean(bytes)), ui::Stream::Out)
    }

    /// A piece of its standard error.
    pub(super) fn err(&mut self, bytes: &[u8]) {
        ui::pass_on(&self.err.clean(bytes), ui::Stream::Err);
    }

    /// The link was lost: what is only looked at comes again from its beginning.
    pub(super) fn lost(&mut self) {
        if self.showing != Showing::Once {
            self.out.forget();
            self.err.forget();
        }
    }

    /// The rest of both, and whether everything could be shown.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        ui::pass_on(&self.lines.marked(&self.out.finish()), ui::Stream::Out);
        ui::pass_on(&self.err.finish(), ui::Stream::Err);
        match self.out.refused() {
            0 => Ok(()),
            _ => Err(Error::FarFailed {
                name: self.host,
                said: vec!["what it printed is no JSON; that is not shown".to_owned()],
            }),
        }
    }
}
