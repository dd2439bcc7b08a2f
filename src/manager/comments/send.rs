//! `agent review --send`: delivers all drafts as one prompt.
//!
//! The prompt is stored before it is typed. A command that is killed between the delivery and its record leaves the
//! stored prompt; the next command compares it with the prompt that the agent reported last, and does not send the
//! comments again if they are equal. Drafts are never lost.

use std::time::{Duration, Instant};

use crate::error::Error;
use crate::failpoint;
use crate::manager::comments::ReviewComments;
use crate::manager::delivery::SendRequest;
use crate::manager::status::AgentEvidence;
use crate::manager::terminal::AgentInput;
use crate::model::{AgentName, CommentId, CommentState, PendingReview, PlacedComment, Review};
use crate::rules::review::prompt::prompt;
use crate::rules::tasks::confirm::{is_same, is_same_but_for_tabs};
use crate::rules::tasks::typing::LineHandling;
use crate::store::ReviewFiles;

/// The result of sending comments.
#[derive(Debug, Clone)]
pub struct SentComments {
    /// Numbers of the comments that the agent received.
    pub comments: Vec<CommentId>,
    /// The evidence that the agent accepted them; `None` if there were no drafts.
    pub confirmed_by: Option<&'static str>,
}

impl ReviewComments<'_> {
    /// Delivers all drafts as one prompt and marks them as sent.
    pub fn send(&self, name: &AgentName, timeout: Duration) -> Result<SentComments, Error> {
        let begun = Instant::now();
        self.0.record(name, "review")?;
        let _lock = ReviewFiles(&self.0.store).lock_send(name, timeout)?;
        let earlier = self.settle_interrupted_send(name)?;
        let is_draft = |placed: &PlacedComment| placed.comment.state == CommentState::Draft;
        let drafts: Vec<PlacedComment> = self.list(name)?.into_iter().filter(is_draft).collect();
        if drafts.is_empty() {
            let by = (!earlier.is_empty()).then_some("the agent had reported exactly this text");
            return Ok(SentComments { comments: earlier, confirmed_by: by });
        }
        let (text, ids) =
            (prompt(&drafts), drafts.iter().map(|placed| placed.comment.id).collect::<Vec<_>>());
        let pending = PendingReview { comments: ids.clone(), text: text.clone() };
        ReviewFiles(&self.0.store).update(name, |review| review.pending = Some(pending))?;
        failpoint::reached("review.recorded");
        let by = AgentInput(self.0).send(&SendRequest {
            name: name.clone(),
            text,
            lines: LineHandling::Together,
            timeout: timeout.saturating_sub(begun.elapsed()),
        })?;
        failpoint::reached("review.delivered");
        self.mark_sent(name, &ids)?;
        Ok(SentComments { comments: [earlier, ids].concat(), confirmed_by: Some(by) })
    }

    /// Marks comments as sent whose delivery was interrupted, if the agent has reported their prompt.
    pub(in crate::manager) fn settle_interrupted_send(
        &self,
        name: &AgentName,
    ) -> Result<Vec<CommentId>, Error> {
        let Some(pending) = ReviewFiles(&self.0.store).read(name)?.pending else { return Ok(Vec::new()) };
        let reported = AgentEvidence(self.0).reported_prompt(name);
        let is_reported =
            |text: &str| is_same(&pending.text, text) || is_same_but_for_tabs(&pending.text, text);
        if !reported.is_some_and(|reported| is_reported(&reported.text)) {
            return Ok(Vec::new());
        }
        self.mark_sent(name, &pending.comments)?;
        Ok(pending.comments)
    }

    fn mark_sent(&self, name: &AgentName, ids: &[CommentId]) -> Result<(), Error> {
        let now = self.0.now();
        let mark = |review: &mut Review| {
            review.pending = None;
            for comment in review.comments.iter_mut().filter(|comment| ids.contains(&comment.id)) {
                // The agent may have resolved it in the meantime.
                if comment.state == CommentState::Draft {
                    comment.state = CommentState::Sent;
                }
                comment.sent_at.get_or_insert(now);
            }
        };
        Ok(ReviewFiles(&self.0.store).update(name, mark)?)
    }
}
