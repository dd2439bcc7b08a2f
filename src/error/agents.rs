//! Errors about the state of an agent, its processes and its directory.

use super::{Code, Error, indented, listed, shown};
use crate::base::plural::counted;
use crate::model::{AgentName, InvalidName};

impl Error {
    /// The text cannot be the name of an agent.
    pub(crate) fn bad_name(given: &str, why: InvalidName) -> Error {
        match why {
            InvalidName::Reserved => Error::new(
                Code::BadName,
                format!("`{given}` cannot be the name of an agent: it is a reserved word"),
            )
            .hint(format!("choose another name, such as `{given}-1`")),
            why => Error::new(Code::BadName, format!("`{}` cannot be a name: {why}", shown(given)))
                .hint("names are letters, digits, `_` and `-`, at most 63; `--title` takes any text"),
        }
    }

    /// The name is in use.
    pub(crate) fn name_taken(name: &AgentName) -> Error {
        Error::new(Code::NameTaken, format!("an agent named `{name}` already exists"))
            .hint(format!("attach to it with `symposium agent attach {name}`, or choose another name"))
    }

    /// There is no agent to act on.
    pub(crate) fn no_agents(what: &str) -> Error {
        Error::new(Code::NoAgents, what)
            .hint("`symposium agent spawn` starts one, `symposium agent list --all` shows all")
    }

    /// The agent has no process to act on.
    pub(crate) fn not_running(name: &AgentName, status: impl AsRef<str>) -> Error {
        Error::new(Code::NotRunning, format!("agent `{name}` is not running: {}", status.as_ref()))
            .hint(format!("resume it with `symposium agent resume {name}`"))
    }

    /// The agent runs in a terminal outside of tmux, so no other terminal can attach to it.
    pub(crate) fn in_terminal(name: &AgentName) -> Error {
        Error::new(
            Code::InTerminal,
            format!("agent `{name}` runs in the foreground of a terminal, outside tmux"),
        )
        .saw("it can be seen and typed into only in that terminal")
        .hint(format!(
            "`symposium agent restart {name}` ends it there and continues its conversation in tmux"
        ))
    }

    /// The agent still has a running process.
    pub(crate) fn still_running(name: &AgentName) -> Error {
        Error::new(Code::StillRunning, format!("agent `{name}` is still running"))
    }

    /// Another command is working on the agent.
    pub(crate) fn busy(name: &AgentName, by: impl AsRef<str>) -> Error {
        Error::new(Code::Busy, format!("agent `{name}` is busy: {}", by.as_ref()))
            .hint("try again in a moment")
    }

    /// Some processes could not be ended.
    pub(crate) fn survivors(name: &AgentName, pids: &[i32]) -> Error {
        Error::new(Code::ProcessesSurvived, format!("some processes of agent `{name}` could not be ended"))
            .saw(format!("still running: {pids:?}"))
            .hint("they may be blocked in the kernel, for example by an unreachable network disk; try again later")
    }

    /// The maximum number of running agents is reached.
    pub(crate) fn full(live: usize, starting: usize, max: u32) -> Error {
        let starting = match starting {
            0 => String::new(),
            1 => " and 1 is starting".to_owned(),
            several => format!(" and {several} are starting"),
        };
        let live = counted(live, "agent is running", "agents are running");
        Error::new(Code::MaxAgentsReached, format!("{live}{starting}; `max_agents` is {max}"))
            .saw("none of them is idle without an attached client")
            .hint("end one with `symposium agent kill NAME`, or raise `max_agents` in config.toml")
    }

    /// The maximum number of agents of a spec or below a parent is reached.
    pub(crate) fn too_many(what: String, there: &[AgentName]) -> Error {
        let error = Error::new(Code::TooManyAgents, what);
        let error =
            if there.is_empty() { error } else { error.saw(format!("existing agents: {}", listed(there))) };
        error.saw("nothing was started").hint(format!(
            "end one with `symposium agent kill {}`, or raise the limit in its spec",
            there.first().map_or("NAME", AgentName::as_str)
        ))
    }

    /// The program of a kind is not installed.
    pub(crate) fn program_missing(program: &str, kind: &str, install: &str) -> Error {
        let error = Error::new(Code::ProgramMissing, format!("`{program}` is not installed, or not in PATH"))
            .saw("nothing was started");
        match install {
            "" => error
                .hint(format!("install the program of kind `{kind}`, or try `symposium agent spawn demo`")),
            install => error.hint(install).hint("or try `symposium agent spawn demo`"),
        }
    }

    /// The working directory cannot be used.
    pub(crate) fn bad_directory(path: &str, why: &str) -> Error {
        Error::new(Code::BadDirectory, format!("cannot work in `{}`: {why}", shown(path)))
            .hint("choose another directory with `--dir`")
    }

    /// The directory in which an agent worked does not exist any more.
    pub(crate) fn directory_gone(name: &AgentName, path: &str) -> Error {
        Error::new(
            Code::BadDirectory,
            format!("agent `{name}` cannot work in `{}`: it no longer exists", shown(path)),
        )
        .hint(format!("restore the directory, or remove the agent with `symposium agent rm {name}`"))
    }

    /// A worktree was requested outside of a repository.
    pub(crate) fn no_repository(path: &str) -> Error {
        Error::new(
            Code::NoRepository,
            format!("`{}` is not in a git repository, so no worktree can be created", shown(path)),
        )
        .saw("nothing was started")
        .hint("change to a repository, or create one with `git init`")
        .hint("or start an agent in an empty directory: `symposium agent spawn --workspace scratch`")
    }

    /// A worktree contains unsaved work.
    pub(crate) fn unsaved_work(name: &AgentName, worktree: &str, found: Vec<String>) -> Error {
        Error::new(
            Code::UnsavedWork,
            format!("the worktree of agent `{name}` contains unsaved work"),
        )
        .saw_all(found)
        .saw("nothing was changed")
        .hint(format!("commit and push it in `{worktree}`"))
        .hint(format!(
            "or remove it and keep a copy of uncommitted files for 30 days: `symposium agent rm --force {name}`"
        ))
    }

    /// Adds the last lines of an agent's output.
    pub(crate) fn saw_last_lines(self, lines: &[String]) -> Error {
        if lines.is_empty() { self } else { self.saw("last lines:").saw_all(indented(lines)) }
    }
}
