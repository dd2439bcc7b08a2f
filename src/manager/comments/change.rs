//! `agent review --resolve` and `--remove`: changes one comment.

use crate::error::Error;
use crate::manager::comments::{ReviewComments, no_such_comment};
use crate::model::{AgentName, CommentId, CommentState, ReviewComment};
use crate::store::ReviewFiles;

impl ReviewComments<'_> {
    /// Marks a comment as done. Does nothing if it is done already.
    pub fn resolve(&self, name: &AgentName, id: CommentId) -> Result<ReviewComment, Error> {
        self.0.record(name, "review")?;
        let now = self.0.now();
        let resolved = ReviewFiles(&self.0.store).update(name, |review| {
            let comment = review.comments.iter_mut().find(|comment| comment.id == id)?;
            if comment.state != CommentState::Resolved {
                comment.state = CommentState::Resolved;
                comment.resolved_at = Some(now);
            }
            Some(comment.clone())
        })?;
        resolved.ok_or_else(|| no_such_comment(name, id))
    }

    /// Removes a comment and returns it.
    pub fn remove(&self, name: &AgentName, id: CommentId) -> Result<ReviewComment, Error> {
        self.0.record(name, "review")?;
        let removed = ReviewFiles(&self.0.store).update(name, |review| {
            let at = review.comments.iter().position(|comment| comment.id == id)?;
            Some(review.comments.remove(at))
        })?;
        removed.ok_or_else(|| no_such_comment(name, id))
    }
}
