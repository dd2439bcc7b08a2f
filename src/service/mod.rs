//! The service adapter: starts agents when the machine starts. Writes the file for the system's service manager and
//! knows the commands that load it; the caller runs them.
//!
//! The file must never contain a secret: only the environment variables that the caller names are written to it.
//!
//! - `systemd`: renders a unit for systemd
//! - `launchd`: renders a property list for launchd
//! - `file`: reads, replaces and removes the service file

mod file;
mod launchd;
mod systemd;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use file::{installed, remove, write};

/// Program to start at boot, and its settings.
#[derive(Debug, Clone)]
pub struct Boot {
    /// Name of the service: letters, digits, `-` and `_`.
    pub name: String,
    /// Path of the `symposium` binary.
    pub exe: PathBuf,
    /// Environment variables of the service: the search path, the state directory and the tmux socket.
    pub env: Vec<(OsString, OsString)>,
    /// Role of the service.
    pub role: ServiceRole,
}

/// Role of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceRole {
    /// Starts the supervisor, restores agents, and ends.
    Agents,
    /// Serves the web page with these arguments.
    WebPage(Vec<String>),
}

/// Supported service managers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum System {
    /// The user manager of systemd.
    Systemd,
    /// launchd on macOS.
    Launchd,
}

/// A program with its arguments.
pub type Argv = Vec<String>;

impl System {
    /// Returns the service manager of this operating system.
    pub fn current() -> System {
        if cfg!(target_os = "macos") { System::Launchd } else { System::Systemd }
    }

    /// Returns the name of the service manager.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Renders the service file.
    pub fn text(self, boot: &Boot) -> String {
        match self {
            System::Systemd => systemd::unit(boot),
            System::Launchd => launchd::plist(boot),
        }
    }

    /// Returns the path of the service file, from the user's home directory and the value of `XDG_CONFIG_HOME`.
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

    /// Returns a command that changes nothing and fails if the service manager is not available.
    pub fn probe_command(self) -> Argv {
        match self {
            System::Systemd => argv(&["systemctl", "--user", "show-environment"]),
            System::Launchd => argv(&["launchctl", "print", &domain()]),
        }
    }

    /// Returns the commands that start the service after the file was written.
    pub fn start(self, boot: &Boot, file: &Path) -> Vec<Argv> {
        match self {
            System::Systemd => {
                let unit = format!("{}.service", boot.name);
                let reload = argv(&["systemctl", "--user", "daemon-reload"]);
                match boot.role {
                    ServiceRole::Agents => {
                        vec![reload, argv(&["systemctl", "--user", "enable", "--now", &unit])]
                    }
                    // A page that is served already must get new arguments.
                    ServiceRole::WebPage(_) => vec![
                        reload,
                        argv(&["systemctl", "--user", "enable", &unit]),
                        argv(&["systemctl", "--user", "restart", &unit]),
                    ],
                }
            }
            System::Launchd => vec![argv(&["launchctl", "bootstrap", &domain(), &file.to_string_lossy()])],
        }
    }

    /// Returns the commands that stop the service before the file is removed.
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

    /// Returns the commands that run after the file was removed.
    pub fn commands_after_removal(self) -> Vec<Argv> {
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
