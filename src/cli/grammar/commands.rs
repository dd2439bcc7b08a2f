//! The list of all commands, in the order of the help. Parsing, dispatch, remote execution, completion, short forms,
//! the manual and the fast path are derived from it.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, CommandFactory};

use super::definition::CommandDefinition;
use super::{completions, man};
use crate::cli::{
    Cli, agent, board, config, conversation, dashboard, demo_agent, doctor, env, hidden, host, mcp, message,
    metrics, remote, service, spec, supervisor, task, taskspace, web,
};

/// All commands and groups of commands.
pub(in crate::cli) const COMMANDS: &[CommandDefinition] = &[
    agent::GROUP,
    spec::GROUP,
    supervisor::GROUP,
    task::GROUP,
    taskspace::GROUP,
    message::GROUP,
    board::GROUP,
    conversation::GROUP,
    host::GROUP,
    env::GROUP,
    dashboard::COMMAND,
    web::GROUP,
    mcp::COMMAND,
    metrics::COMMAND,
    service::GROUP,
    config::GROUP,
    doctor::COMMAND,
    demo_agent::COMMAND,
    completions::COMMAND,
    man::COMMAND,
    hidden::agent_keys::COMMAND,
    hidden::agent_screen::COMMAND,
    hidden::checkpoint::COMMAND,
    hidden::event::COMMAND,
    hidden::share_listener::COMMAND,
    remote::serve::COMMAND,
    hidden::transcript::COMMAND,
];

/// A command line that was parsed.
#[derive(Debug)]
pub(in crate::cli) struct ParsedLine {
    /// The command that it names.
    pub definition: &'static CommandDefinition,
    /// The full name of the command, without aliases.
    pub path: Vec<&'static str>,
    /// The arguments of the command, with the global options.
    pub matches: ArgMatches,
}

/// Describes the program with all commands to clap.
pub(in crate::cli) fn root() -> Command {
    let commands = COMMANDS.iter().map(CommandDefinition::described);
    Cli::command().subcommand_required(true).subcommands(commands)
}

/// Parses a command line with the complete description.
pub(in crate::cli) fn parse(args: &[OsString]) -> Result<ParsedLine, clap::Error> {
    let mut matches = root().try_get_matches_from(args)?;
    let (mut commands, mut path) = (COMMANDS, Vec::new());
    while let Some((word, below)) = matches.remove_subcommand() {
        let Some(definition) = commands.iter().find(|known| known.name == word) else { break };
        path.push(definition.name);
        matches = below;
        commands = definition.commands();
        if commands.is_empty() {
            return Ok(ParsedLine { definition, path, matches });
        }
    }
    // clap accepts no command line that ends before a command.
    Err(root().error(ErrorKind::MissingSubcommand, "a command is missing"))
}

/// Returns what the first words of a command line name: a command, a group of commands, or nothing.
pub(in crate::cli) fn find<'w>(
    words: impl IntoIterator<Item = &'w str>,
) -> Option<&'static CommandDefinition> {
    let mut words = words.into_iter();
    let first = words.next()?;
    let mut found = COMMANDS.iter().find(|known| known.is_called(first)).or_else(|| short_form(first))?;
    for word in words {
        match found.commands().iter().find(|known| known.is_called(word)) {
            Some(deeper) => found = deeper,
            None => break,
        }
    }
    Some(found)
}

/// Returns the commands that have a short form, each with its group.
pub(in crate::cli) fn with_short_forms() -> impl Iterator<Item = (&'static str, &'static CommandDefinition)> {
    let groups = COMMANDS.iter();
    groups
        .flat_map(|group| group.commands().iter().map(|command| (group.name, command)))
        .filter(|(_, command)| !command.short_forms.is_empty())
}

