//! The message, observations and hints of each error.

mod answers;
mod delivery;
mod handoff;
mod hosts;
mod mail;
mod place;
mod share;
mod trust;

use std::time::Duration;

use super::{Error, Report};
use crate::base::suggest::nearest;
use crate::model::{AgentName, InvalidName, Unsendable, is_deceptive};

impl Error {
    /// Returns the error in presentable form.
    pub fn report(&self) -> Report {
        match self {
            Error::BadName { .. }
            | Error::Usage { .. }
            | Error::NoTerminal { .. }
            | Error::BadTerminal { .. }
            | Error::Unsendable(_) => self.about_usage(),
            Error::NoSuchAgent { .. }
            | Error::NoAgents { .. }
            | Error::WhichAgent { .. }
            | Error::NoSuchSpec { .. }
            | Error::BadSpec { .. }
            | Error::BadParams { .. }
            | Error::LooserTier { .. }
            | Error::NoSuchEnvironment { .. } => self.about_finding(),
            Error::NoSuchTask { .. } | Error::NoAssignee { .. } | Error::WrongTaskState { .. } => {
                self.about_tasks()
            }
            Error::Unreached(_)
            | Error::NoSuchNote { .. }
            | Error::BadKey { .. }
            | Error::NoteTooLong { .. } => self.about_mail(),
            Error::BadHost { .. }
            | Error::NoSuchHost { .. }
            | Error::HostTaken { .. }
            | Error::HostUnreached { .. }
            | Error::HostLacksSymposium { .. }
            | Error::HostOlder { .. }
            | Error::FarFailed { .. }
            | Error::FarError { .. }
            | Error::FarUnknown { .. }
            | Error::LinkLost { .. }
            | Error::LocalOnly { .. }
            | Error::Ssh { .. } => self.about_hosts(),
            Error::NotPermitted { .. } | Error::UnknownCaller { .. } | Error::NoTaskAtHand { .. } => {
                self.about_place()
            }
            Error::NoSuchUser { .. }
            | Error::NotShared { .. }
            | Error::NotSharedWith { .. }
            | Error::StillShared { .. }
            | Error::DoorSilent { .. }
            | Error::ShareNotReady { .. } => self.about_sharing(),
            Error::UntrustedSpec(untrusted) => trust::untrusted_spec(untrusted),
            Error::CannotAnswer { .. }
            | Error::NoSuchOption { .. }
            | Error::AsksForChoice { .. }
            | Error::NothingAsked { .. }
            | Error::AsksAnother { .. }
            | Error::NotYours { .. } => self.about_answers(),
            Error::Refused { .. }
            | Error::NotConfirmed { .. }
            | Error::EndedMeanwhile { .. }
            | Error::CannotSleep { .. }
            | Error::Full { .. }
            | Error::TooMany { .. }
            | Error::SupervisorRuns { .. }
            | Error::TimedOut { .. } => self.about_delivery(),
            Error::BadHandoff { .. }
            | Error::NewerHandoff { .. }
            | Error::SecretsInHandoff { .. }
            | Error::UntrustedHandoff { .. } => self.about_handoffs(),
            Error::TmuxMissing { .. }
            | Error::TmuxTooOld { .. }
            | Error::TmuxSilent { .. }
            | Error::LongSocket { .. }
            | Error::TmuxUnusable { .. }
            | Error::TmuxFailed { .. } => self.about_tmux(),
            _ => self.about_agents(),
        }
    }

