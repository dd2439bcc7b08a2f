//! The `task show` command.

use super::super::Invocation;
use super::TaskArguments;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::TaskShown;
use crate::manager::Tasks;
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "show",
    "Show one task with its history and result",
    Remote::READ_ONLY,
    |args, context| run(&parsed(args)?, context),
)
.arguments::<TaskArguments>()
.values(&[("id", ArgumentValue::Task)]);

fn run(args: &TaskArguments, context: &Invocation) -> Result<u8, Error> {
    let shown = Tasks(&context.manager).task_show(args.id)?;
    if context.ui.json {
        context.ui.json(&shown);
    } else {
        context.ui.data(&card(&shown));
    }
    Ok(0)
}

fn card(shown: &TaskShown) -> String {
    let task = &shown.view.task;
    let mut text = format!("task {}  {}  {}\n", task.id, shown.view.status, task.assignee_name());
    let mut line = |name: &str, value: &str| text.push_str(&format!("  {name:<9} {}\n", clean(value)));
    line("text", &task.title());
    line("priority", task.priority.word());
    line("from", &task.source);
    if let Some(progress) = &task.progress {
        line("progress", &format!("{}% {}", progress.percent, progress.note));
    }
    if let Some(waits) = &shown.view.waits_for {
        line("waits", waits);
    }
    if let Some(topic) = &task.topic {
        line("topic", topic);
    }
    if let Some(most) = task.timeout_s {
        line("timeout", &format!("{most}s"));
    }
    if task.flagged {
        line("look", "its outcome is unknown, and a user has to check it");
    }
    for step in &shown.steps {
        line(step.state.word(), &format!("{} {}", step.at.strftime("%Y-%m-%d %H:%M:%SZ"), step.why));
    }
    if let Some(result) = &task.result {
        text.push_str("  result\n");
        for line in result.lines() {
            text.push_str(&format!("    {}\n", clean(line)));
        }
    }
    text
}
