//! The `symposium env` commands.

use clap::Args;

use super::render::ui::Ui;
use crate::base::plural::counted;
use crate::cli::grammar::definition::{CommandDefinition, parsed};
use crate::env::Env;
use crate::error::Error;
use crate::manager::{EnvironmentView, Environments, Removal};
use crate::model::EnvironmentName;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "env",
    "Manage environments: separate registries, tmux servers and supervisors",
    &[LIST, CREATE, REMOVE],
);

const LIST: CommandDefinition =
    CommandDefinition::standalone("list", "List the environments", |_, alone| list(alone.ui))
        .aliases(&["ls"]);

const CREATE: CommandDefinition = CommandDefinition::standalone(
    "create",
    "Create an environment; use it with `--home @NAME` or SYMPOSIUM_HOME=@NAME",
    |args, alone| create(&parsed(args)?, alone.ui),
)
.arguments::<EnvironmentArguments>();

const REMOVE: CommandDefinition = CommandDefinition::standalone(
    "remove",
    "Remove an environment and its agents, unless they run or work would be lost",
    |args, alone| remove(&parsed(args)?, alone.ui),
)
.arguments::<EnvironmentRemoveArguments>()
.aliases(&["rm", "delete"]);

#[derive(Debug, Args)]
pub(super) struct EnvironmentArguments {
    /// Name of the environment
    #[arg(allow_hyphen_values = true)]
    name: String,
}

#[derive(Debug, Args)]
pub(super) struct EnvironmentRemoveArguments {
    /// Name of the environment
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Remove it even if agents run or work is lost
    #[arg(long)]
    force: bool,
}

fn list(ui: &Ui) -> Result<u8, Error> {
    let views = Environments::of(Env::capture())?.list();
    if ui.json {
        ui.json(&views);
    } else {
        ui.data(&views.iter().map(line).collect::<String>());
    }
    Ok(0)
}

fn create(args: &EnvironmentArguments, ui: &Ui) -> Result<u8, Error> {
    let environments = Environments::of(Env::capture())?;
    let name = name(&args.name)?;
    let path = environments.create(&name)?;
    if ui.json {
        ui.json(&serde_json::json!({ "created": name, "path": path }));
    } else {
        ui.data(&path.display().to_string());
        ui.say(&format!("use it with: symposium --home @{name} agent spawn"));
    }
    Ok(0)
}

fn remove(args: &EnvironmentRemoveArguments, ui: &Ui) -> Result<u8, Error> {
    let environments = Environments::of(Env::capture())?;
    let name = name(&args.name)?;
    environments.remove(&name, if args.force { Removal::Force } else { Removal::Careful })?;
    if ui.json {
        ui.json(&serde_json::json!({ "removed": name }));
    } else {
        ui.say(&format!("environment `{name}` was removed"));
    }
    Ok(0)
}

fn name(text: &str) -> Result<EnvironmentName, Error> {
    let text = text.strip_prefix('@').unwrap_or(text);
    text.parse().map_err(|why| Error::bad_name(text, why))
}

fn line(view: &EnvironmentView) -> String {
    let name = view.name.as_ref().map_or_else(|| "default".to_owned(), |name| format!("@{name}"));
    let mark = if view.current { "*" } else { " " };
    let state = match &view.error {
        Some(error) => error.clone(),
        None => format!(
            "{}, {} running, supervisor {}",
            counted(view.agents, "agent", "agents"),
            view.live,
            if view.supervisor { "on" } else { "off" }
        ),
    };
    format!("{mark} {name:<16}  {state}  {}\n", view.path.display())
}
