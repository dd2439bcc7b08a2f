//! The MCP tools for review comments: `list_review_comments` and `resolve_review_comment`. An agent sees and resolves
//! only comments on its own work.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::ToolContext;
use super::tool::{Tool, ToolEffect, ToolOutcome, ToolResult};
use crate::error::Error;
use crate::manager::{ReceivedComments, ReviewComments};
use crate::model::{AgentName, CommentId};
use crate::text::review::comment_lines;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "list_review_comments",
            ToolEffect::Reads,
            "List the user's review comments on your changes that are not resolved, each with its number, file, \
             current lines and text. A comment is outdated if its lines have changed since.",
            list,
        ),
        Tool::new(
            "resolve_review_comment",
            ToolEffect::Adds,
            "Mark a review comment on your changes as done. Call it for each point after you have handled it.",
            resolve,
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct ListCommentsParams {
    /// Include comments that are resolved.
    #[serde(default)]
    all: bool,
}

fn list(context: &ToolContext, input: ListCommentsParams) -> ToolOutcome {
    let name = own_name(context)?;
    let wanted = if input.all { ReceivedComments::All } else { ReceivedComments::Open };
    let comments = ReviewComments(context.manager()?).received(&name, wanted)?;
    let text = match comments.is_empty() {
        true => "no review comments".to_owned(),
        false => {
            comments.iter().map(|placed| comment_lines(placed).join("\n")).collect::<Vec<_>>().join("\n\n")
        }
    };
    Ok(ToolResult { text, data: json!({ "comments": comments }) })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct ResolveCommentParams {
    /// Number of the comment.
    #[schemars(range(min = 1))]
    number: u64,
}

fn resolve(context: &ToolContext, input: ResolveCommentParams) -> ToolOutcome {
    let name = own_name(context)?;
    let comment = ReviewComments(context.manager()?).resolve_received(&name, CommentId(input.number))?;
    let text = format!("review comment {} is resolved", comment.id);
    Ok(ToolResult { text, data: json!({ "comment": comment }) })
}

/// Returns the name of the calling agent.
fn own_name(context: &ToolContext) -> Result<AgentName, Error> {
    match context.permissions()?.calling_agent() {
        Some(me) => Ok(me.name.clone()),
        None => Err(Error::usage("only an agent has review comments of its own")
            .hint("`symposium agent review NAME --list` lists the comments on the work of an agent")),
    }
}
