//! Compares the work of the agent that is reviewed, reads patches, and stores comments. The comparison that is shown is
//! kept, so a comment is made for exactly the lines that the user has seen.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use crate::dashboard::diff::patch::parse;
use crate::dashboard::diff::rows::{CommentedRows, coloured_rows, plain_rows};
use crate::dashboard::diff::screen::{ComparedWork, DiffContent, DiffExtent, FileRows};
use crate::dashboard::effects::{EventSender, sentence};
use crate::dashboard::state::agent_key::AgentKey;
use crate::dashboard::state::event::{AgentTarget, DashboardEvent};
use crate::error::Error;
use crate::manager::{Context, NewComment, ReviewComments, ReviewSession};
use crate::model::{FileChange, PlacedComment, without_deception};

/// Maximum size of a patch that is shown, in bytes. `agent diff` shows longer ones.
const MAX_PATCH_BYTES: usize = 2 << 20;

/// A request to the worker.
#[derive(Debug)]
pub(super) enum ReviewRequest {
    /// Compares the work of an agent again.
    Compare(AgentTarget),
    /// Reads the patch of a file.
    Patch { target: AgentTarget, path: String, extent: DiffExtent },
    /// Comments on lines of a file.
    Comment { target: AgentTarget, file: String, rows: CommentedRows, text: String },
    /// Marks a file as reviewed, or takes the mark back.
    ToggleReviewed(AgentTarget, String),
}

/// Rows of a file that have no colours yet.
#[derive(Debug)]
pub(super) struct UncolouredRows {
    key: AgentKey,
    rows: FileRows,
}

/// Colours rows until the dashboard ends. Only the newest ones matter.
pub(super) fn paint(events: &EventSender, requests: &Receiver<UncolouredRows>) {
    while let Ok(first) = requests.recv() {
        let UncolouredRows { key, rows } = requests.try_iter().last().unwrap_or(first);
        let FileRows { path, read, rows } = rows;
        let rows = FileRows { rows: coloured_rows(&path, rows), path, read };
        events.send(DashboardEvent::RowsRead { key, rows });
    }
}

/// Serves requests until the dashboard ends.
pub(super) fn run(
    context: &Context,
    events: &EventSender,
    (requests, painter): (&Receiver<ReviewRequest>, &Sender<UncolouredRows>),
) {
    let mut worker = ReviewWorker { context, events, painter, reads: 0, shown: None };
    while let Ok(first) = requests.recv() {
        let all: Vec<ReviewRequest> = std::iter::once(first).chain(requests.try_iter()).collect();
        let last = all.iter().rposition(|request| matches!(request, ReviewRequest::Compare(_)));
        for (at, request) in all.into_iter().enumerate() {
            // Only the newest comparison matters.
            let is_outdated = matches!(request, ReviewRequest::Compare(_)) && Some(at) != last;
            if !is_outdated && let Err(error) = worker.serve(request) {
                events.send(DashboardEvent::Finished(Err(sentence(&error))));
            }
        }
    }
}

/// The worker with the comparison that is shown.
struct ReviewWorker<'a> {
    context: &'a Context,
    events: &'a EventSender,
    painter: &'a Sender<UncolouredRows>,
    /// Number of patches that were read.
    reads: u64,
    shown: Option<(AgentKey, ReviewSession)>,
}

impl ReviewWorker<'_> {
    fn serve(&mut self, request: ReviewRequest) -> Result<(), Error> {
        let comments = ReviewComments(self.context);
        match request {
            ReviewRequest::Compare(target) => {
                // The old comparison is dropped first, because it has a copy of the changed files.
                self.shown = None;
                match comments.open(&target.name) {
                    Ok(session) => self.shown = Some((target.key.clone(), session)),
                    Err(error) => {
                        let content = DiffContent::Failed(sentence(&error));
                        self.events.send(DashboardEvent::WorkCompared { key: target.key, content });
                        return Ok(());
                    }
                }
                self.report(&target.key);
            }
            ReviewRequest::Patch { target, path, extent } => self.read_patch(&target.key, &path, extent)?,
            ReviewRequest::Comment { target, file, rows, text } => {
                let Some(session) = self.session(&target.key) else { return Ok(()) };
                let new = NewComment { file, lines: rows.lines, side: rows.side, text };
                let comment = comments.add_to(&session.diff, &new)?;
                comments.refresh(session)?;
                let text = format!("comment {} is a draft; `C` sends all drafts", comment.id);
                self.events.send(DashboardEvent::Finished(Ok(text)));
                self.report(&target.key);
            }
            ReviewRequest::ToggleReviewed(target, path) => {
                let Some(session) = self.session(&target.key) else { return Ok(()) };
                comments.toggle_reviewed(session, &path)?;
                self.report(&target.key);
            }
        }
        Ok(())
    }

    fn session(&mut self, key: &AgentKey) -> Option<&mut ReviewSession> {
        self.shown.as_mut().filter(|(shown, _)| shown == key).map(|(_, session)| session)
    }

    /// Sends the comparison to the event loop.
    fn report(&mut self, key: &AgentKey) {
        let Some(session) = self.session(key) else { return };
        let work = ComparedWork {
            files: session.diff.diff.files.clone(),
            reviewed: session.reviewed.clone(),
            comments: session.comments.clone(),
            remarks: session.diff.diff.remarks.clone(),
        };
        let content = DiffContent::Compared(Arc::new(work));
        self.events.send(DashboardEvent::WorkCompared { key: key.clone(), content });
    }

    fn read_patch(&mut self, key: &AgentKey, path: &str, extent: DiffExtent) -> Result<(), Error> {
        let Some(session) = self.session(key) else { return Ok(()) };
        let Some(change) = session.diff.diff.files.iter().find(|change| change.path == path) else {
            return Ok(());
        };
        let mut patch = BoundedText::default();
        match extent {
            DiffExtent::Hunks => session.diff.write_patch(&paths(change), &mut patch)?,
            DiffExtent::WholeFile => session.diff.write_whole_files(&paths(change), &mut patch)?,
        }
        let text = String::from_utf8_lossy(&patch.bytes);
        let mut lines = parse(&without_deception(&text));
        lines.iter_mut().for_each(|line| line.text = line.text.replace('\t', "    "));
        let comments = session.comments.iter().filter(|placed| is_on(placed, change)).cloned();
        let rows = plain_rows(lines, &comments.collect::<Vec<_>>());
        self.reads += 1;
        let rows = FileRows { path: path.to_owned(), read: self.reads, rows };
        // Colours take longer than the patch, and no request may wait for them.
        let _ = self.painter.send(UncolouredRows { key: key.clone(), rows: rows.clone() });
        self.events.send(DashboardEvent::RowsRead { key: key.clone(), rows });
        Ok(())
    }
}

/// Returns the paths whose patches belong to a change. A rename needs both paths.
fn paths(change: &FileChange) -> Vec<String> {
    std::iter::once(change.path.clone()).chain(change.old_path.clone()).collect()
}

/// Returns whether a comment is on a file.
fn is_on(placed: &PlacedComment, change: &FileChange) -> bool {
    placed.current_file == change.path || Some(&placed.current_file) == change.old_path.as_ref()
}

/// The beginning of a text.
#[derive(Default)]
struct BoundedText {
    bytes: Vec<u8>,
}

impl Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_PATCH_BYTES {
            // The writer stops here without an error.
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
