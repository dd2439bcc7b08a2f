//! Converts the errors of adapters into [`Error`], with messages and hints for the user.

use std::io;
use std::path::Path;

use crate::archive::ArchiveError;
use crate::config::ConfigError;
use crate::env::Env;
use crate::error::Error;
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

impl From<TmuxError> for Error {
    fn from(error: TmuxError) -> Error {
        match error {
            TmuxError::Missing { .. } => Error::TmuxMissing { install: how_to_install_tmux() },
            TmuxError::TooOld { version, .. } => {
                Error::TmuxTooOld { found: version, install: how_to_install_tmux() }
            }
            TmuxError::TimedOut { what, bound } => {
                Error::TmuxSilent { what: what.into(), after: bound, starting: None }
            }
            TmuxError::LongSocket { path, length } => {
                Error::LongSocket { path: path.display().to_string(), length, longest: MAX_SOCKET_PATH }
            }
            TmuxError::NoDirectory { path } => Error::BadDirectory {
                path: path.display().to_string(),
                why: "it is not there any more".into(),
            },
            TmuxError::Duplicate { session } => Error::Unsafe {
                what: format!("a tmux session named `{session}` is there, and it is not this agent's"),
                hint: "use another name (`--name`, or `symposium agent rename`), or end that session if it is unused: \
                       it may be an agent of another home on this tmux server"
                    .into(),
            },
            TmuxError::OtherVersion { ref program, ref server, .. } => Error::TmuxUnusable {
                code: "tmux-version",
                what: error.to_string(),
                saw: vec!["a client of another version may not be able to show a screen".into()],
                hint: format!("put tmux {server} before `{}` in PATH", program.display()),
            },
            TmuxError::NoDescriptors { open, limit } => Error::TmuxUnusable {
                code: "tmux-full",
                what: error.to_string(),
                saw: vec![format!("{open} of {limit} are open; an agent needs about 2, a terminal 2 more")],
                hint: "end agents that are not needed (`symposium agent kill NAME`), or raise the hard limit \
                       (`ulimit -Hn`) and start the server again with `symposium agent restore --all`"
                    .into(),
            },
            TmuxError::UnsafeDirectory { ref path, ref why } => Error::TmuxUnusable {
                code: "tmux-socket",
                what: format!("the directory of tmux's socket, `{}`, is not safe to use", path.display()),
                saw: vec![why.clone()],
                hint: "use another socket: SYMPOSIUM_TMUX_SOCKET=$HOME/.symposium/run/tmux.sock, or set TMUX_TMPDIR \
                       to a directory of your own"
                    .into(),
            },
            TmuxError::Refused { what, said } | TmuxError::Garbled { what, said } => {
                Error::TmuxFailed { what: format!("{what} failed"), said }
            }
            TmuxError::File { ref source, .. } | TmuxError::NotRun { ref source, .. } => {
                Error::TmuxFailed { what: error.to_string(), said: source.to_string() }
            }
            other => Error::TmuxFailed { what: other.to_string(), said: String::new() },
        }
    }
}