    fn about_usage(&self) -> Report {
        match self {
            Error::BadName { given, why: InvalidName::Reserved } => report(
                "bad-name",
                2,
                format!("`{given}` cannot be the name of an agent: it is a reserved word"),
            )
            .hint(format!("choose another name, such as `{given}-1`")),
            Error::BadName { given, why } => {
                report("bad-name", 2, format!("`{}` cannot be a name: {why}", shown(given)))
                    .hint("names are letters, digits, `_` and `-`, at most 63; `--title` takes any text")
            }
            Error::Usage { what, hint } => report("usage", 2, what).maybe(hint.clone()),
            Error::Unsendable(Unsendable::Empty) => {
                report("unsendable", 2, "there is nothing to send: the text is empty")
                    .hint("give a text that is not empty, or `-` to read it from stdin")
            }
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
                let name = name.as_deref().unwrap_or("NAME");
                // A shared agent of another user can only be attached.
                let look = match name.contains('/') {
                    true => String::new(),
                    false => format!(", or look with `symposium agent peek {name}`"),
                };
                report("no-terminal", 2, format!("`agent {verb}` needs a terminal, and this is not one"))
                    .hint(format!("run `symposium agent {verb} {name}` in a terminal{look}"))
            }
            Error::BadTerminal { term, name } => {
                let what = match term.as_str() {
                    "" => "nothing can be shown on this terminal: TERM is not set".to_owned(),
                    term => format!(
                        "nothing can be shown on this terminal: TERM is `{}`, of which too little is known here",
                        shown(term)
                    ),
                };
                let report = report("bad-terminal", 2, what);
                match name {
                    Some(name) => report
                        .hint(format!(
                            "most terminals are this: `TERM=xterm-256color symposium agent attach {name}`"
                        ))
                        .hint(format!("or look with `symposium agent peek {name}`")),
                    None => report
                        .saw("nothing was started")
                        .hint("most terminals are this: `export TERM=xterm-256color`"),
                }
            }
            _ => unreachable_report(self),
        }
    }

    fn about_finding(&self) -> Report {
        match self {
            Error::NoSuchAgent { name, known, verb } => {
                let near = nearest(name, known.iter().map(AgentName::as_str));
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
            Error::NoSuchSpec { name, known, verb } => {
                let near = nearest(name, known.iter().map(String::as_str));
                report("no-such-spec", 3, format!("no spec or kind named `{}`", shown(name)))
                    .saw(format!("known: {}", known.join(", ")))
                    .hint(match near {
                        Some(near) => format!("did you mean `symposium {verb} {near}`?"),
                        None if *verb == "spec show" => "`symposium spec list` shows what was written".into(),
                        None => format!("to run any command: `symposium agent spawn -- {}`", shown(name)),
                    })
            }
            Error::BadSpec { mistakes } => {
                let (first, more) =
                    mistakes.split_first().map_or(("a spec is wrong", [].as_slice()), |(f, m)| (f, m));
                report("bad-spec", 1, first)
                    .saw_all(more)
                    .saw("nothing was started")
                    .hint("mend the file; `symposium spec check` tells every mistake in it")
            }
            Error::BadParams { spec, wrong } => {
                report("bad-params", 2, format!("the parameters do not fit spec `{spec}`"))
                    .saw_all(wrong)
                    .saw("nothing was started")
                    .hint(format!(
                        "`symposium spec show {spec}` tells what it takes; give it with `--param NAME=VALUE`"
                    ))
            }
            Error::LooserTier { spec, why, said } => report("looser-tier", 1, why)
                .saw(format!("spec `{spec}` asks for it ({said}); it would act more freely than that"))
                .saw("nothing was started")
                .hint("choose another `kind`, or take `shell_tier` out of the spec"),
            Error::NoSuchEnvironment { name, known } => {
                let near = nearest(name, known.iter().map(String::as_str));
                let report =
                    report("no-such-environment", 3, format!("no environment named `{}`", shown(name)));
                let report = match known.is_empty() {
                    true => report.saw("there are no named environments yet"),
                    false => report.saw(format!("known: {}", known.join(", "))),
                };
                report.hint(match near {
                    Some(near) => format!("did you mean `--home @{near}`?"),
                    None => format!("make it with `symposium env create {}`", shown(name)),
                })
            }
            _ => unreachable_report(self),
        }
    }

    fn about_tasks(&self) -> Report {
        match self {
            Error::NoSuchTask { id } => report("no-such-task", 3, format!("there is no task {id}"))
                .hint("`symposium task list --all` shows them"),
            Error::NoAssignee { to, agents, specs } => {
                let known = agents.iter().map(AgentName::as_str).chain(specs.iter().map(String::as_str));
                let near = nearest(to, known);
                let report = report("nobody-to-do", 3, format!("no agent or spec named `{}`", shown(to)));
                let report = match agents.is_empty() {
                    true => report.saw("there are no agents yet"),
                    false => report.saw(format!("agents: {}", list(agents))),
                };
                report.saw(format!("specs: {}", specs.join(", "))).saw("nothing was queued").hint(
                    match near {
                        Some(near) => format!("did you mean `symposium task add {near} …`?"),
                        None => "`symposium agent list --all` and `symposium spec list` show them".into(),
                    },
                )
            }
            Error::WrongTaskState { id, state, verb, why } => {
                let attempt = match *verb {
                    "done" => format!("mark task {id} as done"),
                    "fail" => format!("mark task {id} as failed"),
                    "progress" => format!("report progress on task {id}"),
                    verb => format!("{verb} task {id}"),
                };
                let already = if state.is_over() { "already " } else { "" };
                let report = report("task-is", 1, format!("cannot {attempt}: it is {already}{state}"));
                let report = if why.is_empty() { report } else { report.saw(why) };
                report.hint(format!("`symposium task show {id}` tells what happened to it"))
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
            Error::TmuxSilent { what, after, starting } => {
                let report =
                    report("tmux-silent", 4, format!("tmux did not answer within {} ({what})", seconds(*after)))
                        .saw("its agents may well be alive: nothing was taken for gone");
                let report = match starting {
                    Some(name) => report
                        .saw(format!("agent `{name}` may start all the same, as soon as tmux goes on"))
                        .hint(format!("`symposium agent show {name}` tells whether it did; do not start it twice")),
                    None => report,
                };
                report
                    .hint("`symposium doctor` names the server; a stopped one goes on with `kill -CONT PID`")
            }
            Error::LongSocket { path, length, longest } => report(
                "long-socket",
                4,
                format!("the path of tmux's socket has {length} bytes, and the system takes {longest}"),
            )
            .saw(path)
            .hint("set TMUX_TMPDIR to a directory with a shorter path, or name a socket: SYMPOSIUM_TMUX_SOCKET=/tmp/symposium"),
            Error::TmuxUnusable { code, what, saw, hint } => {
                saw.iter().fold(report(code, 4, what.clone()), |report, line| report.saw(line)).hint(hint)
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
                    report = report.saw("last lines:").saw_all(&indented(last_lines));
                }
                report
                    .hint(format!("mend the cause, then `symposium agent restart {name}`"))
                    .hint(format!("or forget it: `symposium agent rm {name}`"))
            }
            Error::NotRunning { name, status } => report("not-running", 1, format!("agent `{name}` does not run: {status}"))
                .hint(format!("bring it back with `symposium agent resume {name}`")),
            Error::InTerminal { name } => report("in-terminal", 1, format!("agent `{name}` runs in the foreground of a terminal, outside tmux"))
                .saw("only that terminal shows it, and only there can one type into it")
                .hint(format!("`symposium agent restart {name}` ends it there and goes on with its conversation in tmux")),
            Error::StillRunning { name, verb } => report("still-running", 1, format!("agent `{name}` is still running"))
                .hint(match *verb {
                    "resume --conversation" => format!("end it first with `symposium agent kill {name}`: an agent is in one conversation at a time"),
                    _ => format!("`symposium agent attach {name}` shows it, `symposium agent restart {name}` starts it again"),
                }),
            Error::RemoveRunning { name, found } => {
                let mut report = report("still-running", 1, format!("agent `{name}` is still running"));
                if !found.is_empty() {
                    report = report.saw("its workspace holds work that exists nowhere else:").saw_all(&indented(found));
                }
                report.saw("nothing was changed").hint(format!("end it first: `symposium agent kill {name}`"))
            }
            Error::Busy { name, by } => report("busy", 1, format!("agent `{name}` is busy: {by}")).hint("try again in a moment"),
            Error::Survivors { name, pids } => {
                report("survivors", 1, format!("some processes of agent `{name}` could not be ended"))
                    .saw(format!("still there: {pids:?}"))
                    .hint("they hang in the kernel (a dead network disk?); try again later")
            }
            Error::State { what, saw, hint } => report("state", 5, what).saw_all(saw).hint(hint),
            Error::BadConfig { what } => report("bad-config", 5, what).hint("mend the file, or move it away"),
            Error::NoServiceManager { asked, said } => report("no-service-manager", 1, "no service manager of this user answers")
                .saw(format!("`{asked}`: {}", shown(said)))
                .saw("nothing was changed")
                .hint("`symposium service install --print` shows what would be installed, to start it in another way")
                .hint("or, after each start of the machine: `symposium agent restore --all`"),
            Error::ServiceRefused { what, said } => report("service-refused", 1, format!("`{what}` failed"))
                .saw(shown(said))
                .hint("`journalctl --user -e` tells more; `symposium service install --print` shows the unit"),
            Error::NoRepository { path } => report("no-repository", 1, format!("`{}` is in no git repository, so it can have no worktree", shown(path)))
                .saw("nothing was started")
                .hint("go into a repository, or make one with `git init`")
                .hint("or start an agent in an empty folder: `symposium agent spawn --workspace scratch`"),
            Error::Workspace { what, saw, hint } => report("workspace", 1, what).saw_all(saw).hint(hint),
            Error::UnsavedWorkInWorktree { name, place, found } => report("work-there", 1, format!("the worktree of agent `{name}` holds work that exists nowhere else"))
                .saw_all(found)
                .saw("nothing was changed")
                .hint(format!("commit and push it in `{place}`"))
                .hint(format!("or remove it and keep a copy of uncommitted files for 30 days: `symposium agent rm --force {name}`")),
            Error::Unsafe { what, hint } => report("unsafe", 1, what).saw("nothing was changed").hint(hint),
            Error::Io { what, source } => report("failed", 1, format!("{what}: {source}")),
            _ => unreachable_report(self),
        }
    }
}

fn report(code: &'static str, exit: u8, message: impl AsRef<str>) -> Report {
    Report { code, exit, message: message.as_ref().to_owned(), saw: Vec::new(), hints: Vec::new() }
}

/// Reports an error that no group handles, which is a bug in this program. Each group handles its own variants.
fn unreachable_report(error: &Error) -> Report {
    report("bug", 70, format!("an error without words: {error:?}"))
}

/// Sanitizes and shortens user input for a line of an error message.
pub fn shown(text: &str) -> String {
    let clean: String = text.chars().map(|c| if is_deceptive(c) { '\u{fffd}' } else { c }).take(81).collect();
    if clean.chars().count() > 80 { clean.chars().take(79).chain(['…']).collect() } else { clean }
}

fn indented(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| format!("  {line}")).collect()
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
