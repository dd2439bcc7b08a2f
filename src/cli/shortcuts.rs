//! Short forms of frequent commands, such as `symposium ls` for `symposium agent list`, and tips for common wrong
//! guesses.
//!
//! A short form is expanded before the command line is parsed. Every option, `HOST:NAME`, help text and error of the
//! full command therefore also applies to its short form.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The short forms: the word that replaces `agent SUBCOMMAND`, and the subcommand. None of them is the name of a
/// top-level command.
pub(super) const SHORT_FORMS: &[(&str, &str)] = &[
    ("ls", "list"),
    ("list", "list"),
    ("new", "spawn"),
    ("spawn", "spawn"),
    ("attach", "attach"),
    ("send", "send"),
    ("approve", "approve"),
    ("deny", "deny"),
    ("answer", "answer"),
    ("show", "show"),
    ("peek", "peek"),
    ("logs", "logs"),
    ("recap", "recap"),
    ("wait", "wait"),
    ("interrupt", "interrupt"),
    ("shell", "shell"),
    ("edit", "edit"),
    ("kill", "kill"),
    ("restart", "restart"),
    ("resume", "resume"),
    ("restore", "restore"),
    ("rm", "rm"),
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

/// Global options that take their value from the next word.
const GLOBAL_VALUE_OPTIONS: [&str; 4] = ["--home", "--color", "--host", "--screen"];

/// Returns the lines about short forms below the root command's help.
pub(super) fn help() -> String {
    let words: Vec<&str> = SHORT_FORMS.iter().map(|(word, _)| *word).collect();
    format!("Short forms of `symposium agent …` (ls: list, new: spawn):\n  {}", words.join(", "))
}

/// Returns the same lines for the long help, with examples, environment variables and exit codes.
pub(super) fn long_help() -> String {
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
pub(super) fn expand(args: Vec<OsString>) -> Vec<OsString> {
    let Some(mut at) = first_word(&args, 1) else { return args };
    if args[at] == "help" {
        at += 1;
    }
    let verb_of =
        |word: &OsString| SHORT_FORMS.iter().find(|(short, _)| word == short).map(|(_, verb)| *verb);
    match args.get(at).and_then(verb_of) {
        Some(verb) => {
            let (before, after) = (&args[..at], &args[at + 1..]);
            [before, &["agent".into(), verb.into()], after].concat()
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

/// Adds the short forms as commands of their own, for shell completion.
pub(super) fn with_short_forms(command: Command) -> Command {
    let Some(agent) = command.find_subcommand("agent").cloned() else { return command };
    SHORT_FORMS.iter().fold(command, |command, (word, verb)| match agent.find_subcommand(verb) {
        Some(described) => command.subcommand(described.clone().name(*word).visible_alias(None)),
        None => command,
    })
}

/// Replaces the suggestions for an unknown command: short forms are offered, hidden commands never, and a common wrong
/// guess gets its own tip.
pub(super) fn suggest(mut error: clap::Error, args: &[OsString], root: &Command) -> clap::Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand).cloned() else {
        return error;
    };
    error.remove(ContextKind::SuggestedSubcommand);
    let is_root = first_word(args, 1).is_some_and(|at| args[at] == *unknown);
    let tip = NEAR_MISSES.iter().find(|(word, _)| is_root && *word == unknown).map(|(_, tip)| *tip);
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.to_owned().into()]));
        return error;
    }
    let known = match is_root {
        true => with_short_forms(root.clone()),
        false => parent(args, &unknown, root).clone(),
    };
    let similar = similar(&unknown, &known);
    if !similar.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(similar));
    }
    error
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
    use clap::CommandFactory;

    use super::super::Cli;
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
    fn every_short_form_is_a_verb_of_agent_and_no_noun() {
        let root = Cli::command();
        let agent = root.find_subcommand("agent").unwrap();
        for (word, verb) in SHORT_FORMS {
            assert!(root.find_subcommand(word).is_none(), "{word} is a noun");
            assert_eq!(agent.find_subcommand(verb).map(Command::get_name), Some(*verb), "{word}");
        }
        for (word, _) in NEAR_MISSES {
            assert!(root.find_subcommand(word).is_none(), "{word} is a noun");
            assert!(SHORT_FORMS.iter().all(|(short, _)| short != word), "{word} is a short form");
        }
    }

    #[test]
    fn commands_of_near_miss_tips_exist() {
        let root = with_short_forms(Cli::command());
        for (_, tip) in NEAR_MISSES {
            for command in tip.split('`').skip(1).step_by(2) {
                let words =
                    command.split(' ').skip(1).take_while(|word| !word.starts_with('-') && *word != "NAME");
                words.fold(&root, |at, word| at.find_subcommand(word).unwrap_or_else(|| panic!("{command}")));
            }
        }
    }
}
