//! The closed list of situations that a user can meet: a code for programs, a message, what we saw, hints that
//! can be pasted, an exit code. Edges say what went wrong; here it gets its words.

use std::time::Duration;

use crate::model::{AgentName, Exit, InvalidName, Unsendable};
use crate::rules::delivery::Refusal;

/// Everything that can go wrong, as a user meets it.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are the words of the messages in `report`")]
pub enum Error {
    /// A name that cannot be one.
    BadName { given: String, why: InvalidName },
    /// An argument that makes no sense.
    Usage { what: String, hint: Option<String> },
    /// There is no agent of that name.
    NoSuchAgent { name: String, known: Vec<AgentName>, verb: &'static str },
    /// Nobody is here to act on.
    NoAgents { what: String },
    /// Several would fit and nobody can be asked.
    WhichAgent { candidates: Vec<AgentName>, verb: &'static str },
    /// The name is in use.
    NameTaken { name: AgentName },
    /// There is no kind or spec of that name.
    NoSuchSpec { name: String, known: Vec<String> },
    /// The program of a kind is not installed.
    ProgramMissing { program: String, kind: String, install: String },
    /// The directory to work in cannot be used.
    BadDirectory { path: String, why: String },
    /// The directory that an agent worked in is gone.
    DirectoryGone { name: AgentName, path: String },
    /// The agent was gone as soon as it was there.
    ExitedAtOnce { name: AgentName, exit: Option<Exit>, after: Duration, last_lines: Vec<String> },
    /// The agent has no process to act on.
    NotRunning { name: AgentName, status: String },
    /// The agent still has one.
    StillRunning { name: AgentName, verb: &'static str },
    /// Another command is working on the agent.
    Busy { name: AgentName, by: String },
    /// Processes could not be ended.
    Survivors { name: AgentName, pids: Vec<i32> },
    /// A text that cannot be typed at all.
    Unsendable(Unsendable),
    /// A text that this program cannot take.
    Refused { name: AgentName, why: Refusal },
    /// A prompt was not typed, or could not be confirmed.
    NotConfirmed { name: AgentName, why: String, saw: Vec<String> },
    /// What was waited for did not happen.
    TimedOut { what: String, after: Duration },
    /// A terminal is needed.
    NoTerminal { verb: &'static str, name: Option<AgentName> },
    /// tmux is not installed.
    TmuxMissing { install: String },
    /// tmux is too old.
    TmuxTooOld { found: String, install: String },
    /// tmux did not answer in time.
    TmuxSilent { what: String, after: Duration },
    /// tmux refused something.
    TmuxFailed { what: String, said: String },
    /// The state directory or a file in it cannot be used.
    State { what: String, saw: Vec<String>, hint: String },
    /// The user's own files hold a mistake.
    BadConfig { what: String },
    /// A request that would lose something.
    Unsafe { what: String, hint: String },
    /// An operation of the system failed.
    Io { what: String, source: std::io::Error },
}

/// An error in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// For programs.
    pub code: &'static str,
    /// The exit code.
    pub exit: u8,
    /// What happened.
    pub message: String,
    /// What we saw.
    pub saw: Vec<String>,
    /// What to do.
    pub hints: Vec<String>,
}

impl Error {
    /// Wraps a failure of the system with what was being done.
    pub fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
        let what = what.into();
        move |source| Error::Io { what, source }
    }

    /// The error in its words.
    pub fn report(&self) -> Report {
        match self {
            Error::BadName { .. } | Error::Usage { .. } | Error::NoTerminal { .. } | Error::Unsendable(_) => {
                self.about_usage()
            }
            Error::NoSuchAgent { .. }
            | Error::NoAgents { .. }
            | Error::WhichAgent { .. }
            | Error::NoSuchSpec { .. } => self.about_finding(),
            Error::Refused { .. } | Error::NotConfirmed { .. } | Error::TimedOut { .. } => {
                self.about_delivery()
            }
            Error::TmuxMissing { .. }
            | Error::TmuxTooOld { .. }
            | Error::TmuxSilent { .. }
            | Error::TmuxFailed { .. } => self.about_tmux(),
            _ => self.about_agents(),
        }
    }

    fn about_usage(&self) -> Report {
        match self {
            Error::BadName { given, why } => {
                report("bad-name", 2, format!("`{}` cannot be a name: {why}", shown(given)))
                    .hint("names are letters, digits, `_` and `-`, at most 63; `--title` takes any text")
            }
            Error::Usage { what, hint } => report("usage", 2, what).maybe(hint.clone()),
            Error::Unsendable(why) => {
                report("unsendable", 2, format!("this text cannot be typed into a terminal: {why}"))
                    .hint("remove it, or put the text into a file and tell the agent to read that file")
            }
            Error::NoTerminal { verb: verb @ "spawn --attach", .. } => {
                report("no-terminal", 2, format!("`agent {verb}` needs a terminal, and this is not one"))
                    .saw("nothing was started")
                    .hint("leave `--attach` away, and go to it later with `symposium agent attach`")
            }
            Error::NoTerminal { verb, name } => {
                let name = name.as_ref().map_or_else(|| "NAME".to_owned(), ToString::to_string);
                report("no-terminal", 2, format!("`agent {verb}` needs a terminal, and this is not one"))
                    .hint(format!("run `symposium agent {verb} {name}` in a terminal, or look with `symposium agent peek {name}`"))
            }
            _ => unreachable_report(self),
        }
    }

    fn about_finding(&self) -> Report {
        match self {
            Error::NoSuchAgent { name, known, verb } => {
                let near = closest(name, known.iter().map(AgentName::as_str));
                let mut report = report("no-such-agent", 3, format!("no agent named `{}`", shown(name)));
                if known.is_empty() {
                    return report.saw("there are no agents yet").hint("`symposium agent spawn` starts one");
                }
                report = report.saw(format!("known agents: {}", list(known)));
                match near {
                    Some(near) => report.hint(format!("did you mean `symposium agent {verb} {near}`?")),
                    None => report.hint("`symposium agent list --all` shows them"),
                }
            }
            Error::NoAgents { what } => report("no-agents", 3, what)
                .hint("`symposium agent spawn` starts one, `symposium agent list --all` shows all"),
            Error::WhichAgent { candidates, verb } => {
                report("which-agent", 2, "several agents would fit").saw(list(candidates)).hint(format!(
                    "name one: `symposium agent {verb} {}`",
                    candidates.first().map_or("NAME", AgentName::as_str)
                ))
            }
            Error::NoSuchSpec { name, known } => {
                let near = closest(name, known.iter().map(String::as_str));
                report("no-such-spec", 3, format!("no spec or kind named `{}`", shown(name)))
                    .saw(format!("known: {}", known.join(", ")))
                    .hint(match near {
                        Some(near) => format!("did you mean `symposium agent spawn {near}`?"),
                        None => format!("to run any command: `symposium agent spawn -- {}`", shown(name)),
                    })
            }
            _ => unreachable_report(self),
        }
    }

    fn about_delivery(&self) -> Report {
        match self {
            Error::Refused { name, why } => {
                let report = report("refused", 6, format!("agent `{name}` cannot take this text: {why}"))
                    .saw("nothing was typed");
                match why {
                    Refusal::ManyLines { .. } => report.hint(format!(
                        "`symposium agent send {name} --as-lines -` sends each line as an input of its own"
                    )),
                    _ => report.hint("put the text into a file and send the file's name"),
                }
            }
            Error::NotConfirmed { name, why, saw } => {
                report("not-confirmed", 6, format!("delivery to agent `{name}` is not confirmed: {why}"))
                    .saw_all(saw)
                    .hint(format!(
                        "look with `symposium agent peek {name}`, or `symposium agent attach {name}`"
                    ))
            }
            Error::TimedOut { what, after } => {
                report("timed-out", 7, format!("{what} within {}", seconds(*after)))
            }
            _ => unreachable_report(self),
        }
    }

    fn about_tmux(&self) -> Report {
        match self {
            Error::TmuxMissing { install } => {
                report("tmux-missing", 4, "tmux is not installed, or not in PATH")
                    .hint(install)
                    .hint("or run the agent in this terminal: `symposium agent spawn --foreground …`")
            }
            Error::TmuxTooOld { found, install } => {
                report("tmux-too-old", 4, format!("tmux is too old: found {found}, 3.2 or newer is needed"))
                    .hint(install)
                    .hint("or run the agent in this terminal: `symposium agent spawn --foreground …`")
            }
            Error::TmuxSilent { what, after } => {
                report("tmux-silent", 4, format!("tmux did not answer within {} ({what})", seconds(*after)))
                    .saw("its agents may well be alive: nothing was taken for gone")
                    .hint("`symposium doctor` names the server; a stopped one goes on with `kill -CONT PID`")
            }
            Error::TmuxFailed { what, said } => report("tmux-failed", 4, format!("tmux: {what}"))
                .saw(if said.trim().is_empty() {
                    "it gave no reason".to_owned()
                } else {
                    said.trim().to_owned()
                })
                .hint("`symposium doctor` checks the server"),
            _ => unreachable_report(self),
        }
    }

    fn about_agents(&self) -> Report {
        match self {
            Error::NameTaken { name } => report("name-taken", 1, format!("there is an agent named `{name}` already"))
                .hint(format!("go to it with `symposium agent attach {name}`, or choose another name")),
            Error::ProgramMissing { program, kind, install } => {
                let report = report("program-missing", 1, format!("`{program}` is not installed, or not in PATH")).saw("nothing was started");
                match install.as_str() {
                    "" => report.hint(format!("install the program of kind `{kind}`, or try `symposium agent spawn demo`")),
                    install => report.hint(install).hint("or try `symposium agent spawn demo`"),
                }
            }
            Error::BadDirectory { path, why } => {
                report("bad-directory", 1, format!("cannot work in `{}`: {why}", shown(path))).hint("name another with `--dir`")
            }
            Error::DirectoryGone { name, path } => {
                report("bad-directory", 1, format!("agent `{name}` cannot work in `{}`: it is not there any more", shown(path)))
                    .hint(format!("put the directory back, or forget the agent with `symposium agent rm {name}`"))
            }
            Error::ExitedAtOnce { name, exit, after, last_lines } => {
                let how = exit.map_or_else(|| "code unknown".to_owned(), |exit| exit.to_string());
                let mut report = report(
                    "exited-at-once",
                    1,
                    format!("agent `{name}` exited as soon as it started ({how}, after {})", seconds(*after)),
                );
                if !last_lines.is_empty() {
                    report = report.saw("last lines:").saw_all(&last_lines.iter().map(|l| format!("  {l}")).collect::<Vec<_>>());
                }
                report
                    .hint(format!("mend the cause, then `symposium agent restart {name}`"))
                    .hint(format!("or forget it: `symposium agent rm {name}`"))
            }
            Error::NotRunning { name, status } => report("not-running", 1, format!("agent `{name}` does not run: {status}"))
                .hint(format!("bring it back with `symposium agent resume {name}`")),
            Error::StillRunning { name, verb } => report("still-running", 1, format!("agent `{name}` is still running"))
                .hint(match *verb {
                    "rm" => format!("end it first with `symposium agent kill {name}`, or `symposium agent rm --force {name}`"),
                    _ => format!("`symposium agent attach {name}` shows it, `symposium agent restart {name}` starts it again"),
                }),
            Error::Busy { name, by } => report("busy", 1, format!("agent `{name}` is busy: {by}")).hint("try again in a moment"),
            Error::Survivors { name, pids } => {
                report("survivors", 1, format!("some processes of agent `{name}` could not be ended"))
                    .saw(format!("still there: {pids:?}"))
                    .hint("they hang in the kernel (a dead network disk?); try again later")
            }
            Error::State { what, saw, hint } => report("state", 5, what).saw_all(saw).hint(hint),
            Error::BadConfig { what } => report("bad-config", 5, what).hint("mend the file, or move it away"),
            Error::Unsafe { what, hint } => report("unsafe", 1, what).saw("nothing was changed").hint(hint),
            Error::Io { what, source } => report("failed", 1, format!("{what}: {source}")),
            _ => unreachable_report(self),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.report().message)
    }
}

impl std::error::Error for Error {}

fn report(code: &'static str, exit: u8, message: impl AsRef<str>) -> Report {
    Report { code, exit, message: message.as_ref().to_owned(), saw: Vec::new(), hints: Vec::new() }
}

/// Each group handles its own variants; one that slipped through is our bug and says so.
fn unreachable_report(error: &Error) -> Report {
    report("bug", 70, format!("an error without words: {error:?}"))
}

impl Report {
    fn saw(mut self, line: impl AsRef<str>) -> Report {
        self.saw.push(line.as_ref().to_owned());
        self
    }

    fn saw_all(mut self, lines: &[String]) -> Report {
        self.saw.extend_from_slice(lines);
        self
    }

    fn hint(mut self, hint: impl AsRef<str>) -> Report {
        self.hints.push(hint.as_ref().to_owned());
        self
    }

    fn maybe(mut self, hint: Option<String>) -> Report {
        self.hints.extend(hint);
        self
    }
}

/// Something a user typed, made fit for a line of an error message.
pub fn shown(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(81).collect();
    if clean.chars().count() > 80 { clean.chars().take(79).chain(['…']).collect() } else { clean }
}

fn seconds(duration: Duration) -> String {
    let secs = duration.as_secs_f64();
    if secs >= 10.0 { format!("{secs:.0}s") } else { format!("{secs:.1}s") }
}

fn list(names: &[AgentName]) -> String {
    const SHOWN: usize = 12;
    let mut text = names.iter().take(SHOWN).map(AgentName::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

fn closest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (strsim::jaro_winkler(given, name), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_is_guessed() {
        let known = ["api-fix", "docs", "web"].map(|n| n.parse().unwrap()).to_vec();
        let report = Error::NoSuchAgent { name: "api-fx".into(), known, verb: "attach" }.report();
        assert_eq!(report.message, "no agent named `api-fx`");
        assert_eq!(report.saw, ["known agents: api-fix, docs, web"]);
        assert_eq!(report.hints, ["did you mean `symposium agent attach api-fix`?"]);
        assert_eq!(report.exit, 3);
    }

    #[test]
    fn an_early_exit_shows_code_and_last_lines() {
        let report = Error::ExitedAtOnce {
            name: "api-fix".parse().unwrap(),
            exit: Some(Exit { code: Some(1), signal: None }),
            after: Duration::from_millis(400),
            last_lines: vec!["Invalid API key".into()],
        }
        .report();
        assert_eq!(report.message, "agent `api-fix` exited as soon as it started (code 1, after 0.4s)");
        assert_eq!(report.saw, ["last lines:", "  Invalid API key"]);
    }

    #[test]
    fn hostile_input_does_not_reach_the_terminal() {
        assert_eq!(shown("a\u{1b}[2Jb\n"), "a\u{fffd}[2Jb\u{fffd}");
        assert_eq!(shown(&"x".repeat(300)).chars().count(), 80);
    }
}
