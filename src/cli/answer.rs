//! What `agent approve` and `agent deny` share.

use clap::Args;

use super::table::{clean, status_word};
use super::{Context, visit};
use crate::error::Error;
use crate::manager::Answer;
use crate::model::{AskedQuestion, Extent, visible};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Only if it still asks this: the question's `id` in `agent show --json`
    #[arg(long, value_name = "ID")]
    if_asks: Option<String>,
}

pub(super) fn run(args: &Arguments, answer: Answer, context: &Context) -> Result<u8, Error> {
    let name = visit::own(&args.name)?;
    let answered = context.manager.answer(&name, answer, args.if_asks.as_deref())?;
    if context.ui.json {
        let agent = &answered.agent;
        let value = serde_json::json!({
            "agent": name,
            "answer": answer.verb(),
            "asked": answered.asked,
            "question": answered.question,
            "status": agent.status,
        });
        context.ui.json(&value);
    } else {
        let done = match answer {
            Answer::Approve => "approved",
            Answer::Deny => "denied",
        };
        let now = status_word(&answered.agent);
        context.ui.say(&format!("{done} in `{name}`: {}; it is {now} now", clean(&answered.asked)));
        if let Some(more) = answered.question.as_ref().and_then(|question| more(question, &answered.asked)) {
            context.ui.say(&more);
        }
    }
    Ok(0)
}

/// All of a question of which a line is not all, below it.
pub(super) fn more(question: &AskedQuestion, line: &str) -> Option<String> {
    if question.text == line {
        return None;
    }
    let mut lines: Vec<String> = visible(&question.text).iter().map(|line| format!("  {line}")).collect();
    if question.extent == Extent::Cut {
        lines.push("  … (longer than what is kept)".to_owned());
    }
    Some(lines.join("\n"))
}
