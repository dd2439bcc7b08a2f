//! Converts the errors of adapters into [`Error`], with messages and hints for the user.

use std::io;
use std::path::Path;

use crate::archive::ArchiveError;
use crate::config::ConfigError;
use crate::env::Env;
use crate::error::{Code, Error, seconds, shown};
use crate::kinds::KindError;
use crate::ledger::LedgerError;
use crate::model::is_deceptive;
use crate::specs::SpecError;
use crate::ssh::SshError;
use crate::store::StoreError;
use crate::tmux::{MAX_SOCKET_PATH, TmuxError};

/// Returns a hint with the command that installs tmux on this machine.
pub(super) fn how_to_install_tmux() -> String {
    const MANAGERS: [(&str, &str); 7] = [
        ("/usr/bin/apt-get", "sudo apt-get install tmux"),
        ("/usr/bin/dnf", "sudo dnf install tmux"),
        ("/usr/bin/pacman", "sudo pacman -S tmux"),
        ("/sbin/apk", "sudo apk add tmux"),
        ("/usr/bin/zypper", "sudo zypper install tmux"),
        ("/opt/homebrew/bin/brew", "brew install tmux"),
        ("/usr/local/bin/brew", "brew install tmux"),
    ];
    let here = MANAGERS.iter().find(|(manager, _)| Path::new(manager).exists());
    let command = here.map_or("install tmux with your package manager", |(_, command)| command);
    // root may have no sudo and does not need it.
    let command = if Env::uid() == 0 { command.trim_start_matches("sudo ") } else { command };
    format!("install it: {command}")
}

/// The hint for a tmux server that does not answer.
pub(super) const RESUME_SERVER: &str =
    "`symposium doctor` shows the process of the tmux server; `kill -CONT PID` resumes a stopped one";

fn no_usable_tmux(code: Code, message: String) -> Error {
    Error::new(code, message)
        .hint(how_to_install_tmux())
        .hint("or run the agent in this terminal: `symposium agent spawn --foreground …`")
}

fn tmux_failed(what: &str, output: &str) -> Error {
    let output = output.trim();
    Error::new(Code::TmuxFailed, format!("tmux: {what}"))
        .saw(if output.is_empty() { "it gave no reason" } else { output })
        .hint("`symposium doctor` checks the server")
}

impl From<TmuxError> for Error {
    fn from(error: TmuxError) -> Error {
        match error {
            TmuxError::Missing { .. } => {
                no_usable_tmux(Code::TmuxMissing, "tmux is not installed, or not in PATH".into())
            }
            TmuxError::TooOld { version, .. } => no_usable_tmux(
                Code::TmuxTooOld,
                format!("tmux is too old: found {version}, 3.2 or newer is needed"),
            ),
            TmuxError::OtherVersion { ref program, ref server, .. } => {
                let program = program.display();
                Error::new(Code::TmuxVersion, error.to_string())
                    .saw("a client of another version may not be able to show a screen")
                    .hint(format!("put tmux {server} before `{program}` in PATH"))
            }
            TmuxError::LongSocket { .. } | TmuxError::UnsafeDirectory { .. } => unusable_socket(error),
            TmuxError::TimedOut { what, bound } => {
                let after = seconds(bound);
                Error::new(Code::TmuxTimedOut, format!("tmux did not answer within {after} ({what})"))
                    .saw("its agents may still be running; their status was not changed")
                    .hint(RESUME_SERVER)
            }
            TmuxError::NoDirectory { path } => {
                Error::bad_directory(&path.display().to_string(), "it no longer exists")
            }
            TmuxError::Duplicate { session } => Error::not_safe(format!(
                "a tmux session named `{session}` exists and does not belong to this agent"
            ))
            .hint(
                "use another name (`--name`, or `symposium agent rename`), or end that session if it is unused: \
                 it may belong to an agent of another environment on this tmux server",
            ),
            TmuxError::NoDescriptors { open, limit, .. } => Error::new(Code::TmuxFull, error.to_string())
                .saw(format!(
                    "{open} of {limit} are open; an agent needs about 2, an attached terminal 2 more"
                ))
                .hint(
                    "end agents that are not needed (`symposium agent kill NAME`), or raise the hard limit \
                     (`ulimit -Hn`) and start the server again with `symposium agent restore --all`",
                ),
            TmuxError::Refused { what, output } | TmuxError::Garbled { what, output } => {
                tmux_failed(&format!("{what} failed"), &output)
            }
            TmuxError::File { ref source, .. } | TmuxError::NotRun { ref source, .. } => {
                tmux_failed(&error.to_string(), &source.to_string())
            }
            other => tmux_failed(&other.to_string(), ""),
        }
    }
}

/// Returns the error for a tmux socket whose path is too long or whose directory is not safe.
fn unusable_socket(error: TmuxError) -> Error {
    match error {
        TmuxError::LongSocket { path, length } => Error::new(
            Code::SocketPathTooLong,
            format!("the path of the tmux socket has {length} bytes, but the limit is {MAX_SOCKET_PATH}"),
        )
        .saw(path.display().to_string())
        .hint(
            "set TMUX_TMPDIR to a directory with a shorter path, or choose a socket: \
             SYMPOSIUM_TMUX_SOCKET=/tmp/symposium",
        ),
        TmuxError::UnsafeDirectory { path, why } => Error::new(
            Code::TmuxSocket,
            format!("the directory of the tmux socket, `{}`, is not safe to use", path.display()),
        )
        .saw(why)
        .hint(
            "use another socket: SYMPOSIUM_TMUX_SOCKET=$HOME/.symposium/run/tmux.sock, or set TMUX_TMPDIR to \
             a directory of your own",
        ),
        other => tmux_failed(&other.to_string(), ""),
    }
}

