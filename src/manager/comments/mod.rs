//! Comments on the work of an agent: `agent review`.
//!
//! - `add`: makes a comment on lines of the diff or of the working tree
//! - `list`: the comments with the present place of their lines
//! - `compare`: the compared trees with comments and reviewed files, for a face that shows them
//! - `change`: resolves and removes comments
//! - `received`: the comments that an agent has received, for its own tools
//! - `send`: delivers all drafts as one prompt

pub(in crate::manager) mod add;
pub(in crate::manager) mod change;
pub(in crate::manager) mod compare;
pub(in crate::manager) mod list;
pub(in crate::manager) mod received;
pub(in crate::manager) mod send;
#[cfg(test)]
mod tests;

pub use add::NewComment;
pub use compare::ReviewSession;
pub use received::ReceivedComments;

use crate::error::{Code, Error};
use crate::manager::Context;
use crate::model::{AgentName, CommentId};

/// Use cases for comments on the work of agents.
#[derive(Clone, Copy)]
pub struct ReviewComments<'a>(pub &'a Context);

/// Reports that an agent has no comment with this number.
fn no_such_comment(name: &AgentName, id: CommentId) -> Error {
    Error::new(Code::NoSuchComment, format!("agent `{name}` has no review comment {id}"))
        .hint(format!("`symposium agent review {name} --list` lists the comments"))
}
