//! The definition of a command: what parsing, dispatch, remote execution, completion, short forms and the fast path
//! have to know about it. Every command exports one, and `commands` has the list of them.

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::cli::Invocation;
use crate::cli::remote::remote_use::Remote;
use crate::cli::render::ui::Ui;
use crate::error::Error;

/// A command or a group of commands.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct CommandDefinition {
    /// The word that the user types.
    pub name: &'static str,
    /// The line in the help of its group.
    pub about: &'static str,
    /// Other words for the same command, shown in the help.
    pub aliases: &'static [&'static str],
    /// Whether the help leaves it out, because only programs call it.
    pub is_hidden: bool,
    /// Words that replace the group and the name, such as `ls` for `agent list`.
    pub short_forms: &'static [&'static str],
    /// Whether programs call it so often that it is parsed without describing all other commands to clap.
    pub is_fast: bool,
    /// Adds its arguments to a clap command.
    pub arguments: fn(Command) -> Command,
    /// The arguments that hold a name or a word of a known set.
    pub values: &'static [(&'static str, ArgumentValue)],
    /// Checks the typed command line for mistakes that clap cannot see.
    pub check: fn(&ArgMatches, &[OsString]) -> Result<(), Error>,
    /// How it runs on another host.
    pub remote: Remote,
    /// Action that it runs.
    pub action: CommandAction,
}

/// The action of a command after its arguments were parsed.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) enum CommandAction {
    /// Selects one of the commands of a group.
    Group(&'static [CommandDefinition]),
    /// Runs in an environment, which is opened first.
    InEnvironment(Opening, fn(&ArgMatches, &Invocation) -> Result<u8, Error>),
    /// Runs without an environment, or opens one itself.
    Standalone(fn(&ArgMatches, &Standalone<'_>) -> Result<u8, Error>),
}

/// How the environment of a command is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Opening {
    /// Makes this program the one that hooks call, shows progress, and prints notices after the command.
    WithNotices,
    /// Like `WithNotices`, but prints no notices.
    WithoutNotices,
    /// Opens the environment and changes nothing else.
    Unclaimed,
}

/// The input of a command that opens no environment, or opens one itself.
pub(in crate::cli) struct Standalone<'a> {
    /// The value of `--home`.
    pub home: Option<&'a Path>,
    /// Prints the output of the command.
    pub ui: &'a Ui,
}

/// The content of an argument. It decides what completion offers, and whether `HOST:` may stand before the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum ArgumentValue {
    /// The name of an agent, which may be on another host.
    Agent,
    /// The name of an agent that does not exist yet, which may be on another host.
    NewAgent,
    /// The name of a host.
    Host,
    /// A spec or a kind.
    Spec,
    /// The number of a task.
    Task,
    /// A status of an agent.
    Status,
    /// A restart policy.
    RestartPolicy,
    /// The priority of a task.
    Priority,
}

impl CommandDefinition {
    /// Defines a command that works in an environment.
    pub(in crate::cli) const fn new(
        name: &'static str,
        about: &'static str,
        remote: Remote,
        run: fn(&ArgMatches, &Invocation) -> Result<u8, Error>,
    ) -> CommandDefinition {
        Self::with_action(name, about, remote, CommandAction::InEnvironment(Opening::WithNotices, run))
    }

    /// Defines a command that needs no environment, or opens one in its own way. It runs only on this machine.
    pub(in crate::cli) const fn standalone(
        name: &'static str,
        about: &'static str,
        run: fn(&ArgMatches, &Standalone<'_>) -> Result<u8, Error>,
    ) -> CommandDefinition {
        Self::with_action(name, about, Remote::LOCAL, CommandAction::Standalone(run))
    }

    /// Defines a group of commands.
    pub(in crate::cli) const fn group(
        name: &'static str,
        about: &'static str,
        commands: &'static [CommandDefinition],
    ) -> CommandDefinition {
        Self::with_action(name, about, Remote::LOCAL, CommandAction::Group(commands))
    }

    const fn with_action(
        name: &'static str,
        about: &'static str,
        remote: Remote,
        action: CommandAction,
    ) -> CommandDefinition {
        CommandDefinition {
            name,
            about,
            aliases: &[],
            is_hidden: false,
            short_forms: &[],
            is_fast: false,
            arguments: |command| command,
            values: &[],
            check: |_, _| Ok(()),
            remote,
            action,
        }
    }

    /// Sets the type of its arguments.
    pub(in crate::cli) const fn arguments<A: Args>(mut self) -> Self {
        self.arguments = A::augment_args;
        self
    }

    /// Sets the arguments that hold a name or a word of a known set, by their clap id.
    pub(in crate::cli) const fn values(mut self, values: &'static [(&'static str, ArgumentValue)]) -> Self {
        self.values = values;
        self
    }

    /// Sets other words for the command.
    pub(in crate::cli) const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Sets words that replace the group and the name.
    pub(in crate::cli) const fn short_forms(mut self, short_forms: &'static [&'static str]) -> Self {
        self.short_forms = short_forms;
        self
    }

    /// Sets a check of the typed command line.
    pub(in crate::cli) const fn check(
        mut self,
        check: fn(&ArgMatches, &[OsString]) -> Result<(), Error>,
    ) -> Self {
        self.check = check;
        self
    }

    /// Leaves the command out of the help.
    pub(in crate::cli) const fn hidden(mut self) -> Self {
        self.is_hidden = true;
        self
    }

    /// Puts the command on the fast path.
    pub(in crate::cli) const fn fast(mut self) -> Self {
        self.is_fast = true;
        self
    }

    /// Sets how the environment is opened.
    pub(in crate::cli) const fn opening(mut self, opening: Opening) -> Self {
        if let CommandAction::InEnvironment(_, run) = self.action {
            self.action = CommandAction::InEnvironment(opening, run);
        }
        self
    }

    /// Returns the commands of a group.
    pub(in crate::cli) fn commands(&self) -> &'static [CommandDefinition] {
        match self.action {
            CommandAction::Group(commands) => commands,
            CommandAction::InEnvironment(..) | CommandAction::Standalone(_) => &[],
        }
    }

    /// Checks whether a typed word names this command.
    pub(in crate::cli) fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }

    /// Returns what an argument holds.
    pub(in crate::cli) fn value(&self, id: &str) -> Option<ArgumentValue> {
        self.values.iter().find(|(known, _)| *known == id).map(|(_, value)| *value)
    }

    /// Describes the command to clap, with all commands of a group.
    pub(in crate::cli) fn described(&self) -> Command {
        let command = (self.arguments)(Command::new(self.name));
        // The documentation of a type of arguments would otherwise be the text of its command.
        let command = command.about(self.about).long_about(None).hide(self.is_hidden);
        let command = command.visible_aliases(self.aliases);
        match self.action {
            CommandAction::Group(commands) => command
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommands(commands.iter().map(CommandDefinition::described)),
            CommandAction::InEnvironment(..) | CommandAction::Standalone(_) => command,
        }
    }
}

/// Converts the parsed arguments of a command to their type.
pub(in crate::cli) fn parsed<A: FromArgMatches>(matches: &ArgMatches) -> Result<A, Error> {
    A::from_arg_matches(matches).map_err(|why| Error::usage(why.to_string()))
}
