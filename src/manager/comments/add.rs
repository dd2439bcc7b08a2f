//! `agent review --comment`: makes a comment on lines that exist in the diff or in the working tree of an agent.

use crate::base::plural::counted;
use crate::base::sanitize::shown;
use crate::error::Error;
use crate::manager::comments::ReviewComments;
use crate::manager::review::{DiffPart, DiffRequest, DiffSession, Reviews};
use crate::model::{
    AgentName, CommentId, CommentState, CommentedDiff, DiffSide, LineRange, Prompt, Review, ReviewComment,
};
use crate::rules::review::anchor::{anchor, lines_of};
use crate::store::ReviewFiles;

/// Maximum length of the text of a comment in bytes.
const MAX_TEXT_BYTES: usize = 20_000;

/// Maximum number of comments of one agent, so that a script cannot fill the file without limit.
const MAX_COMMENTS: usize = 1000;

/// A comment to make.
#[derive(Debug, Clone)]
pub struct NewComment {
    /// Path of the file: relative to the root of the working tree, or absolute.
    pub file: String,
    /// The lines that the comment is about.
    pub lines: LineRange,
    /// The version of the file that the line numbers refer to.
    pub side: DiffSide,
    /// Text of the comment.
    pub text: String,
}

impl ReviewComments<'_> {
    /// Stores a comment as a draft.
    pub fn add(&self, name: &AgentName, new: &NewComment) -> Result<ReviewComment, Error> {
        let session = self.session(name)?;
        self.add_to(&session, new)
    }

    /// Stores a comment on a diff as a draft.
    pub fn add_to(&self, session: &DiffSession, new: &NewComment) -> Result<ReviewComment, Error> {
        let name = &session.diff.agent;
        // The text becomes a part of a prompt, so it must not contain keys.
        let text: Prompt = new.text.parse().map_err(Error::unsendable)?;
        if text.as_str().len() > MAX_TEXT_BYTES {
            return Err(Error::usage(format!("a comment has at most {MAX_TEXT_BYTES} bytes")));
        }
        let Some(file) = session.file(&new.file, new.side)? else {
            let place = match new.side {
                DiffSide::New => "in the working tree",
                DiffSide::Old => "in the base of the work",
            };
            return Err(Error::usage(format!("`{}` is not a file {place} of `{name}`", shown(&new.file)))
                .saw("files that git ignores and the content of submodules cannot be commented on")
                .hint(format!("`symposium agent diff {name} --name-only` lists the changed files")));
        };
        let path = shown(&file.path);
        let Some(content) = file.text else {
            return Err(Error::usage(format!("`{path}` is a binary file and has no lines")));
        };
        let lines = lines_of(&content);
        let Some(anchor) = anchor(&lines, new.lines) else {
            return Err(Error::usage(format!("`{path}` has no line {}", new.lines.last))
                .saw(format!("the file has {}", counted(lines.len(), "line", "lines"))));
        };
        let comment = |review: &mut Review| {
            if review.comments.len() >= MAX_COMMENTS {
                return Err(Error::usage(format!(
                    "agent `{name}` has {MAX_COMMENTS} review comments already"
                ))
                .hint(format!("`symposium agent review {name} --remove N` removes one")));
            }
            review.last_id += 1;
            let comment = ReviewComment {
                id: CommentId(review.last_id),
                file: file.path,
                side: new.side,
                anchor,
                text: text.to_string(),
                state: CommentState::Draft,
                diff: CommentedDiff { base: session.diff.base.commit.clone(), blobs: file.blobs },
                created_at: self.0.now(),
                sent_at: None,
                resolved_at: None,
                unknown: serde_json::Map::new(),
            };
            review.comments.push(comment.clone());
            Ok(comment)
        };
        ReviewFiles(&self.0.store).update(name, comment)?
    }

    /// Compares the work of an agent with its base.
    pub(in crate::manager) fn session(&self, name: &AgentName) -> Result<DiffSession, Error> {
        Reviews(self.0).diff(&DiffRequest { name: name.clone(), base: None, part: DiffPart::All })
    }
}
