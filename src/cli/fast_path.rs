//! A fast path for the commands that programs call often: only the command that is used is described to clap.
//!
//! Describing all commands takes longer than most of them take to run. A command line that does not parse here, for
//! whatever reason, takes the regular path, which reports the error and the correct usage.

use std::ffi::OsString;

use clap::{Args, Parser};

use super::agent::Verb;
use super::{
    Cli, Global, Noun,
    agent::{kill, list, send, show, spawn},
};

#[derive(Debug, Parser)]
#[command(name = "symposium", disable_help_flag = true)]
struct One<A: Args> {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    args: A,
}

/// Parses the command line if it is one of these commands and has no error.
pub(super) fn parse(args: &[OsString]) -> Option<Cli> {
    let line = Line::of(args)?;
    match (line.noun.as_str(), line.verb.as_deref()) {
        ("event", None) => line.parse(Noun::Event),
        ("agent", Some("spawn" | "new")) => {
            line.parse(|args: spawn::Arguments| agent(Verb::Spawn(args.into())))
        }
        ("agent", Some("list" | "ls")) => line.parse(|args: list::Arguments| agent(Verb::List(args))),
        ("agent", Some("show")) => line.parse(|args: show::Arguments| agent(Verb::Show(args))),
        ("agent", Some("send")) => line.parse(|args: send::Arguments| agent(Verb::Send(args))),
        ("agent", Some("kill" | "stop")) => line.parse(|args: kill::Arguments| agent(Verb::Kill(args))),
        _ => None,
    }
}

fn agent(verb: Verb) -> Noun {
    Noun::Agent(Box::new(verb))
}

/// A command line, split after its command and subcommand.
struct Line {
    noun: String,
    verb: Option<String>,
    /// The program and all arguments except the command and subcommand.
    rest: Vec<OsString>,
}

impl Line {
    /// Returns `None` if an argument before the subcommand is neither a plain word nor a global option.
    fn of(args: &[OsString]) -> Option<Line> {
        let mut args = args.iter().cloned();
        let mut rest = vec![args.next()?];
        let noun = word(&mut args, &mut rest)?;
        let verb = if noun == "event" { None } else { Some(word(&mut args, &mut rest)?) };
        rest.extend(args);
        // A name or a text may begin with `-`, and it cannot be determined here that these are flags.
        let asks = ["-h", "--help", "-V", "--version"];
        let flags = rest.iter().take_while(|arg| *arg != "--");
        (!flags.into_iter().any(|arg| asks.iter().any(|ask| arg == ask))).then_some(Line { noun, verb, rest })
    }

    fn parse<A: Args>(self, noun: impl FnOnce(A) -> Noun) -> Option<Cli> {
        let one = One::<A>::try_parse_from(self.rest).ok()?;
        Some(Cli { global: one.global, noun: noun(one.args) })
    }
}

/// Returns the next plain word and moves the options before it to `rest`.
fn word(args: &mut impl Iterator<Item = OsString>, rest: &mut Vec<OsString>) -> Option<String> {
    loop {
        let arg = args.next()?;
        let text = arg.to_str()?;
        match text {
            "--json" | "-q" | "--quiet" => rest.push(arg),
            "--home" | "--color" => rest.extend([arg, args.next()?]),
            _ if text.starts_with("--home=") || text.starts_with("--color=") => rest.push(arg),
            _ if text.starts_with('-') => return None,
            _ => return Some(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<OsString> {
        std::iter::once("symposium").chain(text.split(' ')).map(OsString::from).collect()
    }

    #[test]
    fn the_short_way_understands_what_the_long_way_does() {
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
            let long = Cli::try_parse_from(line(text)).unwrap_or_else(|error| panic!("`{text}`: {error}"));
            assert_eq!(format!("{short:?}"), format!("{long:?}"), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_or_rare_goes_the_long_way() {
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
        ] {
            assert!(parse(&line(text)).is_none(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_command_line_means_two_things(
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
                let long = Cli::try_parse_from(&args).map_err(|error| error.to_string());
                proptest::prop_assert_eq!(Ok(format!("{short:?}")), long.map(|cli| format!("{cli:?}")));
            }
        }
    }

    use proptest::strategy::Strategy;
}
