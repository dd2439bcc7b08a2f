//! `symposium service`: installs a system service that starts our tmux server and restores agents at boot.
//!
//! Uninstalling removes only the unit, never an agent.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use crate::env::{Env, HOME};
use crate::error::{Code, Error, shown};
use crate::manager::supervisor::ServiceInstallation;
use crate::model::{Exit, TmuxSnapshot};
use crate::process::{self, Run};
use crate::service::{self, Boot, ServiceRole, System};

/// Time limit for the service manager: it waits for the unit, which restores all agents.
const SERVICE_BOUND: Duration = Duration::from_secs(11 * 60);

/// The definition of a service, installed or not.
#[derive(Debug, Clone, Serialize)]
pub struct Service {
    /// The service manager: `systemd` or `launchd`.
    pub manager: &'static str,
    /// The path of the unit file.
    pub path: PathBuf,
    /// The content of the unit file.
    pub text: String,
}

/// Result of `service install`.
#[derive(Debug, Clone, Serialize)]
pub struct Installed {
    /// The installed service.
    #[serde(flatten)]
    pub service: Service,
    /// Whether the service starts at boot and not at the first login.
    pub at_boot: bool,
    /// Remarks for the user.
    pub remarks: Vec<String>,
}

/// Result of `service uninstall`.
#[derive(Debug, Clone, Serialize)]
pub struct Uninstalled {
    /// The path of the removed unit file.
    pub path: PathBuf,
    /// Whether the service was installed.
    pub was_installed: bool,
}

