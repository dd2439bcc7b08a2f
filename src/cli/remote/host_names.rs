//! Parses a command line and reassembles it without the host in front of its names.
//!
//! It is reassembled from the parsed arguments and not from the typed text, so that a text that looks like a name
//! stays unchanged, and a name that looks like an option stays a name.

use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::cli::grammar::definition::{ArgumentValue, CommandDefinition};
use crate::error::{Error, shown};
use crate::model::HostName;

/// Options that are not passed on to the host, or that are passed on in another way.
const LOCAL_OPTIONS: [&str; 7] = ["home", "json", "quiet", "color", "host", "screen", "help"];

/// A command line without its host.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LocalArgv {
    /// The host in front of the names.
    pub host: Option<HostName>,
    /// The arguments after the command and subcommand.
    pub words: Vec<String>,
    /// The number of leading words that are options.
    pub options: usize,
    /// The ids of the given arguments, as clap names them.
    pub given: Vec<String>,
    /// The names without their host.
    pub names: Vec<String>,
    /// Whether one of the texts is `-`.
    pub reads_stdin: bool,
}

/// Removes the host from those arguments that are names.
pub(super) fn take(definition: &CommandDefinition, matches: &ArgMatches) -> Result<LocalArgv, Error> {
    let mut described = (definition.arguments)(Command::new(definition.name));
    described.build();
    let is_agent =
        |id: &str| matches!(definition.value(id), Some(ArgumentValue::Agent | ArgumentValue::NewAgent));
    let mut taken =
        LocalArgv { host: None, words: vec![], options: 0, given: vec![], names: vec![], reads_stdin: false };
    let (mut options, mut before, mut behind) = (vec![], vec![], vec![]);
    let has_last = described.get_arguments().any(Arg::is_last_set);
    for arg in described.get_arguments() {
        let id = arg.get_id().as_str();
        if LOCAL_OPTIONS.contains(&id) || matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        taken.given.push(id.to_owned());
        let flag = arg.get_long().unwrap_or(id);
        if !matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) {
            options.push(format!("--{flag}"));
            continue;
        }
        let raw = matches.try_get_raw(id).ok().flatten();
        let values: Vec<String> = raw.into_iter().flatten().map(text).collect::<Result<_, _>>()?;
        let values = match is_agent(id) {
            true => without_host(values, &mut taken)?,
            false => {
                taken.reads_stdin |= !arg.is_last_set() && values.iter().any(|value| value == "-");
                values
            }
        };
        match (arg.is_positional(), arg.is_last_set() || !has_last) {
            (false, _) => options.extend(values.into_iter().map(|value| format!("--{flag}={value}"))),
            (true, true) => behind.extend(values),
            (true, false) => before.extend(values),
        }
    }
    taken.options = options.len();
    taken.words = [options, before].concat();
    if !behind.is_empty() {
        taken.words.push("--".to_owned());
        taken.words.extend(behind);
    }
    Ok(taken)
}

/// Splits `HOST:NAME`; returns `None` if the part before the `:` cannot be a host.
fn split_host(text: &str) -> Option<(HostName, &str)> {
    let (host, name) = text.split_once(':')?;
    Some((host.parse().ok()?, name))
}

fn text(value: &OsStr) -> Result<String, Error> {
    value.to_str().map(str::to_owned).ok_or_else(|| {
        Error::usage(format!(
            "`{}` is not valid UTF-8 and cannot be sent to another machine",
            shown(&value.to_string_lossy())
        ))
    })
}

