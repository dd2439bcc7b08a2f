//! Short forms of frequent commands, such as `symposium ls` for `symposium agent list`, and tips for common wrong
//! guesses.
//!
//! A short form is expanded before the command line is parsed. Every option, `HOST:NAME`, help text and error of the
//! full command therefore also applies to its short form.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::commands;
use super::definition::CommandDefinition;

/// The short forms that the help shows first, in this order. The others follow in the order of the commands.
const FIRST_SHOWN: &[&str] = &[
    "ls",
    "list",
    "new",
    "spawn",
    "attach",
    "send",
    "approve",
    "deny",
    "answer",
    "show",
    "peek",
    "logs",
    "recap",
    "wait",
    "interrupt",
];

/// Words that are not commands but are often tried, and the commands to suggest instead.
const NEAR_MISSES: &[(&str, &str)] = &[
    ("agents", "`symposium ls` lists agents; `symposium agent --help` shows what else can be done with them"),
    ("ps", "`symposium ls` lists agents"),
    ("status", "`symposium ls` shows the status of all agents, `symposium supervisor status` the supervisor"),
    ("version", "`symposium --version` prints the version"),
    ("start", "`symposium new` starts an agent, `symposium resume NAME` brings one back"),
    ("stop", "`symposium kill NAME` ends an agent, `symposium supervisor stop` ends the supervisor"),
    ("run", "`symposium new` starts an agent, `symposium new -- COMMAND` any command"),
    ("tasks", "`symposium task list` lists tasks"),
];

/// The same for words after `symposium agent`.
const AGENT_NEAR_MISSES: &[(&str, &str)] = &[
    ("ps", "`symposium agent list` lists agents"),
    ("status", "`symposium agent list` shows the status of all agents, `symposium agent show NAME` of one"),
    ("start", "`symposium agent spawn` starts an agent, `symposium agent resume NAME` brings one back"),
    ("run", "`symposium agent spawn` starts an agent, `symposium agent spawn -- COMMAND` any command"),
];

/// Global options that take their value from the next word.
const GLOBAL_VALUE_OPTIONS: [&str; 4] = ["--home", "--color", "--host", "--screen"];

/// Returns all short forms in the order of the help, each with the group and the name of its command.
fn short_forms() -> Vec<(&'static str, [&'static str; 2])> {
    let each = |(group, command): (&'static str, &'static CommandDefinition)| {
        command.short_forms.iter().map(move |word| (*word, [group, command.name]))
    };
    let mut forms: Vec<_> = commands::with_short_forms().flat_map(each).collect();
    forms.sort_by_key(|(word, _)| {
        FIRST_SHOWN.iter().position(|first| first == word).unwrap_or(FIRST_SHOWN.len())
    });
    forms
}

/// Returns the lines about short forms below the root command's help.
pub(in crate::cli) fn help() -> String {
    let words: Vec<&str> = short_forms().into_iter().map(|(word, _)| word).collect();
    format!("Short forms of `symposium agent …` (ls: list, new: spawn):\n  {}", words.join(", "))
}

/// Returns the same lines for the long help, with examples, environment variables and exit codes.
pub(in crate::cli) fn long_help() -> String {
    format!(
        "{}\n\n\
         Examples:\n  \
           symposium new claude --name api-fix --task \"fix the login bug\"\n  \
           symposium ls\n  \
           symposium attach api-fix\n  \
           symposium send api-fix \"also add a test\"\n  \
           symposium recap\n\n\
         Environment: SYMPOSIUM_HOME, SYMPOSIUM_TMUX_SOCKET, SYMPOSIUM_AGENTS_CONFIG, COLUMNS, NO_COLOR\n\n\
         Exit codes:\n  \
           0 done, 1 failed, 2 usage, 3 not found, 4 tmux unusable, 5 state unusable,\n  \
           6 delivery not confirmed, 7 timed out, 70 internal error\n\n\
         `symposium man` shows the whole manual.",
        help()
    )
}

/// Replaces a short form by its full command. Other command lines are returned unchanged.
pub(in crate::cli) fn expand(args: Vec<OsString>) -> Vec<OsString> {
    let Some(mut at) = first_word(&args, 1) else { return args };
    if args[at] == "help" {
        at += 1;
    }
    let full = |typed: &OsString| short_forms().into_iter().find(|(word, _)| typed == word);
    match args.get(at).and_then(full) {
        Some((_, path)) => {
            let (before, after) = (&args[..at], &args[at + 1..]);
            [before, &path.map(OsString::from), after].concat()
        }
        None => args,
    }
}

/// Returns the position of the first word at or after `from` that is neither a global option nor the value of one.
fn first_word(args: &[OsString], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(arg) = args.get(at) {
        match arg.to_str() {
            Some(option) if GLOBAL_VALUE_OPTIONS.contains(&option) => at += 2,
            Some(option) if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
    None
}

/// Returns the program with the short forms as commands of their own, for completion and suggestions.
pub(in crate::cli) fn root_with_short_forms() -> Command {
    let root = commands::root();
    let described = |[group, name]: [&str; 2]| root.find_subcommand(group)?.find_subcommand(name).cloned();
    let forms: Vec<Command> = short_forms()
        .into_iter()
        .filter_map(|(word, path)| Some(described(path)?.name(word).visible_alias(None)))
        .collect();
    root.subcommands(forms)
}

/// Replaces the suggestions for an unknown command: short forms are offered, hidden commands never, and a common wrong
/// guess gets its own tip.
pub(in crate::cli) fn suggest(mut error: clap::Error, args: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand).cloned() else {
        return error;
    };
    error.remove(ContextKind::SuggestedSubcommand);
    let is_root = first_word(args, 1).is_some_and(|at| args[at] == *unknown);
    let root = commands::root();
    let group = parent(args, &unknown, &root);
    let near_misses = match group.get_name() {
        _ if is_root => NEAR_MISSES,
        "agent" => AGENT_NEAR_MISSES,
        _ => &[],
    };
    let near_miss = near_misses.iter().find(|(word, _)| *word == unknown).map(|(_, tip)| (*tip).to_owned());
    if let Some(tip) = near_miss.or_else(|| full_commands(&unknown, &root).filter(|_| is_root)) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    let similar = match is_root {
        true => similar(&unknown, &root_with_short_forms()),
        false => similar(&unknown, group),
    };
    if !similar.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(similar));
    }
    error
}