impl From<ArchiveError> for Error {
    fn from(error: ArchiveError) -> Error {
        let what = error.to_string();
        match error {
            ArchiveError::Exists(_) => Error::Unsafe {
                what,
                hint: "name another file with `-o`, or replace it with `--force`".into(),
            },
            ArchiveError::Read { path, source } => {
                Error::io(format!("cannot read `{}`", path.display()))(source)
            }
            ArchiveError::Write { path, source } => {
                Error::io(format!("cannot write `{}`", path.display()))(source)
            }
            ArchiveError::Newer { path, found, known, needs } => {
                Error::NewerHandoff { path: path.display().to_string(), found, known, needs }
            }
            ArchiveError::TooBig { .. } => Error::Unsafe {
                what: format!("this cannot be handed over: {what}"),
                hint: "push the branch, and hand over what is left of it".into(),
            },
            ArchiveError::NotOne { .. } | ArchiveError::Damaged { .. } => Error::BadHandoff { what },
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
                return Error::Busy { name: name.clone(), by };
            }
            StoreError::NewerFormat { path, found, known } => {
                let what = format!(
                    "cannot read {}: written by a newer symposium (format {found}, this one knows {known})",
                    path.display()
                );
                let hint = "upgrade symposium, or set SYMPOSIUM_HOME to use another directory".to_owned();
                return Error::State { what, saw: vec!["nothing was changed".into()], hint };
            }
            // A sticky directory, such as /tmp, is writable for all users on purpose.
            StoreError::WritableByOthers { mode, .. } if mode & 0o1000 != 0 => (
                "anybody could put agents in here",
                "set SYMPOSIUM_HOME, or `--home`, to a directory of your own".to_owned(),
            ),
            StoreError::WritableByOthers { path, .. } => {
                ("anybody could put agents in here", format!("chmod go-w {}", path.display()))
            }
            StoreError::NotOurs { .. } => (
                "its owner could put agents in here",
                "set SYMPOSIUM_HOME, or `--home`, to a directory of your own".to_owned(),
            ),
            StoreError::Symlink { path } => {
                let target = std::fs::read_link(path).ok().and_then(|to| to.parent().map(Path::to_path_buf));
                let place = target
                    .map_or_else(|| "the directory it points to".into(), |dir| dir.display().to_string());
                (
                    "every write replaces the file, and would cut the link",
                    format!("use the other place itself: SYMPOSIUM_HOME={place}"),
                )
            }
            StoreError::Write { source, .. } | StoreError::Home { source, .. } if is_full(source) => {
                ("nothing was changed", "free some space, then try again".to_owned())
            }
            StoreError::Write { .. } | StoreError::Home { .. } | StoreError::Lock { .. } => (
                "nothing was changed",
                "see whether the directory is writable, or set SYMPOSIUM_HOME to use another".to_owned(),
            ),
            StoreError::LockTimeout { path, .. } => {
                ("another symposium command hangs", format!("see who holds it: fuser {}", path.display()))
            }
            StoreError::CannotRepair { .. } => {
                ("nothing was changed", "mend the cause, then try again".to_owned())
            }
            _ => ("nothing was changed", "`symposium doctor` looks at everything".to_owned()),
        };
        Error::State { what, saw: vec![saw.to_owned()], hint }
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl From<KindError> for Error {
    fn from(error: KindError) -> Error {
        Error::BadConfig { what: error.to_string() }
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Error {
        Error::BadConfig { what: error.to_string() }
    }
}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Error {
        // A path or the content of a file may contain terminal escape sequences.
        let clean = |text: String| text.replace(is_deceptive, "\u{fffd}");
        match error {
            SpecError::NoSuchSpec { name, known, .. } => {
                Error::NoSuchSpec { name, known, verb: "agent spawn" }
            }
            SpecError::Mistakes(mistakes) => {
                Error::BadSpec { mistakes: mistakes.iter().map(|one| clean(one.to_string())).collect() }
            }
            SpecError::Unreadable { .. } | SpecError::NotASpec { .. } => {
                Error::BadSpec { mistakes: vec![clean(error.to_string())] }
            }
        }
    }
}

impl From<SshError> for Error {
    fn from(error: SshError) -> Error {
        Error::Ssh { what: error.to_string() }
    }
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Error {
        let hint = match &error {
            LedgerError::Newer { .. } => "upgrade symposium, or set SYMPOSIUM_HOME to use another directory",
            LedgerError::Full { .. } => "free some space, then try again",
            // A command that only reads does not repair the ledger.
            LedgerError::Damaged { .. } => {
                "`symposium supervisor start` sets it aside and begins a new one, with the tasks that can be read"
            }
            _ => "`symposium doctor` looks at everything",
        };
        Error::State { what: error.to_string(), saw: vec![], hint: hint.into() }
    }
}
