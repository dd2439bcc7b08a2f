//! The comments that an agent has received, as its own tools see them. Drafts belong to the user until they are sent.

use crate::error::Error;
use crate::manager::comments::{ReviewComments, no_such_comment};
use crate::model::{AgentName, CommentId, CommentState, PlacedComment, ReviewComment};
use crate::store::ReviewFiles;

/// Which of the received comments are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceivedComments {
    /// Those that are not resolved.
    Open,
    /// All of them.
    All,
}

impl ReviewComments<'_> {
    /// Returns the comments that an agent has received.
    pub fn received(&self, name: &AgentName, wanted: ReceivedComments) -> Result<Vec<PlacedComment>, Error> {
        let is_wanted = |comment: &ReviewComment| {
            is_received(comment)
                && (wanted == ReceivedComments::All || comment.state != CommentState::Resolved)
        };
        Ok(self.list(name)?.into_iter().filter(|placed| is_wanted(&placed.comment)).collect())
    }

    /// Marks a comment as done that the agent has received.
    pub fn resolve_received(&self, name: &AgentName, id: CommentId) -> Result<ReviewComment, Error> {
        self.settle_interrupted_send(name)?;
        let review = ReviewFiles(&self.0.store).read(name)?;
        // The agent may act on a prompt before the command that sent it has recorded the delivery.
        let is_typed =
            |id: &CommentId| review.pending.as_ref().is_some_and(|pending| pending.comments.contains(id));
        let is_known = |comment: &ReviewComment| comment.id == id && (is_received(comment) || is_typed(&id));
        match review.comments.iter().any(is_known) {
            true => self.resolve(name, id),
            false => Err(no_such_comment(name, id)),
        }
    }
}

fn is_received(comment: &ReviewComment) -> bool {
    comment.sent_at.is_some()
}
