//! The service edge: what starts agents when the machine starts. Writes the file that the system's own service manager
//! reads, and knows the commands that make it read it; running them is the caller's.
//!
//! Must never hold a secret: of the environment only what the caller names goes into the file.

mod file;
mod launchd;
mod systemd;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use file::{installed, remove, write};

/// What is to be started, and for whom.
#[derive(Debug, Clone)]
pub struct Boot {
    /// What the service is called: letters, digits, `-` and `_`.
    pub name: String,
    /// Our binary.
    pub exe: PathBuf,
    /// What it is told of the environment: where programs are, which home, which tmux.
    pub env: Vec<(OsString, OsString)>,
}

/// The service managers that we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// The user manager of systemd.
    Systemd,
    /// launchd, on macOS.
    Launchd,
}

/// A program with its arguments.
pub type Argv = Vec<String>;

impl System {
    /// The one that this machine would have.
    pub fn here() -> System {
        if cfg!(target_os = "macos") { System::Launchd } else { System::Systemd }
    }

    /// What people call it.
    pub fn word(self) -> &'static str {
        match self {
            System::Systemd => "systemd",
            System::Launchd => "launchd",
        }
    }

    /// The text of the file.
    pub fn text(self, boot: &Boot) -> String {
        match self {
            System::Systemd => systemd::unit(boot),
            System::Launchd => launchd::plist(boot),
        }
    }

    /// Where the file belongs, from the user's home and the value of `XDG_CONFIG_HOME`.
    pub fn file(self, boot: &Boot, user_home: &Path, config_home: Option<&Path>) -> PathBuf {
        match self {
            System::Systemd => {
                let config = config_home.map_or_else(|| user_home.join(".config"), Path::to_path_buf);
                config.join("systemd/user").join(format!("{}.service", boot.name))
            }
            System::Launchd => {
                user_home.join("Library/LaunchAgents").join(format!("{}.plist", launchd::label(boot)))
            }
        }
    }

    /// Changes nothing, and fails where the manager is not there to be asked.
    pub fn ask(self) -> Argv {
        match self {
            System::Systemd => argv(&["systemctl", "--user", "show-environment"]),
            System::Launchd => argv(&["launchctl", "print", &domain()]),
        }
    }

    /// Once the file is there.
    pub fn start(self, boot: &Boot, file: &Path) -> Vec<Argv> {
        match self {
            System::Systemd => vec![
                argv(&["systemctl", "--user", "daemon-reload"]),
                argv(&["systemctl", "--user", "enable", "--now", &format!("{}.service", boot.name)]),
            ],
            System::Launchd => vec![argv(&["launchctl", "bootstrap", &domain(), &file.to_string_lossy()])],
        }
    }

    /// While the file is still there.
    pub fn stop(self, boot: &Boot) -> Vec<Argv> {
        match self {
            System::Systemd => {
                vec![argv(&["systemctl", "--user", "disable", "--now", &format!("{}.service", boot.name)])]
            }
            System::Launchd => {
                vec![argv(&["launchctl", "bootout", &format!("{}/{}", domain(), launchd::label(boot))])]
            }
        }
    }

    /// Once the file is gone.
    pub fn forget(self) -> Vec<Argv> {
        match self {
            System::Systemd => vec![argv(&["systemctl", "--user", "daemon-reload"])],
            System::Launchd => vec![],
        }
    }
}

fn domain() -> String {
    format!("gui/{}", rustix::process::getuid().as_raw())
}

fn argv(words: &[&str]) -> Argv {
    words.iter().map(|word| (*word).to_owned()).collect()
}
