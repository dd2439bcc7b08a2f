//! `agent review --list`: the comments of an agent with the present place of their lines.

use std::collections::HashMap;

use crate::error::Error;
use crate::manager::comments::ReviewComments;
use crate::manager::review::DiffSession;
use crate::model::{AgentName, CommentPlacement, DiffSide, PlacedComment, ReviewComment};
use crate::rules::review::anchor::{lines_of, locate};
use crate::store::ReviewFiles;

/// The lines of a file in one version, with its present path.
struct CurrentFile {
    path: String,
    lines: Vec<String>,
}

impl ReviewComments<'_> {
    /// Returns the comments of an agent in the order of their numbers.
    pub fn list(&self, name: &AgentName) -> Result<Vec<PlacedComment>, Error> {
        self.0.record(name, "review")?;
        self.settle_interrupted_send(name)?;
        let review = ReviewFiles(&self.0.store).read(name)?;
        if review.comments.is_empty() {
            return Ok(Vec::new());
        }
        // The comments can be read without the work, for example after the worktree was deleted.
        Ok(self.placed(review.comments, self.session(name).ok().as_ref()))
    }

    /// Finds the lines of comments in a diff.
    pub fn placed(&self, comments: Vec<ReviewComment>, session: Option<&DiffSession>) -> Vec<PlacedComment> {
        let mut files = HashMap::new();
        let place = |comment: ReviewComment| match session {
            Some(session) => place(comment, session, &mut files),
            None => PlacedComment {
                placement: CommentPlacement::Unknown,
                current_file: comment.file.clone(),
                current_lines: None,
                comment,
            },
        };
        comments.into_iter().map(place).collect()
    }
}

fn place(
    comment: ReviewComment,
    session: &DiffSession,
    files: &mut HashMap<(String, DiffSide), Option<CurrentFile>>,
) -> PlacedComment {
    let file = files
        .entry((comment.file.clone(), comment.side))
        .or_insert_with(|| current_file(&comment.file, comment.side, session));
    let found = file.as_ref().and_then(|file| Some((file, locate(&comment.anchor, &file.lines)?)));
    let (placement, current_file, current_lines) = match found {
        Some((file, lines)) if file.path == comment.file && lines == comment.anchor.lines => {
            (CommentPlacement::Current, file.path.clone(), Some(lines))
        }
        Some((file, lines)) => (CommentPlacement::Moved, file.path.clone(), Some(lines)),
        None => (CommentPlacement::Outdated, comment.file.clone(), None),
    };
    PlacedComment { comment, placement, current_file, current_lines }
}

/// Returns the present content of a commented file. If the agent has renamed the file, the new one is returned.
fn current_file(path: &str, side: DiffSide, session: &DiffSession) -> Option<CurrentFile> {
    let renamed = || {
        let is_it = |old: &Option<String>| side == DiffSide::New && old.as_deref() == Some(path);
        let change = session.diff.files.iter().find(|change| is_it(&change.old_path))?;
        session.file(&change.path, side).ok()?
    };
    let file = session.file(path, side).ok()?.or_else(renamed)?;
    Some(CurrentFile { path: file.path, lines: lines_of(&file.text?) })
}
