//! The `agent review` command: comments on lines of an agent's work.

use std::time::Duration;

use clap::{ArgGroup, Args};
use serde_json::json;

use crate::base::plural::counted;
use crate::base::sanitize::shown;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::{Remote, RemoteMode};
use crate::cli::render::{times, ui};
use crate::cli::{Invocation, agent::sharing::attach_shared, dashboard};
use crate::error::Error;
use crate::manager::{NewComment, ReviewComments};
use crate::model::{
    AgentName, CommentId, CommentPlacement, DiffSide, PlacedComment, Replay, ReviewComment, without_deception,
};
use crate::rules::review::target::CommentTarget;
use crate::text::review::{comment_lines, place};

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "review",
    "Review the changes of an agent: read, comment, send the comments",
    Remote::ONCE.flags(&[("list", RemoteMode::Run(Replay::Any))]),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Agent)]);

#[derive(Debug, Args)]
#[command(after_long_help = JSON, group = ArgGroup::new("action"))]
pub(in crate::cli) struct Arguments {
    /// Name of the agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Comment on lines as a draft; `-` as the text reads it from stdin
    #[arg(
        long, group = "action", num_args = 2, value_names = ["FILE:LINE[-LINE]", "TEXT"], allow_hyphen_values = true
    )]
    comment: Option<Vec<String>>,
    /// The line numbers of --comment are those of the base
    #[arg(long = "old", requires = "comment")]
    is_in_base: bool,
    /// List the comments; the default if there is no terminal
    #[arg(long, group = "action")]
    list: bool,
    /// Send all drafts as one prompt and confirm that the agent accepted it
    #[arg(long, group = "action")]
    send: bool,
    /// Time that --send waits until the agent is ready for a prompt
    #[arg(long, value_name = "D", default_value = "30s", value_parser = times::duration)]
    timeout: Duration,
    /// Mark the comment with this number as done
    #[arg(long, group = "action", value_name = "N")]
    resolve: Option<CommentId>,
    /// Remove the comment with this number
    #[arg(long, group = "action", value_name = "N")]
    remove: Option<CommentId>,
}

const JSON: &str = "\
Without options it opens the dashboard on the changes of the agent, or lists the comments if there is no terminal.

A comment is a draft until --send delivers it. It stays with its lines: if they move, the list shows the new place; if \
they change, the comment is kept with the former lines and marked as outdated.

JSON of a list: {agent, comments}; each comment has
  id             number of the comment
  file           path of the file, relative to the root of the working tree
  side           new, or old if the lines are those of the base
  lines          {first, last}: the lines when the comment was made
  snippet        those lines
  before, after  lines around them
  text           text of the comment
  state          draft, sent or resolved
  diff           {base, old_blob, new_blob}: the diff for which it was made
  created_at, sent_at, resolved_at
  placement      current, moved, outdated, or unknown if the work cannot be read
  current_file   present path of the file
  current_lines  present lines, or null

JSON of --comment, --resolve and --remove: {agent, comment}
JSON of --send: {agent, sent: [N], confirmed_by}";

pub(in crate::cli) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let name = attach_shared::own(&args.name)?;
    let comments = ReviewComments(&context.manager);
    if let Some(words) = &args.comment {
        let side = if args.is_in_base { DiffSide::Old } else { DiffSide::New };
        let comment = comments.add(&name, &new_comment(words, side)?)?;
        report(&name, &comment, "added", context);
    } else if let Some(id) = args.resolve {
        report(&name, &comments.resolve(&name, id)?, "resolved", context);
    } else if let Some(id) = args.remove {
        report(&name, &comments.remove(&name, id)?, "removed", context);
    } else if args.send {
        send(&name, args.timeout, context)?;
    } else if !args.list && !context.ui.json && dashboard::is_possible() {
        comments.check(&name)?;
        return dashboard::open_review(context.manager.home(), name);
    } else {
        list(&name, context)?;
    }
    Ok(0)
}

fn new_comment(words: &[String], side: DiffSide) -> Result<NewComment, Error> {
    let [target, text] = words else { return Err(Error::usage("`--comment` needs FILE:LINE and a text")) };
    let target = CommentTarget::parse(target)
        .map_err(|why| Error::usage(format!("`{}` is not a valid comment position: {why}", shown(target))))?;
    let text = match text.as_str() {
        "-" => ui::standard_input().map_err(Error::io("cannot read the comment from stdin"))?,
        _ => text.clone(),
    };
    Ok(NewComment { file: target.file, lines: target.lines, side, text })
}

fn list(name: &AgentName, context: &Invocation) -> Result<(), Error> {
    let comments = ReviewComments(&context.manager).list(name)?;
    if context.ui.json {
        context.ui.json(&json!({ "agent": name, "comments": comments }));
    } else if comments.is_empty() {
        context.ui.say(&format!(
            "`{name}` has no review comments; `symposium agent review {name} --comment FILE:LINE TEXT` makes one"
        ));
    } else {
        let texts = comments.iter().map(|placed| comment_lines(placed).join("\n"));
        context.ui.data(&texts.collect::<Vec<_>>().join("\n\n"));
    }
    Ok(())
}

fn send(name: &AgentName, timeout: Duration, context: &Invocation) -> Result<(), Error> {
    let sent = ReviewComments(&context.manager).send(name, timeout)?;
    if context.ui.json {
        context.ui.json(&json!({
            "agent": name, "sent": sent.comments, "confirmed_by": sent.confirmed_by
        }));
        return Ok(());
    }
    match sent.confirmed_by {
        Some(by) => {
            let count = counted(sent.comments.len() as u64, "comment", "comments");
            context.ui.say(&format!("{count} delivered to `{name}`: {by}"));
        }
        None => context.ui.say(&format!("`{name}` has no drafts; nothing was sent")),
    }
    Ok(())
}

/// Prints what happened to one comment.
fn report(name: &AgentName, comment: &ReviewComment, done: &str, context: &Invocation) {
    if context.ui.json {
        context.ui.json(&json!({ "agent": name, "comment": comment }));
        return;
    }
    let at = place(&PlacedComment {
        placement: CommentPlacement::Unknown,
        current_file: comment.file.clone(),
        current_lines: None,
        comment: comment.clone(),
    });
    // A removed comment can be copied from here.
    let text =
        if done == "removed" { format!(": {}", without_deception(&comment.text)) } else { String::new() };
    context.ui.say(&format!("comment {} on {at} was {done}{text}", comment.id));
}
