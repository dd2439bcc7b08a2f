//! The `symposium env` commands.

use clap::{Args, Subcommand};

use super::render::ui::Ui;
use crate::base::plural::counted;
use crate::env::Env;
use crate::error::Error;
use crate::manager::{EnvironmentView, Environments, Removal};
use crate::model::EnvironmentName;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// List the environments
    #[command(visible_alias = "ls")]
    List,
    /// Create an environment; use it with `--home @NAME` or SYMPOSIUM_HOME=@NAME
    Create(Named),
    /// Remove an environment and its agents, unless they run or work would be lost
    #[command(visible_aliases = ["rm", "delete"])]
    Remove(Remove),
}

#[derive(Debug, Args)]
pub(super) struct Named {
    /// Name of the environment
    #[arg(allow_hyphen_values = true)]
    name: String,
}

#[derive(Debug, Args)]
pub(super) struct Remove {
    /// Name of the environment
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Remove it even if agents run or work is lost
    #[arg(long)]
    force: bool,
}

pub(super) fn run(verb: Verb, ui: &Ui) -> Result<u8, Error> {
    let environments = Environments::of(Env::capture())?;
    match verb {
        Verb::List => {
            let views = environments.list();
            if ui.json {
                ui.json(&views);
            } else {
                ui.data(&views.iter().map(line).collect::<String>());
            }
        }
        Verb::Create(args) => {
            let name = name(&args.name)?;
            let path = environments.create(&name)?;
            if ui.json {
                ui.json(&serde_json::json!({ "created": name, "path": path }));
            } else {
                ui.data(&path.display().to_string());
                ui.say(&format!("use it with: symposium --home @{name} agent spawn"));
            }
        }
        Verb::Remove(args) => {
            let name = name(&args.name)?;
            environments.remove(&name, if args.force { Removal::Force } else { Removal::Careful })?;
            if ui.json {
                ui.json(&serde_json::json!({ "removed": name }));
            } else {
                ui.say(&format!("environment `{name}` is gone"));
            }
        }
    }
    Ok(0)
}

fn name(text: &str) -> Result<EnvironmentName, Error> {
    let text = text.strip_prefix('@').unwrap_or(text);
    text.parse().map_err(|why| Error::BadName { given: text.to_owned(), why })
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
