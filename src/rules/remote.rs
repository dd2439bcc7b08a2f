//! How commands run on another host: whether they can, how often they may be executed, which of their arguments are
//! names, and when a connection is retried.

mod host_prefix;

use std::time::Duration;

use crate::base::terminal_output::OutputMode;
use crate::model::{HostName, Times};

pub use host_prefix::{Mark, Marker, error_of, mark};

/// How a command runs on another host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The command runs there.
    Run(Times),
    /// The command runs there and its output is shown as it arrives, again from the beginning after a lost connection.
    Show,
    /// The command runs there and its output is shown as it arrives; output that was lost cannot be shown again.
    Follow,
    /// The agents of one host or of all hosts are listed.
    List,
    /// This terminal attaches to the agent there.
    Attach,
    /// The command runs there, and this terminal attaches to the agent that it started.
    Start,
    /// The command runs only on this machine, for this reason.
    Here(&'static str),
}

const ONCE: Way = Way::Run(Times::Once);
const LOOK: Way = Way::Run(Times::Any);
const OWN: Way = Way::Here("it is about this machine");

/// Each command: noun, verb, how it runs, and which of its arguments are agent names. The verb of a noun without verbs
/// is `""`.
const WAYS: &[(&str, &str, Way, &[&str])] = &[
    ("agent", "spawn", ONCE, &["name", "parent"]),
    ("agent", "list", Way::List, &[]),
    ("agent", "show", LOOK, &["name"]),
    ("agent", "attach", Way::Attach, &["name"]),
    ("agent", "detach", ONCE, &["name"]),
    ("agent", "send", ONCE, &["name"]),
    ("agent", "peek", LOOK, &["name"]),
    ("agent", "logs", LOOK, &["name"]),
    ("agent", "recap", LOOK, &["name"]),
    ("agent", "wait", LOOK, &["name"]),
    ("agent", "approve", ONCE, &["names"]),
    ("agent", "deny", ONCE, &["names"]),
    ("agent", "answer", ONCE, &["name"]),
    ("agent", "interrupt", ONCE, &["name"]),
    ("agent", "kill", ONCE, &["names"]),
    ("agent", "restart", ONCE, &["name"]),
    ("agent", "resume", ONCE, &["name"]),
    ("agent", "restore", ONCE, &["names"]),
    ("agent", "hibernate", ONCE, &["name"]),
    ("agent", "rename", ONCE, &["old", "new"]),
    ("agent", "rm", ONCE, &["name"]),
    ("agent", "prune", ONCE, &[]),
    (
        "agent",
        "share",
        Way::Here("only a user of that machine can share an agent with another user of it"),
        &["name"],
    ),
    (
        "agent",
        "unshare",
        Way::Here("only a user of that machine can share an agent with another user of it"),
        &["name"],
    ),
    ("agent", "shell", Way::Here("it opens a program in a terminal of that machine"), &["name"]),
    ("agent", "edit", Way::Here("it opens a program in a terminal of that machine"), &["name"]),
    ("agent", "handoff", Way::Here("its file is on the machine where it is run"), &["name"]),
    ("task", "add", ONCE, &["to"]),
    ("task", "list", LOOK, &["agent"]),
    ("task", "show", LOOK, &[]),
    ("task", "wait", LOOK, &[]),
    ("task", "cancel", ONCE, &[]),
    ("task", "retry", ONCE, &[]),
    ("task", "progress", ONCE, &[]),
    ("task", "done", ONCE, &[]),
    ("task", "fail", ONCE, &[]),
    ("taskspace", "new", ONCE, &["name"]),
    ("taskspace", "list", LOOK, &[]),
    ("taskspace", "log", ONCE, &["name"]),
    ("taskspace", "delete", ONCE, &["name"]),
    ("message", "send", ONCE, &["target"]),
    ("message", "list", LOOK, &["agent"]),
    ("message", "read", ONCE, &[]),
    ("board", "get", LOOK, &[]),
    ("board", "set", ONCE, &[]),
    ("board", "append", ONCE, &[]),
    ("board", "list", LOOK, &[]),
    ("board", "rm", ONCE, &[]),
    ("conversation", "list", LOOK, &["agent"]),
    ("spec", "list", LOOK, &[]),
    ("spec", "show", LOOK, &[]),
    ("spec", "check", LOOK, &[]),
    ("spec", "trust", ONCE, &[]),
    ("spec", "untrust", ONCE, &[]),
    ("supervisor", "status", LOOK, &[]),
    ("supervisor", "start", ONCE, &[]),
    ("supervisor", "stop", ONCE, &[]),
    ("supervisor", "run", OWN, &[]),
    ("supervisor", "log", OWN, &[]),
    ("metrics", "", LOOK, &[]),
    ("spec", "init", OWN, &[]),
    ("host", "add", OWN, &[]),
    ("host", "list", OWN, &[]),
    ("host", "remove", OWN, &[]),
    ("env", "list", OWN, &[]),
    ("env", "create", OWN, &[]),
    ("env", "remove", OWN, &[]),
    ("mcp", "", OWN, &[]),
    ("service", "install", OWN, &[]),
    ("service", "uninstall", OWN, &[]),
    ("config", "reload", OWN, &[]),
    ("doctor", "", OWN, &[]),
    ("demo-agent", "", OWN, &[]),
    ("completions", "", OWN, &[]),
    ("man", "", OWN, &[]),
];

