//! Commands in the output of another machine that the user may paste here.

use crate::cli::grammar::commands;
use crate::cli::grammar::definition::CommandDefinition;
use crate::cli::remote::remote_use::RemoteMode;
use crate::model::HostName;

/// Adds the host to the commands in a remote text that the user may paste, because the remote side wrote them without
/// it.
pub(in crate::cli) fn pasted_from(host: &HostName, text: &str) -> String {
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
        match can_run_there(command) {
            true => shown.push_str(&format!("{BEGIN}--host {host} {command}{closed}")),
            false => shown.push_str(&format!("{BEGIN}{command}{closed} (on `{host}`)")),
        }
        rest = after;
    }
    shown.push_str(rest);
    shown
}

/// Checks whether a command can be given here with `--host`. A truncated one can if another command of its group can.
fn can_run_there(command: &str) -> bool {
    fn is_remote(definition: &CommandDefinition, flags: &[&str]) -> bool {
        let commands = definition.commands();
        match commands.is_empty() {
            true => !matches!(definition.remote.mode(flags), RemoteMode::LocalOnly(_)),
            false => commands.iter().any(|command| is_remote(command, flags)),
        }
    }
    let flags: Vec<&str> = command.split_whitespace().filter_map(|word| word.strip_prefix("--")).collect();
    commands::find(command.split_whitespace()).is_some_and(|definition| is_remote(definition, &flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasteable_command_names_its_host() {
        let host: HostName = "gpu1".parse().unwrap();
        for (input, shown) in [
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
            assert_eq!(pasted_from(&host, input), shown);
        }
    }
}