/// Returns the command that a short form stands for.
fn short_form(word: &str) -> Option<&'static CommandDefinition> {
    with_short_forms().map(|(_, command)| command).find(|command| command.short_forms.contains(&word))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::definition::{ArgumentValue, CommandAction};
    use super::*;
    use crate::cli::remote::remote_use::RemoteMode;

    /// Returns each command below these with its full name, its description for clap and its definition.
    fn all<'c>(
        known: &'static [CommandDefinition],
        described: &'c Command,
        above: &str,
    ) -> Vec<(String, &'c Command, &'static CommandDefinition)> {
        let mut found = Vec::new();
        for definition in known {
            let name = format!("{above} {}", definition.name).trim().to_owned();
            let command = described.find_subcommand(definition.name).unwrap();
            match definition.action {
                CommandAction::Group(commands) => found.extend(all(commands, command, &name)),
                CommandAction::InEnvironment(..) | CommandAction::Standalone(_) => {
                    found.push((name, command, definition))
                }
            }
        }
        found
    }

    #[test]
    fn the_command_line_is_consistent() {
        root().debug_assert();
    }

    #[test]
    fn clap_knows_no_command_that_is_not_in_the_list() {
        fn collect(command: &Command, above: &str, names: &mut BTreeSet<String>) {
            // The events of tmux are subcommands of one command.
            for below in command.get_subcommands().filter(|_| above != "event") {
                let name = format!("{above} {}", below.get_name()).trim().to_owned();
                match below.has_subcommands() && name != "event" {
                    true => collect(below, &name, names),
                    false => drop(names.insert(name)),
                }
            }
        }
        let root = root();
        let mut known_to_clap = BTreeSet::new();
        collect(&root, "", &mut known_to_clap);
        let listed: BTreeSet<String> = all(COMMANDS, &root, "").into_iter().map(|(name, ..)| name).collect();
        assert_eq!(listed, known_to_clap);
    }

    #[test]
    fn definitions_name_only_arguments_that_exist() {
        let root = root();
        for (name, command, definition) in all(COMMANDS, &root, "") {
            let ids: Vec<&str> = command.get_arguments().map(|arg| arg.get_id().as_str()).collect();
            for (id, _) in definition.values {
                assert!(ids.contains(id), "`{name}` has no argument `{id}`: {ids:?}");
            }
            for flag in definition.remote.known_flags() {
                assert!(ids.contains(&flag), "`{name}` has no flag `{flag}`: {ids:?}");
            }
        }
    }

    #[test]
    fn arguments_that_look_like_names_say_what_they_hold() {
        let root = root();
        let mut unknown = Vec::new();
        for (name, command, definition) in all(COMMANDS, &root, "") {
            for arg in command.get_arguments() {
                let value =
                    arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
                let is_name = matches!(value, "NAME" | "NAMES" | "AGENT" | "TARGET" | "OLD" | "NEW" | "SPEC")
                    || (arg.is_positional() && value == "ID" && name.starts_with("task "));
                // Hosts and environments are created by these, and the last two are started by this program.
                let is_other = ["host add", "env create", "env remove", "share-door", "take-checkpoint"]
                    .contains(&name.as_str());
                if is_name && !is_other && definition.value(arg.get_id().as_str()).is_none() {
                    unknown.push(format!("{name}: {}", arg.get_id()));
                }
            }
        }
        assert!(unknown.is_empty(), "add these to `values` of the definition: {unknown:?}");
    }

    #[test]
    fn commands_that_change_something_run_once_on_another_host() {
        for (words, flags, expected) in [
            ("agent spawn", &[][..], RemoteMode::Run(crate::model::Replay::Once)),
            ("agent spawn", &["title", "attach"], RemoteMode::Start),
            ("agent send", &["timeout"], RemoteMode::Run(crate::model::Replay::Once)),
            ("agent stop", &[], RemoteMode::Run(crate::model::Replay::Once)),
            ("task add", &[], RemoteMode::Run(crate::model::Replay::Once)),
            ("message send", &[], RemoteMode::Run(crate::model::Replay::Once)),
            ("agent logs", &[], RemoteMode::Run(crate::model::Replay::Any)),
            ("agent logs", &["follow"], RemoteMode::Follow),
            ("ls", &["watch"], RemoteMode::Redraw),
            ("agent attach", &[], RemoteMode::Attach),
            ("service install", &[], RemoteMode::LocalOnly("it concerns this machine only")),
            ("env list", &[], RemoteMode::LocalOnly("it concerns this machine only")),
            ("doctor", &[], RemoteMode::LocalOnly("it concerns this machine only")),
        ] {
            let definition = find(words.split(' ')).unwrap();
            assert_eq!(definition.remote.mode(flags), expected, "{words} {flags:?}");
        }
        let spawn = find(["agent", "spawn"]).unwrap();
        assert!(matches!(spawn.remote.mode(&["foreground"]), RemoteMode::LocalOnly(_)));
        assert!(find(["no", "such"]).is_none());
    }

    #[test]
    fn an_agent_on_another_host_can_be_named_wherever_an_agent_can() {
        let agents = |words: &str| {
            let values = find(words.split(' ')).unwrap().values.iter();
            let agents =
                values.filter(|(_, value)| matches!(value, ArgumentValue::Agent | ArgumentValue::NewAgent));
            agents.map(|(id, _)| *id).collect::<Vec<_>>()
        };
        assert_eq!(agents("agent spawn"), ["name", "parent"]);
        assert_eq!(agents("agent rename"), ["old", "new"]);
        assert_eq!(agents("agent kill"), ["names"]);
        assert_eq!(agents("task add"), ["to"]);
        assert_eq!(agents("message send"), ["target"]);
        assert_eq!(agents("spec show"), [""; 0]);
    }
}