/// Removes the host from the values of one argument, which must all be on one machine.
fn without_host(values: Vec<String>, taken: &mut LocalArgv) -> Result<Vec<String>, Error> {
    let several = values.len() > 1;
    let mut bare = Vec::new();
    let mut hosts: Vec<Option<HostName>> = Vec::new();
    for value in values {
        match split_host(&value) {
            Some((host, name)) => {
                bare.push(name.to_owned());
                hosts.push(Some(host));
            }
            None => {
                bare.push(value);
                hosts.push(None);
            }
        }
    }
    let named = hosts.iter().flatten().next().cloned();
    let is_mixed = several && hosts.iter().any(|host| *host != named);
    let is_other = named.is_some() && taken.host.is_some() && named != taken.host;
    if is_mixed || is_other {
        return Err(Error::usage("the names belong to several hosts".to_owned())
            .hint("run the command once for each host".to_owned()));
    }
    taken.host = taken.host.take().or(named);
    taken.names.extend(bare.iter().cloned());
    Ok(bare)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use proptest::prelude::*;

    use super::*;
    use crate::cli::grammar::commands;

    fn taken(line: &[&str]) -> Result<LocalArgv, Error> {
        let args: Vec<OsString> = [&["symposium"], line].concat().into_iter().map(OsString::from).collect();
        let line = commands::parse(&args).unwrap();
        take(line.definition, &line.matches)
    }

    #[test]
    fn the_host_prefix_is_removed_from_a_name_only() {
        for (text, host, name) in [
            ("gpu1:api-fix", "gpu1", "api-fix"),
            ("gpu1:any:reviewer", "gpu1", "any:reviewer"),
            ("gpu1:@shop", "gpu1", "@shop"),
            ("gpu1:", "gpu1", ""),
            ("gpu1:$(touch x)", "gpu1", "$(touch x)"),
            ("gpu1:a\nb", "gpu1", "a\nb"),
        ] {
            let (found, rest) = split_host(text).unwrap();
            assert_eq!((found.as_str(), rest), (host, name), "{text}");
        }
        for text in
            ["api", "any:reviewer", "all:x", "a.b:c", ":x", "-x:y", "a b:c", "api@/x:y", "$(x):y", "é:x"]
        {
            assert_eq!(split_host(text), None, "{text}");
        }
    }

    #[test]
    fn the_host_prefix_is_removed_from_name_arguments_only() {
        for (line, host, words) in [
            (&["agent", "send", "gpu1:a", "gpu1:a"][..], Some("gpu1"), &["--", "a", "gpu1:a"][..]),
            (&["agent", "send", "a", "gpu1:a"], None, &["--", "a", "gpu1:a"]),
            (
                &["agent", "send", "gpu1:a", "-rf $(touch x)\n"],
                Some("gpu1"),
                &["--", "a", "-rf $(touch x)\n"],
            ),
            (&["agent", "send", "gpu1:--all", "x"], Some("gpu1"), &["--", "--all", "x"]),
            (
                &["agent", "kill", "gpu1:a", "gpu1:b", "--grace", "1s"],
                Some("gpu1"),
                &["--grace=1s", "--", "a", "b"],
            ),
            (
                &["agent", "spawn", "--name", "gpu1:a", "--env", "A=x:y", "--", "sh", "-c", "gpu1:b -"],
                Some("gpu1"),
                &["--name=a", "--env=A=x:y", "--", "sh", "-c", "gpu1:b -"],
            ),
            (&["agent", "spawn", "demo", "--name", "gpu1:a"], Some("gpu1"), &["--name=a", "demo"]),
            (&["agent", "stop", "gpu1:a"], Some("gpu1"), &["--", "a"]),
            (&["agent", "rename", "gpu1:a", "b"], Some("gpu1"), &["--", "a", "b"]),
            (
                &["task", "add", "gpu1:any:reviewer", "gpu1:x"],
                Some("gpu1"),
                &["--", "any:reviewer", "gpu1:x"],
            ),
            (&["task", "add", "any:reviewer", "x"], None, &["--", "any:reviewer", "x"]),
            (&["message", "send", "gpu1:@shop", "hi"], Some("gpu1"), &["--", "@shop", "hi"]),
            (
                &["agent", "wait", "gpu1:a", "--for", "idle,waiting"],
                Some("gpu1"),
                &["--for=idle", "--for=waiting", "--", "a"],
            ),
            (&["--json", "agent", "show", "gpu1:a"], Some("gpu1"), &["--", "a"]),
            (&["agent", "logs", "-f", "gpu1:a"], Some("gpu1"), &["--follow", "--", "a"]),
        ] {
            let taken = taken(line).unwrap();
            assert_eq!(taken.host.as_ref().map(HostName::as_str), host, "{line:?}");
            assert_eq!(taken.words, words, "{line:?}");
        }
    }

    #[test]
    fn names_of_two_machines_are_refused() {
        for line in [
            &["agent", "kill", "gpu1:a", "gpu2:b"][..],
            &["agent", "kill", "gpu1:a", "b"],
            &["agent", "rename", "gpu1:a", "gpu2:b"],
        ] {
            assert!(taken(line).is_err(), "{line:?}");
        }
    }

    #[test]
    fn a_dash_reads_the_local_stdin() {
        assert!(taken(&["agent", "send", "gpu1:a", "-"]).unwrap().reads_stdin);
        assert!(taken(&["agent", "spawn", "demo", "--name=gpu1:a", "--task", "-"]).unwrap().reads_stdin);
        assert!(!taken(&["agent", "spawn", "--name=gpu1:a", "--", "cat", "-"]).unwrap().reads_stdin);
    }

    proptest! {
        // Each case parses two command lines with the complete clap definition, unoptimized.
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Every text arrives unchanged.
        #[test]
        fn a_text_is_passed_on_verbatim(text in "[^\\x00]*") {
            let taken = taken(&["agent", "send", "gpu1:a", "--", &text]);
            // After `--` there is no third argument that could be removed.
            prop_assert!(taken.is_ok());
            let words = taken.unwrap().words;
            prop_assert_eq!(&words[..2], &["--".to_owned(), "a".to_owned()]);
            prop_assert_eq!(&words[2], &text);
            let again: Vec<&str> = ["agent", "send"].into_iter().chain(words.iter().map(String::as_str)).collect();
            prop_assert_eq!(super::tests::taken(&again).unwrap().words, words.clone());
        }
    }
}
