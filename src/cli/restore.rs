//! `agent restore`

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Context, ui, visit};
use crate::error::Error;
use crate::manager::{Restored, Whom};
use crate::model::AgentName;
use crate::rules::plural::counted;

/// From how many on a bar is better than lines.
const MANY: usize = 5;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The agents
    #[arg(conflicts_with = "all")]
    names: Vec<String>,
    /// All that are lost
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: Arguments, context: &Context) -> Result<u8, Error> {
    let (names, whom): (Vec<AgentName>, _) = match args.names.is_empty() {
        true => (context.manager.lost()?, Whom::Lost),
        false => (args.names.iter().map(|text| visit::own(text)).collect::<Result<_, _>>()?, Whom::Named),
    };
    if args.names.is_empty() && !args.all && !names.is_empty() {
        let list = names.iter().map(AgentName::as_str).collect::<Vec<_>>().join(", ");
        return Err(Error::Usage {
            what: format!("{} lost: {list}", counted(names.len(), "agent is", "agents are")),
            hint: Some("`symposium agent restore --all` brings all of them back".into()),
        });
    }
    if names.is_empty() && !context.ui.json {
        context.ui.say("no agent is lost");
        return Ok(0);
    }
    let bar = bar(names.len());
    let restored = context.manager.restore(&names, whom, &|one: &Restored| {
        bar.set_message(one.name.to_string());
        bar.inc(1);
    });
    bar.finish_and_clear();
    Ok(tell(&restored, context))
}

fn bar(count: usize) -> ProgressBar {
    if count < MANY || !ui::is_watched() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("restoring {bar:30} {pos}/{len} {msg}");
    let bar = ProgressBar::new(count as u64);
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

fn tell(restored: &[Restored], context: &Context) -> u8 {
    let mut worst = 0;
    for one in restored {
        match &one.outcome {
            Ok(remark) => context.ui.say(&format!("`{}` {remark}", one.name)),
            Err(error) if !context.ui.json => worst = worst.max(context.ui.error(&error.report())),
            Err(error) => worst = worst.max(error.report().exit),
        }
    }
    if context.ui.json {
        let rows: Vec<_> = restored
            .iter()
            .map(|one| match &one.outcome {
                Ok(remark) => {
                    serde_json::json!({ "name": one.name, "restored": !one.was_back, "remark": remark })
                }
                Err(error) => {
                    serde_json::json!({ "name": one.name, "restored": false, "remark": error.to_string() })
                }
            })
            .collect();
        context.ui.json(&rows);
    }
    worst
}