/// Returns whether the table says how a command runs on another host. Every visible command must be in it.
pub fn is_listed(noun: &str, verb: &str) -> bool {
    WAYS.iter().any(|known| (known.0, known.1) == (noun, verb))
}

/// Flags that change how a command runs on another host.
const FLAGS: &[(&str, &str, &str, Way)] = &[
    ("agent", "spawn", "foreground", Way::Here("`--foreground` runs it in this terminal")),
    ("agent", "spawn", "attach", Way::Start),
    ("taskspace", "new", "attach", Way::Start),
    ("agent", "logs", "follow", Way::Follow),
    ("agent", "list", "watch", Way::Show),
    ("task", "list", "watch", Way::Show),
    ("agent", "list", "work", LOOK),
    ("agent", "list", "shared", LOOK),
    ("board", "get", "output", Way::Here("`--output` names a file of this machine")),
    ("board", "set", "file", Way::Here("`--file` names a file of this machine; `-` takes it from stdin")),
    ("board", "append", "file", Way::Here("`--file` names a file of this machine; `-` takes it from stdin")),
];

/// Returns the flag that changes how a command runs on another host, if any.
pub fn telling_flag<'f>(noun: &str, verb: &str, flags: &[&'f str]) -> Option<&'f str> {
    let tells = |flag: &&&str| FLAGS.iter().any(|(n, v, known, _)| (*n, *v, known) == (noun, verb, *flag));
    flags.iter().find(tells).copied()
}

/// Returns how a command with these flags runs on another host.
pub fn way(noun: &str, verb: &str, flags: &[&str]) -> Way {
    let flagged = FLAGS.iter().find(|(n, v, flag, _)| (*n, *v) == (noun, verb) && flags.contains(flag));
    let plain = || WAYS.iter().find(|known| (known.0, known.1) == (noun, verb)).map(|known| known.2);
    flagged.map(|known| known.3).or_else(plain).unwrap_or(OWN)
}

/// Returns which arguments of a command are names of agents.
pub fn names(noun: &str, verb: &str) -> &'static [&'static str] {
    WAYS.iter().find(|known| (known.0, known.1) == (noun, verb)).map_or(&[], |known| known.3)
}

/// Output format on this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Face {
    /// Whether the output is JSON.
    pub json: bool,
    /// Whether the output has colours.
    pub coloured: bool,
    /// Whether the output goes to a terminal.
    pub shown: bool,
}

/// Returns how the remote output of a command may be shown here. Output that is printed unchanged for a local agent
/// stays unchanged: the output of an agent, and a note that goes into a file.
pub fn manner((noun, verb): (&str, &str), flags: &[&str], face: Face) -> OutputMode {
    let Face { json, coloured, shown } = face;
    match (noun, verb) {
        _ if json => OutputMode::Json,
        ("agent", "logs") if !flags.contains(&"plain") => OutputMode::AsPrinted,
        ("board", "get") if !shown => OutputMode::AsPrinted,
        ("agent" | "task", "list") if flags.contains(&"watch") && shown => OutputMode::Drawn { coloured },
        _ => OutputMode::Text { coloured },
    }
}

