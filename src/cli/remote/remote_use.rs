//! How one command runs on another host: whether it can, how often it may be executed, and how its output is shown
//! here. Part of the definition of each command.

use super::output_prefix::PrefixTarget;
use crate::base::terminal::output::OutputMode;
use crate::model::Replay;

/// How a command runs on another host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum RemoteMode {
    /// The command runs there.
    Run(Replay),
    /// The command runs there and its output is shown as it arrives, again from the beginning after a lost connection.
    Redraw,
    /// The command runs there and its output is shown as it arrives; output that was lost cannot be shown again.
    Follow,
    /// The agents of one host or of all hosts are listed.
    List,
    /// This terminal attaches to the agent there.
    Attach,
    /// The command runs there, and this terminal attaches to the agent that it started.
    Start,
    /// The command runs only on this machine, for this reason.
    LocalOnly(&'static str),
}

/// How a command runs on another host, with the flags that change it and the rules for its output.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Remote {
    mode: RemoteMode,
    flags: &'static [(&'static str, RemoteMode)],
    unchanged: Unchanged,
    host_in_text: HostInText,
    has_host_in_json: bool,
}

/// Output that is not sanitized, because the same command prints it unchanged for a local agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unchanged {
    Never,
    /// Unless this flag is given.
    Without(&'static str),
    /// If it goes to a file or a pipe.
    Piped,
}

/// Position at which the name of the host is added to text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostInText {
    Nowhere,
    /// Before the first mention of the agent.
    AgentName,
    /// Before the first line, which is the name of an agent.
    FirstLine,
}

/// Output format on this side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct OutputFormat {
    /// Whether the output is JSON.
    pub json: bool,
    /// Whether the output has colours.
    pub coloured: bool,
    /// Whether the output goes to a terminal.
    pub shown: bool,
}

impl Remote {
    /// A command that changes something and is executed at most once.
    pub(in crate::cli) const ONCE: Remote = Remote::of(RemoteMode::Run(Replay::Once));
    /// A command that changes nothing and may be executed again after a lost connection.
    pub(in crate::cli) const READ_ONLY: Remote = Remote::of(RemoteMode::Run(Replay::Any));
    /// A command about this machine.
    pub(in crate::cli) const LOCAL: Remote = Remote::local_only("it concerns this machine only");

    /// Returns the default rules of a mode.
    pub(in crate::cli) const fn of(mode: RemoteMode) -> Remote {
        Remote {
            mode,
            flags: &[],
            unchanged: Unchanged::Never,
            host_in_text: HostInText::Nowhere,
            has_host_in_json: true,
        }
    }

    /// A command that runs only on this machine, for this reason.
    pub(in crate::cli) const fn local_only(reason: &'static str) -> Remote {
        Remote::of(RemoteMode::LocalOnly(reason))
    }

    /// Sets the flags that change the mode, by their clap id. The first one that is given decides.
    pub(in crate::cli) const fn flags(mut self, flags: &'static [(&'static str, RemoteMode)]) -> Remote {
        self.flags = flags;
        self
    }

    /// Shows the output unchanged unless this flag is given.
    pub(in crate::cli) const fn unchanged_without(mut self, flag: &'static str) -> Remote {
        self.unchanged = Unchanged::Without(flag);
        self
    }

    /// Passes the output unchanged to a file or a pipe.
    pub(in crate::cli) const fn unchanged_in_pipes(mut self) -> Remote {
        self.unchanged = Unchanged::Piped;
        self
    }

    /// Adds the host before the first mention of the agent.
    pub(in crate::cli) const fn host_before_agent(mut self) -> Remote {
        self.host_in_text = HostInText::AgentName;
        self
    }

    /// Adds the host before the first line if it is the name of an agent.
    pub(in crate::cli) const fn host_before_first_line(mut self) -> Remote {
        self.host_in_text = HostInText::FirstLine;
        self
    }

    /// Leaves JSON without the field `host`: its objects do not belong to a host that a user can address.
    pub(in crate::cli) const fn without_host_in_json(mut self) -> Remote {
        self.has_host_in_json = false;
        self
    }

    /// Returns how the command with these flags runs on another host.
    pub(in crate::cli) fn mode(&self, given: &[&str]) -> RemoteMode {
        let flagged = self.flags.iter().find(|(flag, _)| given.contains(flag));
        flagged.map_or(self.mode, |(_, mode)| *mode)
    }

    /// Returns the first given flag that changes how the command runs on another host.
    pub(in crate::cli) fn deciding_flag<'f>(&self, given: &[&'f str]) -> Option<&'f str> {
        given.iter().find(|flag| self.flags.iter().any(|(known, _)| known == *flag)).copied()
    }

    /// Returns the flags that change how the command runs on another host.
    #[cfg(test)]
    pub(in crate::cli) fn known_flags(&self) -> impl Iterator<Item = &'static str> {
        let unchanged = match self.unchanged {
            Unchanged::Without(flag) => Some(flag),
            Unchanged::Never | Unchanged::Piped => None,
        };
        self.flags.iter().map(|(flag, _)| *flag).chain(unchanged)
    }

    /// Returns how the output of the command may be shown here.
    pub(in crate::cli) fn output_mode(&self, given: &[&str], face: OutputFormat) -> OutputMode {
        let OutputFormat { json, coloured, shown } = face;
        let is_unchanged = match self.unchanged {
            Unchanged::Never => false,
            Unchanged::Without(flag) => !given.contains(&flag),
            Unchanged::Piped => !shown,
        };
        match self.mode(given) {
            _ if json => OutputMode::Json,
            _ if is_unchanged => OutputMode::AsPrinted,
            RemoteMode::Redraw if shown => OutputMode::Drawn { coloured },
            _ => OutputMode::Text { coloured },
        }
    }

    /// Returns where the host is added in the output. `agent` is the first agent that the command names.
    pub(in crate::cli) fn host_mark(&self, agent: Option<&str>, face: OutputFormat) -> PrefixTarget {
        match (self.host_in_text, agent) {
            _ if face.json && self.has_host_in_json => PrefixTarget::Objects,
            (HostInText::AgentName, Some(agent)) => PrefixTarget::Name(agent.to_owned()),
            (HostInText::FirstLine, _) => PrefixTarget::Line,
            (HostInText::Nowhere | HostInText::AgentName, _) => PrefixTarget::Nowhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::grammar::commands;

    #[test]
    fn only_raw_output_is_passed_on_unchanged() {
        let person = OutputFormat { json: false, coloured: true, shown: true };
        let pipe = OutputFormat { json: false, coloured: false, shown: false };
        let (text, drawn) = (OutputMode::Text { coloured: true }, OutputMode::Drawn { coloured: true });
        for (words, flags, face, expected) in [
            ("agent show", &[][..], person, text),
            ("agent peek", &[], person, text),
            ("agent logs", &["follow"], person, OutputMode::AsPrinted),
            ("agent logs", &["plain"], person, text),
            ("agent logs", &[], OutputFormat { json: true, ..pipe }, OutputMode::Json),
            ("agent list", &["watch"], person, drawn),
            ("agent list", &["watch"], pipe, OutputMode::Text { coloured: false }),
            ("board get", &[], person, text),
            ("board get", &[], pipe, OutputMode::AsPrinted),
        ] {
            let remote = commands::find(words.split(' ')).unwrap().remote;
            assert_eq!(remote.output_mode(flags, face), expected, "{words} {flags:?}");
        }
    }
}
