//! The `spec show` command.

use clap::Args;

use super::SpecSearchArguments;
use crate::cli::Invocation;
use crate::cli::agent::lifecycle::spawn::parameter;
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, Opening, parsed};
use crate::cli::remote::remote_use::Remote;
use crate::error::Error;
use crate::manager::SpecCatalog;
use crate::manager::{SpecLocation, SpecShown};
use crate::rules::specs::spec_rows::{quoted, rows};
use crate::text::fit::clean;

pub(in crate::cli) const COMMAND: CommandDefinition = CommandDefinition::new(
    "show",
    "Show one spec: each value, its origin, and the command of a spawn",
    Remote::READ_ONLY.without_host_in_json(),
    |args, context| run(parsed(args)?, context),
)
.arguments::<Arguments>()
.values(&[("name", ArgumentValue::Spec)])
.opening(Opening::WithoutNotices);

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Spec, kind, or folder or file with a spec [default: the spec `default`]
    name: Option<String>,
    /// Value of a parameter, as for `agent spawn`
    #[arg(long = "param", value_name = "K=V", value_parser = parameter, allow_hyphen_values = true)]
    params: Vec<(String, String)>,
    #[command(flatten)]
    looking: SpecSearchArguments,
}

pub(super) fn run(args: Arguments, context: &Invocation) -> Result<u8, Error> {
    let location = SpecLocation::from(args.looking);
    let shown = SpecCatalog(&context.manager).spec_show(args.name.as_deref(), args.params, &location)?;
    if context.ui.json {
        context.ui.json(&shown);
    } else {
        context.ui.data(&card(&shown));
        shown.warnings.iter().for_each(|warning| context.ui.warn(warning));
    }
    Ok(0)
}

fn card(shown: &SpecShown) -> String {
    let mut text = format!("{:>15}  {}\n", "spec", shown.spec.name);
    for row in rows(&shown.spec) {
        let value = row.value.unwrap_or_else(|| "-".into());
        let mut lines = value.lines().map(clean);
        let first = lines.next().unwrap_or_default();
        text.push_str(&format!("{:>15}  {first}  [{}]\n", row.key, clean(&row.origin.to_string())));
        lines.for_each(|line| text.push_str(&format!("{:>15}  {line}\n", "")));
    }
    let runs = match &shown.problem {
        Some(problem) => format!("nothing: {problem}"),
        None => quoted(&shown.command_line),
    };
    for (at, line) in runs.lines().enumerate() {
        let key = if at == 0 { "a spawn runs" } else { "" };
        text.push_str(&format!("{key:>15}  {}\n", clean(line)));
    }
    text
}
