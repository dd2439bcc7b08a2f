//! The `symposium web` commands. `symposium web` without a command is `symposium web serve`.
//!
//! - `serve`: `web serve`
//! - `pair`: `web pair`
//! - `link`: `web link`
//! - `devices`: `web devices`
//! - `revoke`: `web revoke`

mod devices;
mod link;
mod pair;
mod revoke;
mod serve;

use std::ffi::OsString;

use crate::cli::grammar::definition::CommandDefinition;

pub(super) const GROUP: CommandDefinition = CommandDefinition::group(
    "web",
    "Serve a web page for browsers and phones, and manage their access",
    &[serve::COMMAND, pair::COMMAND, link::COMMAND, devices::COMMAND, revoke::COMMAND],
);

/// Global options that take their value from the next word.
const GLOBAL_VALUE_OPTIONS: [&str; 4] = ["--home", "--color", "--host", "--screen"];

/// Adds `serve` to a command line whose first words are `symposium web`, if no command follows and no help is wanted.
pub(super) fn with_default_command(mut args: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while args.get(at).is_some_and(|word| word.to_string_lossy().starts_with('-')) {
        let takes_value = args[at].to_str().is_some_and(|word| GLOBAL_VALUE_OPTIONS.contains(&word));
        at += if takes_value { 2 } else { 1 };
    }
    if args.get(at).is_none_or(|word| word != GROUP.name) {
        return args;
    }
    let is_served = match args.get(at + 1).and_then(|word| word.to_str()) {
        None => true,
        Some("-h" | "--help" | "-V" | "--version") => false,
        Some(word) => word.starts_with('-'),
    };
    if is_served {
        args.insert(at + 1, "serve".into());
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_without_a_command_serves_the_page() {
        let expanded = |text: &str| {
            let args = std::iter::once("symposium").chain(text.split_whitespace()).map(OsString::from);
            let words = with_default_command(args.collect());
            words[1..].iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("web", "web serve"),
            ("web --listen 127.0.0.1:1", "web serve --listen 127.0.0.1:1"),
            ("--home /h --quiet web", "--home /h --quiet web serve"),
            ("web pair", "web pair"),
            ("web nonsense", "web nonsense"),
            ("web --help", "web --help"),
            ("agent spawn web", "agent spawn web"),
            ("--home web", "--home web"),
            ("", ""),
        ] {
            assert_eq!(expanded(text), expected);
        }
    }
}
