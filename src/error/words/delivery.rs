//! Messages for agents that could not receive a prompt, be hibernated, be started or be waited for.

use super::{list, report, seconds, unreachable_report};
use crate::base::plural::counted;
use crate::error::{Error, Report, Typed};
use crate::model::AgentName;
use crate::rules::tasks::typing::Refusal;

impl Error {
    pub(super) fn about_delivery(&self) -> Report {
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
            Error::NotConfirmed { name, why, saw, .. } => {
                report("not-confirmed", 6, format!("delivery to agent `{name}` is not confirmed: {why}"))
                    .saw_all(saw)
                    .hint(format!(
                        "look with `symposium agent peek {name}`, or `symposium agent attach {name}`"
                    ))
            }
            Error::EndedMeanwhile { name, exit, last_lines, typed } => {
                let how =
                    exit.map_or_else(|| "it has ended".to_owned(), |exit| format!("it ended with {exit}"));
                let typed = if *typed == Typed::Nothing { "; nothing was typed" } else { "" };
                let mut report = report(
                    "ended-meanwhile",
                    6,
                    format!("delivery to agent `{name}` is not confirmed: {how}{typed}"),
                );
                if !last_lines.is_empty() {
                    let lines: Vec<String> = last_lines.iter().map(|line| format!("  {line}")).collect();
                    report = report.saw("last lines:").saw_all(&lines);
                }
                report.hint(format!(
                    "`symposium agent resume {name}` brings it back, `symposium agent logs {name}` shows all it said"
                ))
            }
            Error::CannotSleep { name, kind, status } => {
                report("cannot-sleep", 1, format!("agent `{name}` cannot be put to sleep"))
                    .saw(format!("it is {status}, of kind `{kind}`"))
                    .hint("only idle agents of a kind that can resume a conversation can")
                    .hint(format!("end it with `symposium agent stop {name}`"))
            }
            Error::Full { live, starting, max } => {
                let starting = match starting {
                    0 => String::new(),
                    1 => " and 1 is being started".to_owned(),
                    several => format!(" and {several} are being started"),
                };
                report(
                    "full",
                    1,
                    format!(
                        "{}{starting}, and `max_agents` is {max}",
                        counted(*live, "agent runs", "agents run")
                    ),
                )
                .saw("none of them is idle without an attached client")
                .hint("stop one with `symposium agent stop NAME`, or raise `max_agents` in config.toml")
            }
            Error::TooMany { what, there } => {
                let report = report("too-many", 1, what);
                let report =
                    if there.is_empty() { report } else { report.saw(format!("there are {}", list(there))) };
                report.saw("nothing was started").hint(format!(
                    "end one with `symposium agent kill {}`, or raise the limit in its spec",
                    there.first().map_or("NAME", AgentName::as_str)
                ))
            }
            Error::SupervisorRuns { pid } => {
                let who = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
                report("supervisor-runs", 1, format!("a supervisor runs already{who}")).hint(
                    "stop it first: `symposium supervisor stop`; `symposium supervisor status` tells of it",
                )
            }
            Error::TimedOut { what, after } => {
                report("timed-out", 7, format!("{what} within {}", seconds(*after)))
            }
            _ => unreachable_report(self),
        }
    }
}
