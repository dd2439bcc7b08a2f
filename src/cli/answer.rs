//! What `agent approve` and `agent deny` share.

use clap::Args;

use super::table::{clean, status_word};
use super::{Context, spawn};
use crate::error::Error;
use crate::manager::Answer;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The agent
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(super) fn run(args: &Arguments, answer: Answer, context: &Context) -> Result<u8, Error> {
    let name = spawn::name(&args.name)?;
    let answered = context.manager.answer(&name, answer)?;
    if context.ui.json {
        let agent = &answered.agent;
        let value = serde_json::json!({ "agent": name, "answer": answer.verb(), "asked": answered.asked, "status": agent.status });
        context.ui.json(&value);
    } else {
        let done = match answer {
            Answer::Approve => "approved",
            Answer::Deny => "denied",
        };
        let now = status_word(&answered.agent);
        context.ui.say(&format!("{done} in `{name}`: {}; it is {now} now", clean(&answered.asked)));
    }
    Ok(0)
}
