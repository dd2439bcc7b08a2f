//! The `symposium completions` command: prints a shell script that calls this program at each Tab, and answers those
//! calls.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

use super::{commands, shortcuts};
use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition, parsed};
use crate::cli::render::ui::Ui;
use crate::env::Env;
use crate::error::Error;
use crate::manager::Completions;
use crate::manager::{CompletionKind, Context};
use crate::model::{Priority, RestartPolicy, Status};

pub(in crate::cli) const COMMAND: CommandDefinition =
    CommandDefinition::standalone("completions", "Print a completion script for a shell", |args, alone| {
        run(&parsed(args)?, alone.ui)
    })
    .arguments::<Arguments>();

/// The environment variable with which the script requests completions.
const COMPLETE_VARIABLE: &str = "SYMPOSIUM_COMPLETE";

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Shell that runs the script
    shell: Shell,
}

fn run(args: &Arguments, ui: &Ui) -> Result<u8, Error> {
    let shell = args.shell.to_string();
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(&shell) else {
        return Err(Error::usage(format!("`{shell}` is not a supported shell")));
    };
    let mut script = Vec::new();
    completer
        .write_registration(COMPLETE_VARIABLE, "symposium", "symposium", "symposium", &mut script)
        .map_err(Error::io("cannot write the script"))?;
    ui.data(&String::from_utf8_lossy(&script));
    Ok(0)
}

/// Answers a completion request of a shell. Returns `false` if there is none.
pub(in crate::cli) fn answer(args: &[OsString]) -> bool {
    let home = home_in(args);
    let completer =
        CompleteEnv::with_factory(|| offering(shortcuts::root_with_short_forms(), &[], home.as_deref()))
            .var(COMPLETE_VARIABLE);
    // An error offers no completions, because a message would appear in the user's command line.
    completer.try_complete(args.iter().cloned(), Some(Path::new("."))).unwrap_or(true)
}

/// Returns the state directory that the completed command line names. The arguments arrive as they were typed: bash
/// splits `--home=DIR` into three words, and no shell has expanded `~`.
fn home_in(args: &[OsString]) -> Option<PathBuf> {
    let flag = |word: &OsString| word.to_str()?.strip_prefix("--home").map(str::to_owned);
    let (at, rest) = args.iter().enumerate().find_map(|(at, word)| Some((at, flag(word)?)))?;
    let given = match rest.strip_prefix('=').filter(|given| !given.is_empty()) {
        Some(given) => PathBuf::from(given),
        None => args[at + 1..].iter().find(|word| *word != "=").map(PathBuf::from)?,
    };
    match given.strip_prefix("~") {
        Ok(inside) => Env::capture().user_home().map(|home| home.join(inside)),
        Err(_) => Some(given),
    }
}

/// Adds completion candidates to each argument of the command. `path` holds the names of the commands so far.
fn offering(command: Command, path: &[&str], home: Option<&Path>) -> Command {
    let definition = commands::find(path.iter().copied());
    let command = command.mut_args(|arg| match offered(definition, &arg) {
        Some(Offered::Existing(named)) => {
            let home = home.map(Path::to_owned);
            arg.add(ArgValueCandidates::new(move || candidates(named, home.as_deref())))
        }
        Some(Offered::Words(words)) => arg.add(ArgValueCandidates::new(move || {
            words.iter().copied().map(CompletionCandidate::new).collect()
        })),
        None => arg,
    });
    command.mut_subcommands(|below| {
        let name = below.get_name().to_owned();
        offering(below, &[path, &[name.as_str()]].concat(), home)
    })
}

/// The source of the values that completion offers for an argument.
enum Offered {
    /// Names of agents, specs, tasks and hosts that exist in the environment.
    Existing(CompletionKind),
    /// Words of a fixed set that the parser of the argument does not list itself.
    Words(Vec<&'static str>),
}

/// Returns what completion offers for an argument of a command, by what the argument holds.
fn offered(definition: Option<&CommandDefinition>, arg: &Arg) -> Option<Offered> {
    // The option `--host` is the same for all commands.
    if arg.get_long() == Some("host") {
        return Some(Offered::Existing(CompletionKind::Host));
    }
    Some(match definition?.value(arg.get_id().as_str())? {
        ArgumentValue::Agent => Offered::Existing(CompletionKind::Agent),
        ArgumentValue::Host => Offered::Existing(CompletionKind::Host),
        ArgumentValue::Spec => Offered::Existing(CompletionKind::Spec),
        ArgumentValue::Task => Offered::Existing(CompletionKind::Task),
        ArgumentValue::Status => Offered::Words(Status::ALL.map(Status::word).to_vec()),
        ArgumentValue::RestartPolicy => Offered::Words(RestartPolicy::ALL.map(RestartPolicy::word).to_vec()),
        ArgumentValue::Priority => Offered::Words(Priority::ALL.map(Priority::word).to_vec()),
        ArgumentValue::NewAgent => return None,
    })
}

fn candidates(named: CompletionKind, home: Option<&Path>) -> Vec<CompletionCandidate> {
    let Ok(manager) = Context::open_existing(Env::capture(), home) else { return vec![] };
    let offered = |(name, about): (String, String)| {
        CompletionCandidate::new(name).help((!about.is_empty()).then(|| about.into()))
    };
    Completions(&manager).completions(named).into_iter().map(offered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_offered_by_what_an_argument_holds() {
        let offered = |path: &[&str], long: &str| {
            let definition = commands::find(path.iter().copied()).unwrap();
            let command = definition.described();
            let arg = command.get_arguments().find(|arg| arg.get_long() == Some(long)).unwrap();
            match super::offered(Some(definition), arg) {
                Some(Offered::Words(words)) => words.contains(&"idle").to_string(),
                Some(Offered::Existing(named)) => format!("{named:?}"),
                None => "nothing".to_owned(),
            }
        };
        assert_eq!(offered(&["agent", "wait"], "for"), "true");
        assert_eq!(offered(&["ls"], "status"), "true");
        assert_eq!(offered(&["agent", "share"], "for"), "nothing");
        assert_eq!(offered(&["agent", "spawn"], "name"), "nothing");
        assert_eq!(offered(&["agent", "new"], "parent"), "Agent");
        assert_eq!(offered(&["task", "list"], "agent"), "Agent");
    }
}