/// Returns a tip for a word that is no command, but one after the name of a group, such as `finish`.
fn full_commands(word: &str, root: &Command) -> Option<String> {
    let groups = root.get_subcommands().filter(|group| !group.is_hide_set());
    let commands: Vec<String> = groups
        .filter(|group| group.find_subcommand(word).is_some_and(|command| !command.is_hide_set()))
        .map(|group| format!("`symposium {} {word}`", group.get_name()))
        .collect();
    (!commands.is_empty()).then(|| format!("the full command is {}", commands.join(" or ")))
}

/// Returns the command that has no subcommand of the unknown name.
fn parent<'c>(args: &[OsString], unknown: &str, root: &'c Command) -> &'c Command {
    let words = args.iter().skip(1).take_while(|arg| *arg != unknown);
    words.fold(root, |command, word| command.find_subcommand(word).unwrap_or(command))
}

/// Returns the visible subcommands with a similar spelling, the most similar first.
fn similar(unknown: &str, command: &Command) -> Vec<String> {
    /// Minimum similarity of two words; clap uses the same value.
    const LEAST_SIMILARITY: f64 = 0.7;
    let names = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let names = names.flat_map(|verb| std::iter::once(verb.get_name()).chain(verb.get_visible_aliases()));
    let mut rated: Vec<(f64, &str)> = names.map(|name| (strsim::jaro(unknown, name), name)).collect();
    rated.retain(|(similarity, _)| *similarity > LEAST_SIMILARITY);
    rated.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    rated.dedup_by(|a, b| a.1 == b.1);
    rated.into_iter().map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(line: &str) -> String {
        let args = line.split(' ').map(OsString::from).collect();
        let words = expand(args).into_iter().map(|word| word.to_string_lossy().into_owned());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn short_forms_expand_to_verbs_of_agent() {
        for (line, full) in [
            ("symposium ls --json", "symposium agent list --json"),
            ("symposium --host gpu1 ls", "symposium --host gpu1 agent list"),
            ("symposium --home=/h -q new -- ls", "symposium --home=/h -q agent spawn -- ls"),
            ("symposium attach gpu1:a", "symposium agent attach gpu1:a"),
            ("symposium help ls", "symposium help agent list"),
            ("symposium agent ls", "symposium agent ls"),
            ("symposium task list", "symposium task list"),
            ("symposium --home ls", "symposium --home ls"),
        ] {
            assert_eq!(expanded(line), full);
        }
    }

    #[test]
    fn no_short_form_or_near_miss_is_the_name_of_a_command() {
        let root = commands::root();
        let mut seen = Vec::new();
        for word in commands::with_short_forms().flat_map(|(_, command)| command.short_forms) {
            assert!(root.find_subcommand(word).is_none(), "{word} is a command");
            assert!(!seen.contains(&word), "{word} has two meanings");
            seen.push(word);
        }
        for (word, _) in NEAR_MISSES {
            assert!(root.find_subcommand(word).is_none(), "{word} is a command");
            assert!(!seen.contains(&word), "{word} is a short form");
        }
        let agent = root.find_subcommand("agent").unwrap();
        for (word, _) in AGENT_NEAR_MISSES {
            assert!(agent.find_subcommand(word).is_none(), "agent {word} is a command");
        }
        for word in FIRST_SHOWN {
            assert!(seen.contains(&word), "{word} is no short form");
        }
    }

    #[test]
    fn a_wrong_guess_gets_a_tip_at_the_root_and_after_agent() {
        for (line, tip) in [
            ("symposium ps", Some("`symposium ls` lists agents")),
            ("symposium agent ps", Some("`symposium agent list` lists agents")),
            ("symposium --json agent status", Some("`symposium agent show NAME` of one")),
            ("symposium finish a", Some("the full command is `symposium agent finish`")),
            ("symposium add a b", Some("`symposium task add` or `symposium host add`")),
            ("symposium task ps", None),
            ("symposium task finish", None),
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = suggest(commands::parse(&args).expect_err(line), &args).render().to_string();
            match tip {
                Some(tip) => assert!(error.contains(tip), "{line}: {error}"),
                None => assert!(!error.contains("tip:"), "{line}: {error}"),
            }
        }
    }

    #[test]
    fn commands_of_near_miss_tips_exist() {
        let root = root_with_short_forms();
        for (_, tip) in NEAR_MISSES.iter().chain(AGENT_NEAR_MISSES) {
            for command in tip.split('`').skip(1).step_by(2) {
                let words =
                    command.split(' ').skip(1).take_while(|word| !word.starts_with('-') && *word != "NAME");
                words.fold(&root, |at, word| at.find_subcommand(word).unwrap_or_else(|| panic!("{command}")));
            }
        }
    }
}