impl ServiceInstallation<'_> {
    /// Returns the service that would be installed.
    pub fn service(&self, role: ServiceRole) -> Result<Service, Error> {
        let (system, boot, path) = self.boot(role)?;
        Ok(Service { manager: system.word(), path, text: system.text(&boot) })
    }

    /// Installs and starts the service. A failed installation leaves nothing behind.
    pub fn install_service(&self, role: ServiceRole) -> Result<Installed, Error> {
        let starts_server = role == ServiceRole::Agents;
        let (system, boot, path) = self.boot(role)?;
        self.expect_manager(system)?;
        let server_before = self.server_pid();
        let text = system.text(&boot);
        let writing = || Error::io(format!("cannot write {}", path.display()));
        let former = service::installed(&path).map_err(writing())?;
        service::write(&path, &text).map_err(writing())?;
        for argv in system.start(&boot, &path) {
            if let Err(output) = self.ask_system(&argv) {
                let _ = match &former {
                    Some(text) => service::write(&path, text),
                    None => service::remove(&path).map(|_| ()),
                };
                return Err(service_refused(&argv, &output));
            }
        }
        let at_boot = system == System::Systemd && self.is_linger_enabled();
        let mut remarks = Vec::new();
        if system == System::Systemd && !at_boot {
            let user = self.user().unwrap_or_else(|| "$USER".to_owned());
            remarks.push(format!(
                "it starts with your first login; to start it with the machine: loginctl enable-linger {user}"
            ));
        }
        if starts_server && server_before.is_some_and(|pid| !process::is_kept_by_user_manager(pid)) {
            remarks.push("our tmux server is already running and is not changed; after the next boot it belongs to the service".into());
            if system == System::Systemd && kills_user_processes() {
                let again = restart(&boot);
                remarks.push(format!(
                    "until then a logout ends it (KillUserProcesses is on); `{again}` brings all agents back after that"
                ));
            }
        }
        let service = Service { manager: system.word(), path, text };
        Ok(Installed { service, at_boot, remarks })
    }

    /// Removes the service. Agents continue to run.
    pub fn uninstall_service(&self, role: ServiceRole) -> Result<Uninstalled, Error> {
        let (system, boot, path) = self.boot(role)?;
        let removing = || Error::io(format!("cannot remove {}", path.display()));
        if service::installed(&path).map_err(removing())?.is_none() {
            return Ok(Uninstalled { path, was_installed: false });
        }
        // A service manager that does not answer has nothing to unload.
        let answers = self.ask_system(&system.probe_command()).is_ok();
        let run_steps = |steps: Vec<Vec<String>>| -> Result<(), Error> {
            for argv in steps.into_iter().filter(|_| answers) {
                let refused = |output: String| service_refused(&argv, &output);
                self.ask_system(&argv).map_err(refused)?;
            }
            Ok(())
        };
        run_steps(system.stop(&boot))?;
        service::remove(&path).map_err(removing())?;
        run_steps(system.commands_after_removal())?;
        Ok(Uninstalled { path, was_installed: true })
    }

    fn boot(&self, role: ServiceRole) -> Result<(System, Boot, PathBuf), Error> {
        let system = System::current();
        let socket = self.0.tmux_setup()?.socket;
        let chosen = (!self.0.home.is_default).then(|| (HOME.into(), self.0.home.path.clone().into()));
        let passed = ["PATH", "SYMPOSIUM_TMUX_SOCKET", "TMUX_TMPDIR"]
            .into_iter()
            .filter_map(|name| Some((name.into(), self.0.env.var(name)?.to_owned())));
        let boot = Boot {
            name: match role {
                ServiceRole::Agents => name_after(socket.path.file_name()),
                ServiceRole::WebPage(_) => format!("{}-web", name_after(socket.path.file_name())),
            },
            exe: self.0.env.exe().to_owned(),
            env: passed.chain(chosen).collect(),
            role,
        };
        let home = self.0.env.user_home().ok_or_else(|| {
            Error::usage("cannot install a service without a home directory: HOME is not set")
                .hint("HOME=/home/you symposium service install")
        })?;
        let path = system.file(&boot, &home, self.0.env.var("XDG_CONFIG_HOME").map(Path::new));
        Ok((system, boot, path))
    }

    fn expect_manager(&self, system: System) -> Result<(), Error> {
        let ask = system.probe_command();
        self.ask_system(&ask).map_err(|output| no_service_manager(&ask, &output))
    }

    /// Runs a command of the service manager. Returns its output if it failed.
    fn ask_system(&self, argv: &[String]) -> Result<(), String> {
        let Some((program, args)) = argv.split_first() else { return Ok(()) };
        let run = Run { program: Path::new(program), args, dir: None, env: Some(self.0.env.all()) };
        match process::run_bounded(&run, SERVICE_BOUND) {
            Ok(output) if output.exit == (Exit { code: Some(0), signal: None }) => Ok(()),
            Ok(output) => {
                let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Err(if complaint.is_empty() { format!("it ended with {}", output.exit) } else { complaint })
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the user's name. A cron job or a container often has no variable with it.
    pub(in crate::manager) fn user(&self) -> Option<String> {
        let name = self.0.env.var("USER").or_else(|| self.0.env.var("LOGNAME")).and_then(OsStr::to_str);
        let name = name.filter(|user| !user.is_empty()).map(str::to_owned);
        name.or_else(|| process::user_name(Env::uid()))
    }

    pub(in crate::manager) fn is_linger_enabled(&self) -> bool {
        self.user().is_some_and(|user| Path::new("/var/lib/systemd/linger").join(user).exists())
    }

    /// Returns the command that restarts the installed service, which restores the agents.
    pub(in crate::manager) fn restart_of_service(&self) -> Option<String> {
        let (_, boot, path) = self.boot(ServiceRole::Agents).ok()?;
        matches!(service::installed(&path), Ok(Some(_))).then(|| restart(&boot))
    }

    /// Returns the process id of our tmux server, if it runs.
    pub(in crate::manager) fn server_pid(&self) -> Option<i32> {
        match self.0.tmux().ok()?.snapshot().ok()? {
            TmuxSnapshot::Running(server) => server.identity.pid(),
            TmuxSnapshot::NoServer => None,
        }
    }
}

fn restart(boot: &Boot) -> String {
    format!("systemctl --user restart {}.service", boot.name)
}

/// Returns the name of the environment's service, which follows from the name of its tmux socket.
fn name_after(socket: Option<&OsStr>) -> String {
    let name = socket.map(OsStr::to_string_lossy).unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
        .collect();
    if plain.starts_with("symposium") { plain } else { format!("symposium-{plain}") }
}

/// Returns whether logind ends a user's processes at logout. Most systems do not.
pub(in crate::manager) fn kills_user_processes() -> bool {
    let files = ["/etc/systemd/logind.conf", "/usr/lib/systemd/logind.conf"].map(std::path::PathBuf::from);
    let parts = ["/etc/systemd/logind.conf.d", "/usr/lib/systemd/logind.conf.d"]
        .into_iter()
        .filter_map(|dir| std::fs::read_dir(dir).ok())
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()));
    files.into_iter().chain(parts).filter_map(|file| std::fs::read_to_string(file).ok()).any(|text| {
        text.lines().any(|line| {
            let line = line.trim().to_ascii_lowercase();
            line.strip_prefix("killuserprocesses=")
                .is_some_and(|value| ["yes", "true", "1", "on"].contains(&value))
        })
    })
}

fn no_service_manager(argv: &[String], output: &str) -> Error {
    Error::new(Code::NoServiceManager, "the service manager of this user does not answer")
        .saw(format!("`{}`: {}", argv.join(" "), shown(output)))
        .saw("nothing was changed")
        .hint("`symposium service install --print` prints the unit, so that it can be started in another way")
        .hint("or run `symposium agent restore --all` after each start of the machine")
}

fn service_refused(argv: &[String], output: &str) -> Error {
    Error::new(Code::ServiceRefused, format!("`{}` failed", argv.join(" ")))
        .saw(shown(output))
        .hint("`journalctl --user -e` shows its log; `symposium service install --print` prints the unit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_name_follows_the_environment() {
        for (socket, name) in [
            ("symposium", "symposium"),
            ("symposium-0badcafe", "symposium-0badcafe"),
            ("my server.sock", "symposium-my-server-sock"),
        ] {
            assert_eq!(name_after(Some(OsStr::new(socket))), name);
        }
    }
}