impl From<ArchiveError> for Error {
    fn from(error: ArchiveError) -> Error {
        let what = error.to_string();
        match error {
            ArchiveError::Exists(_) => {
                Error::not_safe(what).hint("choose another file with `-o`, or replace it with `--force`")
            }
            ArchiveError::Read { path, source } => {
                Error::io(format!("cannot read `{}`", path.display()))(source)
            }
            ArchiveError::Write { path, source } => {
                Error::io(format!("cannot write `{}`", path.display()))(source)
            }
            ArchiveError::Newer { path, found, known, needs } => {
                let needed = needs.as_deref().map_or_else(
                    || "a newer one".to_owned(),
                    |version| format!("{} or newer", shown(version)),
                );
                Error::new(
                    Code::NewerHandoff,
                    format!(
                        "`{}` was created by a newer version of symposium (format {found}, this version supports {known})",
                        shown(&path.display().to_string())
                    ),
                )
                .saw("nothing was changed")
                .hint(format!("upgrade symposium to {needed}"))
            }
            ArchiveError::TooBig { .. } => Error::not_safe(format!("the hand-off cannot be created: {what}"))
                .hint("push the branch first, so that the hand-off contains less"),
            ArchiveError::NotAHandoff { .. } | ArchiveError::Damaged { .. } => Error::new(
                Code::BadHandoff,
                what.replace(char::is_control, "\u{fffd}"),
            )
            .saw("nothing was changed")
            .hint("copy it again, or ask its author for a new one: `symposium agent handoff export NAME`"),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        let what = error.to_string();
        let (saw, hint) = match &error {
            StoreError::AgentBusy { name, pid, doing } => {
                let by = pid
                    .map_or_else(|| doing.clone(), |pid| format!("`{doing}` is under way (process {pid})"));
                return Error::busy(name, by);
            }
            StoreError::NewerFormat { path, found, known } => {
                let what = format!(
                    "cannot read {}: it was written by a newer version of symposium (format {found}, this version supports {known})",
                    path.display()
                );
                let hint = "upgrade symposium, or set SYMPOSIUM_HOME to use another directory".to_owned();
                return Error::new(Code::State, what).saw("nothing was changed").hint(hint);
            }
            // A sticky directory, such as /tmp, is writable for all users on purpose.
            StoreError::WritableByOthers { mode, .. } if mode & 0o1000 != 0 => (
                "other users could add agents here",
                "set SYMPOSIUM_HOME, or `--home`, to a directory of your own".to_owned(),
            ),
            StoreError::WritableByOthers { path, .. } => {
                ("other users could add agents here", format!("chmod go-w {}", path.display()))
            }
            StoreError::NotOurs { .. } => (
                "its owner could add agents here",
                "set SYMPOSIUM_HOME, or `--home`, to a directory of your own".to_owned(),
            ),
            StoreError::Symlink { path } => {
                let target = std::fs::read_link(path).ok().and_then(|to| to.parent().map(Path::to_path_buf));
                let place = target
                    .map_or_else(|| "the directory it points to".into(), |dir| dir.display().to_string());
                (
                    "a write replaces the file, which would break the link",
                    format!("use the target directory itself: SYMPOSIUM_HOME={place}"),
                )
            }
            StoreError::Write { source, .. } | StoreError::Home { source, .. } if is_full(source) => {
                ("nothing was changed", "free some space, then try again".to_owned())
            }
            StoreError::Write { .. } | StoreError::Home { .. } | StoreError::Lock { .. } => (
                "nothing was changed",
                "check that the directory is writable, or set SYMPOSIUM_HOME to use another".to_owned(),
            ),
            StoreError::LockTimeout { path, .. } => (
                "another symposium command hangs",
                format!("find the process that holds it: fuser {}", path.display()),
            ),
            StoreError::CannotRepair { .. } => {
                ("nothing was changed", "fix the cause, then try again".to_owned())
            }
            _ => ("nothing was changed", "`symposium doctor` checks the installation".to_owned()),
        };
        Error::new(Code::State, what).saw(saw.to_owned()).hint(hint)
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl From<KindError> for Error {
    fn from(error: KindError) -> Error {
        Error::bad_config(error.to_string())
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Error {
        Error::bad_config(error.to_string())
    }
}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Error {
        match error {
            SpecError::NoSuchSpec { name, known, .. } => Error::no_such_spec(name, known, "agent spawn"),
            SpecError::Mistakes(mistakes) => Error::bad_spec(mistake_lines(&mistakes)),
            SpecError::Unreadable { .. } | SpecError::NotASpec { .. } => {
                Error::bad_spec(mistake_lines(&[error]))
            }
        }
    }
}

/// Formats the mistakes in a spec. A path or the content of a file may contain terminal escape sequences.
pub(super) fn mistake_lines(mistakes: &[impl ToString]) -> Vec<String> {
    mistakes.iter().map(|mistake| mistake.to_string().replace(is_deceptive, "\u{fffd}")).collect()
}

impl From<SshError> for Error {
    fn from(error: SshError) -> Error {
        Error::new(Code::Ssh, error.to_string()).hint(
            "install the OpenSSH client, or name it in config.toml: `[hosts]`, `ssh = \"/path/to/ssh\"`",
        )
    }
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Error {
        let hint = match &error {
            LedgerError::Newer { .. } => "upgrade symposium, or set SYMPOSIUM_HOME to use another directory",
            LedgerError::Full { .. } => "free some space, then try again",
            // A command that only reads does not repair the ledger.
            LedgerError::Damaged { .. } => {
                "`symposium supervisor start` moves it aside and creates a new one with the tasks that can be read"
            }
            _ => "`symposium doctor` checks the installation",
        };
        Error::new(Code::State, error.to_string()).hint(hint)
    }
}
