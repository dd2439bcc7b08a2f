//! A fast path for the commands that programs call often: only the command that is used is described to clap.
//!
//! Describing all commands takes longer than most of them take to run. A command line that does not parse here, for
//! whatever reason, takes the regular path, which reports the error and the correct usage.

use std::ffi::OsString;

use clap::{Args, Command};

use super::commands::{COMMANDS, ParsedLine};
use super::definition::CommandDefinition;
use crate::cli::Global;

/// Parses the command line if it is a command on the fast path and has no error.
pub(in crate::cli) fn parse(args: &[OsString]) -> Option<ParsedLine> {
    let SplitLine { definition, path, rest } = SplitLine::of(args)?;
    let alone = Global::augment_args(Command::new("symposium").disable_help_flag(true));
    let matches = (definition.arguments)(alone).try_get_matches_from(rest).ok()?;
    Some(ParsedLine { definition, path, matches })
}

/// A command line that was split after its command.
struct SplitLine {
    definition: &'static CommandDefinition,
    path: Vec<&'static str>,
    /// The program and all arguments except the words of the command.
    rest: Vec<OsString>,
}

impl SplitLine {
    /// Returns `None` if the command is not on the fast path, or if an argument before its last word is neither a plain
    /// word nor a global option.
    fn of(args: &[OsString]) -> Option<SplitLine> {
        let mut args = args.iter().cloned();
        let mut rest = vec![args.next()?];
        let (mut commands, mut path) = (COMMANDS, Vec::new());
        let definition = loop {
            let word = word(&mut args, &mut rest)?;
            let found = commands.iter().find(|known| known.is_called(&word))?;
            path.push(found.name);
            commands = found.commands();
            if commands.is_empty() {
                break found;
            }
        };
        if !definition.is_fast {
            return None;
        }
        rest.extend(args);
        // A name or a text may begin with `-`, and it cannot be determined here that these are flags.
        let asks = ["-h", "--help", "-V", "--version"];
        let mut flags = rest.iter().take_while(|arg| *arg != "--");
        let asks_for_help = flags.any(|arg| asks.iter().any(|ask| arg == ask));
        (!asks_for_help).then_some(SplitLine { definition, path, rest })
    }
}

/// Returns the next plain word and moves the options before it to `rest`.
fn word(args: &mut impl Iterator<Item = OsString>, rest: &mut Vec<OsString>) -> Option<String> {
    loop {
        let arg = args.next()?;
        let text = arg.to_str()?;
        match text {
            "--json" | "-q" | "--quiet" => rest.push(arg),
            "--home" | "--color" => {
                // Only the full parser knows whether a value that looks like an option is one.
                let value = args.next().filter(|value| !value.as_encoded_bytes().starts_with(b"-"))?;
                rest.extend([arg, value]);
            }
            _ if text.starts_with("--home=") || text.starts_with("--color=") => rest.push(arg),
            _ if text.starts_with('-') => return None,
            _ => return Some(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::ArgMatches;

    use super::super::commands;
    use super::*;

    /// Returns what was parsed, without the positions in the command line.
    fn contents(matches: &ArgMatches) -> Vec<String> {
        let mut contents: Vec<String> = matches
            .ids()
            // clap does not pass on that an option of a group was given, only the option.
            .filter(|id| *id != "Global")
            .map(|id| {
                let raw = matches.get_raw(id.as_str()).map(|values| values.collect::<Vec<_>>());
                format!("{id} {:?} {raw:?}", matches.value_source(id.as_str()))
            })
            .collect();
        contents.sort();
        if let Some((name, below)) = matches.subcommand() {
            contents.push(format!("{name} {:?}", self::contents(below)));
        }
        contents
    }

    fn shown(line: &ParsedLine) -> String {
        format!("{:?} {:?}", line.path, contents(&line.matches))
    }

    fn line(text: &str) -> Vec<OsString> {
        std::iter::once("symposium").chain(text.split(' ')).map(OsString::from).collect()
    }

    #[test]
    fn fast_path_parses_like_the_full_parser() {
        for text in [
            "agent spawn",
            "agent spawn claude --name fix --task do-it --attach",
            "agent spawn --name a -- sleep 1000 --json",
            "--json agent spawn --env A=B --env C=D -- x",
            "agent --home /h list --all --json",
            "--home=/h -q agent list --status idle",
            "agent list --color never",
            "agent show a --json",
            "agent send a hello",
            "agent send a -- -x",
            "agent send -q a -",
            "agent kill a b --grace 2s",
            "agent stop --all",
            "agent ls --all",
            "agent new demo",
            "event agent {}",
            "event --home /h pane-died --session -x --pane %1",
            "--home /h event edge --session a --edge bell",
        ] {
            let short = parse(&line(text)).unwrap_or_else(|| panic!("`{text}` is not understood"));
            let long = commands::parse(&line(text)).unwrap_or_else(|error| panic!("`{text}`: {error}"));
            assert_eq!(shown(&short), shown(&long), "{text}");
        }
    }

    #[test]
    fn invalid_and_rare_command_lines_use_the_full_parser() {
        for text in [
            "",
            "--version",
            "agent",
            "agent --help",
            "agent spawn --help",
            "agent list --version",
            "agent show --help",
            "agent show -h",
            "agent send a --help",
            "agent kill -V",
            "agent list --no-such-flag",
            "agent show",
            "agent --name a spawn",
            "agent attach a",
            "help agent spawn",
            "task list",
            "event no-such-thing",
            "--home",
            "agent --home --attach show never",
        ] {
            assert!(parse(&line(text)).is_none(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn both_parsers_agree_on_every_command_line(
            way in proptest::sample::select(vec![
                "", "agent", "event", "agent spawn", "agent list", "agent show", "agent send", "agent kill", "agent stop",
            ]),
            words in proptest::collection::vec(
                proptest::prop_oneof![
                    8 => proptest::sample::select(vec![
                        "agent", "show", "--json", "-q", "--home", "--home=/h", "--color", "never", "--all", "--name", "a",
                        "--", "-", "-x", "-h", "--help", "-V", "--version", "--task", "", "--grace", "1s", "--attach",
                        "--env", "A=B", "-jq", "--status", "idle", "pane-died", "--session", "--pane",
                    ]).prop_map(str::to_owned),
                    1 => ".{0,3}",
                ], 0..6))
        {
            let words = way.split_whitespace().map(str::to_owned).chain(words);
            let args: Vec<OsString> = std::iter::once("symposium".into()).chain(words.map(OsString::from)).collect();
            if let Some(short) = parse(&args) {
                let long = commands::parse(&args).map_err(|error| error.to_string());
                proptest::prop_assert_eq!(Ok(shown(&short)), long.map(|line| shown(&line)));
            }
        }
    }

    use proptest::strategy::Strategy;
}