/// Adds the host to the commands in a remote text that the user may paste, because the remote side wrote them without
/// it.
pub fn pasted_from(host: &HostName, text: &str) -> String {
    const BEGIN: &str = "symposium ";
    // Directly after a backtick, or after variables that are set for the command.
    let is_command = |before: &str| {
        let quoted = before.rfind('`').map(|at| &before[at + 1..]);
        quoted.is_some_and(|words| words.split(' ').all(|word| word.is_empty() || word.contains('=')))
    };
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(BEGIN) {
        shown.push_str(before);
        rest = behind;
        if !is_command(before) {
            shown.push_str(BEGIN);
            continue;
        }
        let (command, after) = behind.split_once('`').unwrap_or((behind, ""));
        let closed = if command.len() < behind.len() { "`" } else { "" };
        let mut words = command.split_whitespace();
        let (noun, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let flags: Vec<&str> = words.filter_map(|word| word.strip_prefix("--")).collect();
        let is_known = |verb: &str| WAYS.iter().any(|known| (known.0, known.1) == (noun, verb));
        // A truncated command is handled like the other commands of its noun.
        let goes = match is_known(verb) {
            true => !matches!(way(noun, verb, &flags), Way::Here(_)),
            false => WAYS.iter().any(|known| known.0 == noun),
        };
        match goes {
            true => shown.push_str(&format!("{BEGIN}--host {host} {command}{closed}")),
            false => shown.push_str(&format!("{BEGIN}{command}{closed} (on `{host}`)")),
        }
        rest = after;
    }
    shown.push_str(rest);
    shown
}

/// Splits `HOST:NAME`; returns `None` if the part before the `:` cannot be a host.
pub fn apart(text: &str) -> Option<(HostName, &str)> {
    let (host, name) = text.split_once(':')?;
    Some((host.parse().ok()?, name))
}

/// Returns the arguments with another `--timeout`. Arguments after `--` belong to another program and stay unchanged.
pub fn with_timeout(argv: &[String], left: Duration) -> Vec<String> {
    let end = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
    let (ours, others) = argv.split_at(end);
    let renewed = ours.iter().map(|word| match word.starts_with("--timeout=") {
        true => format!("--timeout={}ms", left.as_millis()),
        false => word.clone(),
    });
    renewed.chain(others.iter().cloned()).collect()
}

/// Returns the delay before the next connection attempt, after `tries` attempts.
pub fn pause(tries: u32) -> Duration {
    /// Maximum delay in seconds. With a longer one, a user who sees the network return would start typing too early.
    const MAX_RECONNECT_DELAY: u64 = 15;
    Duration::from_secs(
        1u64.checked_shl(tries.saturating_sub(1)).unwrap_or(MAX_RECONNECT_DELAY).min(MAX_RECONNECT_DELAY),
    )
}

/// Returns whether ssh reports that no connection was established, so that no request can have been sent.
pub fn never_connected(said: &str) -> bool {
    const SIGNS: [&str; 8] = [
        "ssh: connect to host ",
        "ssh: Could not resolve hostname ",
        "Permission denied (",
        "Host key verification failed",
        "kex_exchange_identification",
        "Bad configuration option",
        "Too many authentication failures",
        "banner exchange",
    ];
    SIGNS.iter().any(|sign| said.contains(sign))
}

/// Returns whether ssh reports a failed authentication or a wrong host key. Retrying does not help, and the host may
/// count failed attempts.
pub fn is_refused(said: &str) -> bool {
    const SIGNS: [&str; 4] = [
        "Permission denied (",
        "Host key verification failed",
        "Too many authentication failures",
        "Bad configuration option",
    ];
    SIGNS.iter().any(|sign| said.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_timeout_is_put_in_the_place_of_ours_alone() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let left = Duration::from_millis(2_500);
        for (argv, expected) in [
            ("agent wait --timeout=10s -- a", "agent wait --timeout=2500ms -- a"),
            ("agent wait -- a --timeout=10s", "agent wait -- a --timeout=10s"),
            ("agent show -- a", "agent show -- a"),
        ] {
            assert_eq!(with_timeout(&words(argv), left), words(expected));
        }
    }

    #[test]
    fn a_host_is_taken_off_a_name_and_off_nothing_else() {
        for (text, host, name) in [
            ("gpu1:api-fix", "gpu1", "api-fix"),
            ("gpu1:any:reviewer", "gpu1", "any:reviewer"),
            ("gpu1:@shop", "gpu1", "@shop"),
            ("gpu1:", "gpu1", ""),
            ("gpu1:$(touch x)", "gpu1", "$(touch x)"),
            ("gpu1:a\nb", "gpu1", "a\nb"),
        ] {
            let (found, rest) = apart(text).unwrap();
            assert_eq!((found.as_str(), rest), (host, name), "{text}");
        }
        for text in
            ["api", "any:reviewer", "all:x", "a.b:c", ":x", "-x:y", "a b:c", "api@/x:y", "$(x):y", "é:x"]
        {
            assert_eq!(apart(text), None, "{text}");
        }
    }

    #[test]
    fn what_changes_something_is_done_once_and_what_is_about_here_stays_here() {
        for (noun, verb, flags, expected) in [
            ("agent", "spawn", &[][..], ONCE),
            ("agent", "spawn", &["title", "foreground"], way("agent", "spawn", &["foreground"])),
            ("agent", "send", &["timeout"], ONCE),
            ("task", "add", &[], ONCE),
            ("message", "send", &[], ONCE),
            ("agent", "logs", &[], LOOK),
            ("agent", "logs", &["follow"], Way::Follow),
            ("agent", "list", &["watch"], Way::Show),
            ("agent", "attach", &[], Way::Attach),
            ("service", "install", &[], OWN),
            ("env", "list", &[], OWN),
            ("doctor", "", &[], OWN),
            ("no", "such", &[], OWN),
        ] {
            assert_eq!(way(noun, verb, flags), expected, "{noun} {verb} {flags:?}");
        }
        assert!(matches!(way("agent", "spawn", &["foreground"]), Way::Here(_)));
        assert!(matches!(way("agent", "share", &[]), Way::Here(_)));
    }

    #[test]
    fn only_what_is_printed_here_as_it_is_comes_as_it_is() {
        let person = Face { json: false, coloured: true, shown: true };
        let pipe = Face { json: false, coloured: false, shown: false };
        let (text, drawn) = (OutputMode::Text { coloured: true }, OutputMode::Drawn { coloured: true });
        for (noun, verb, flags, face, expected) in [
            ("agent", "show", &[][..], person, text),
            ("agent", "peek", &[], person, text),
            ("agent", "logs", &["follow"], person, OutputMode::AsPrinted),
            ("agent", "logs", &["plain"], person, text),
            ("agent", "logs", &[], Face { json: true, ..pipe }, OutputMode::Json),
            ("agent", "list", &["watch"], person, drawn),
            ("agent", "list", &["watch"], pipe, OutputMode::Text { coloured: false }),
            ("board", "get", &[], person, text),
            ("board", "get", &[], pipe, OutputMode::AsPrinted),
            ("no", "such", &[], pipe, OutputMode::Text { coloured: false }),
        ] {
            assert_eq!(manner((noun, verb), flags, face), expected, "{noun} {verb} {flags:?}");
        }
    }

    #[test]
    fn a_command_to_paste_names_the_machine_that_it_came_from() {
        let host: HostName = "gpu1".parse().unwrap();
        for (said, shown) in [
            ("did you mean `symposium agent show a`?", "did you mean `symposium --host gpu1 agent show a`?"),
            (
                "`symposium agent rm a` or `symposium agent stop a`, `--force`",
                "`symposium --host gpu1 agent rm a` or `symposium --host gpu1 agent stop a`, `--force`",
            ),
            ("see `symposium doctor`.", "see `symposium doctor` (on `gpu1`)."),
            ("`symposium agent share a --with guest`", "`symposium agent share a --with guest` (on `gpu1`)"),
            ("no command, `a` and `symposium`", "no command, `a` and `symposium`"),
            ("`a` has symposium 2 agent", "`a` has symposium 2 agent"),
            ("`symposium agent spawn --foreground x`", "`symposium agent spawn --foreground x` (on `gpu1`)"),
            ("`TERM=x symposium agent attach a`", "`TERM=x symposium --host gpu1 agent attach a`"),
            ("cut `symposium agent sh", "cut `symposium --host gpu1 agent sh"),
            ("`symposium ", "`symposium  (on `gpu1`)"),
        ] {
            assert_eq!(pasted_from(&host, said), shown);
        }
    }

    #[test]
    fn it_is_tried_again_ever_later() {
        let seconds: Vec<u64> = (1..=7).map(|tries| pause(tries).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 15, 15, 15]);
        assert_eq!(pause(400).as_secs(), 15);
    }

    #[test]
    fn what_was_never_asked_is_told_from_what_may_have_been() {
        for said in [
            "ssh: connect to host 127.0.0.1 port 1: Connection refused",
            "ssh: Could not resolve hostname nowhere: Name or service not known",
            "root@127.0.0.1: Permission denied (publickey).",
            "Host key verification failed.",
        ] {
            assert!(never_connected(said), "{said}");
        }
        for said in ["", "Connection to gpu1 closed by remote host.", "Timeout, server gpu1 not responding."]
        {
            assert!(!never_connected(said), "{said}");
        }
        assert!(
            is_refused("Host key verification failed.")
                && is_refused("me@gpu1: Permission denied (publickey).")
        );
        assert!(!is_refused("ssh: connect to host 127.0.0.1 port 1: Connection refused"));
    }
}
