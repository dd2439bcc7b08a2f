//! The review of an agent's work as a whole: the compared trees, the comments, and the files that were marked as
//! reviewed. A face keeps it as long as it shows it.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::manager::comments::ReviewComments;
use crate::manager::review::DiffSession;
use crate::model::{AgentName, PlacedComment, Review};
use crate::store::ReviewFiles;

/// The review of an agent's work at one moment.
pub struct ReviewSession {
    /// The compared trees.
    pub diff: DiffSession,
    /// The comments, with the place of their lines in this diff.
    pub comments: Vec<PlacedComment>,
    /// Paths of the files that are marked as reviewed for exactly this diff.
    pub reviewed: BTreeSet<String>,
}

impl ReviewComments<'_> {
    /// Returns an error if there is no such agent.
    pub fn check(&self, name: &AgentName) -> Result<(), Error> {
        self.0.record(name, "review").map(drop)
    }

    /// Compares the work of an agent with its base and reads the comments on it.
    pub fn open(&self, name: &AgentName) -> Result<ReviewSession, Error> {
        self.settle_interrupted_send(name)?;
        let mut session =
            ReviewSession { diff: self.session(name)?, comments: Vec::new(), reviewed: BTreeSet::new() };
        self.refresh(&mut session)?;
        Ok(session)
    }

    /// Reads the comments and marks again, without comparing the work again.
    pub fn refresh(&self, session: &mut ReviewSession) -> Result<(), Error> {
        let review = ReviewFiles(&self.0.store).read(&session.diff.diff.agent)?;
        session.reviewed = reviewed(&review, &session.diff);
        session.comments = self.placed(review.comments, Some(&session.diff));
        Ok(())
    }

    /// Marks a file as reviewed for exactly this diff, or takes the mark back. Files that are not part of the diff
    /// cannot be marked.
    pub fn toggle_reviewed(&self, session: &mut ReviewSession, path: &str) -> Result<(), Error> {
        let Some(change) = session.diff.diff.files.iter().find(|change| change.path == path) else {
            return Ok(());
        };
        let toggle = |review: &mut Review| match review.reviewed.get(path) == Some(&change.blobs) {
            true => drop(review.reviewed.remove(path)),
            false => drop(review.reviewed.insert(path.to_owned(), change.blobs.clone())),
        };
        ReviewFiles(&self.0.store).update(&session.diff.diff.agent, toggle)?;
        let review = ReviewFiles(&self.0.store).read(&session.diff.diff.agent)?;
        session.reviewed = reviewed(&review, &session.diff);
        Ok(())
    }
}

/// Returns the files whose versions are those that were marked. A file that has changed since is not reviewed.
fn reviewed(review: &Review, session: &DiffSession) -> BTreeSet<String> {
    let is_marked = |path: &str| {
        session
            .diff
            .files
            .iter()
            .any(|file| file.path == path && review.reviewed.get(path) == Some(&file.blobs))
    };
    review.reviewed.keys().filter(|path| is_marked(path)).cloned().collect()
}
