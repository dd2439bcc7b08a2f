//! The `symposium completions` command: prints a shell script that calls this program at each Tab, and answers those
//! calls.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, Args, Command};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

use super::render::ui::Ui;
use super::shortcuts::SHORT_FORMS;
use crate::env::Env;
use crate::error::Error;
use crate::manager::Diagnostics;
use crate::manager::{Context, Named};
use crate::model::{Priority, RestartPolicy, Status};

/// The environment variable with which the script requests completions.
const ASKED: &str = "SYMPOSIUM_COMPLETE";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Arguments, ui: &Ui) -> Result<u8, Error> {
    let shell = args.shell.to_string();
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(&shell) else {
        return Err(Error::Usage {
            what: format!("`{shell}` is not a shell that is known here"),
            hint: None,
        });
    };
    let mut script = Vec::new();
    completer
        .write_registration(ASKED, "symposium", "symposium", "symposium", &mut script)
        .map_err(Error::io("cannot write the script"))?;
    ui.data(&String::from_utf8_lossy(&script));
    Ok(0)
}

/// Answers a completion request of a shell. Returns `false` if there is none.
pub(super) fn answer(args: &[OsString], command: impl Fn() -> Command) -> bool {
    let home = home_in(args);
    let asked = CompleteEnv::with_factory(|| offering(command(), &[], home.as_deref())).var(ASKED);
    // An error offers no completions, because a message would appear in the user's command line.
    asked.try_complete(args.iter().cloned(), Some(Path::new("."))).unwrap_or(true)
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
    let name = command.get_name().to_owned();
    let path = [path, &[name.as_str()]].concat();
    let full = without_short_form(&path[1..]);
    let command = command.mut_args(|arg| match (named(&full, &arg), fixed_values(&full, &arg)) {
        (Some(named), _) => {
            let home = home.map(Path::to_owned);
            arg.add(ArgValueCandidates::new(move || candidates(named, home.as_deref())))
        }
        (None, words) if !words.is_empty() => arg.add(ArgValueCandidates::new(move || {
            words.iter().copied().map(CompletionCandidate::new).collect()
        })),
        (None, _) => arg,
    });
    command.mut_subcommands(|verb| offering(verb, &path, home))
}

/// Expands a short form to its full command.
fn without_short_form<'p>(path: &[&'p str]) -> Vec<&'p str> {
    match path {
        [word] => match SHORT_FORMS.iter().find(|(short, _)| short == word) {
            Some((_, verb)) => vec!["agent", verb],
            None => vec![*word],
        },
        _ => path.to_vec(),
    }
}

/// Returns the values that an option accepts if they form a fixed set that its parser does not list itself.
fn fixed_values(path: &[&str], arg: &Arg) -> Vec<&'static str> {
    match (path, arg.get_long()) {
        (["agent", ..], Some("status" | "for")) => Status::ALL.map(Status::word).to_vec(),
        (["agent", ..], Some("restart")) => RestartPolicy::ALL.map(RestartPolicy::word).to_vec(),
        (["task", ..], Some("priority")) => Priority::ALL.map(Priority::word).to_vec(),
        _ => vec![],
    }
}

/// Returns what kind of name an argument holds, based on its position in the command line.
fn named(path: &[&str], arg: &Arg) -> Option<Named> {
    let value = arg.get_value_names().and_then(|names| names.first()).map(|name| name.as_str());
    let word = value.unwrap_or_default();
    match (path, arg.get_long(), word) {
        (_, Some("host"), _) | (["host", "remove"], None, "NAME") => Some(Named::Host),
        (["agent", "spawn"] | ["taskspace", "new"], None, "SPEC") => Some(Named::Spec),
        (["spec", "show"], None, "NAME") => Some(Named::Spec),
        (["agent", "spawn"], Some("parent"), _) => Some(Named::Agent),
        (
            ["agent", "spawn"] | ["taskspace", "new"] | ["host" | "env", _] | ["agent", "handoff", "import"],
            ..,
        ) => None,
        (["task", _], None, "ID") => Some(Named::Task),
        (["agent", ..] | ["taskspace", _], None, "NAME" | "NAMES" | "OLD") => Some(Named::Agent),
        (_, None, "AGENT" | "TARGET") | (_, Some("agent"), _) => Some(Named::Agent),
        _ => None,
    }
}

fn candidates(named: Named, home: Option<&Path>) -> Vec<CompletionCandidate> {
    let Ok(manager) = Context::open_existing(Env::capture(), home) else { return vec![] };
    let offered = |(name, about): (String, String)| {
        CompletionCandidate::new(name).help((!about.is_empty()).then(|| about.into()))
    };
    Diagnostics(&manager).completions(named).into_iter().map(offered).collect()
}
