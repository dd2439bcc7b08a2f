//! `symposium doctor`: checks the installation for known problems and suggests a remedy for each.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::base::plural::counted;
use crate::env::Env;
use crate::error::{Code, Error};
use crate::manager::diagnostics::storage_checks::DiskAnswer;
use crate::manager::diagnostics::{Diagnostics, NoticeChecks, ServerChecks, StorageChecks};
use crate::manager::error_from::how_to_install_tmux;
use crate::manager::restore::Restoration;
use crate::manager::specs::LaunchPlanner;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::ServiceInstallation;
use crate::manager::supervisor::service::kills_user_processes;
use crate::model::{Status, TmuxSnapshot};
use crate::process::{self, Run};
use crate::rules::lifecycle::default_kind::PREFERRED;

/// Time limit for `--version` of an agent CLI: some are slow scripts.
const VERSION_BOUND: Duration = Duration::from_secs(10);

/// Result level of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// No action is needed.
    Good,
    /// It works, but something may be unexpected.
    Note,
    /// It does not work.
    Bad,
}

/// One check and its result.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// The subject of the check.
    pub what: String,
    /// The result level.
    pub health: Health,
    /// The observation behind the result.
    pub saw: String,
    /// The suggested remedy, if an action is useful.
    pub advice: Option<String>,
}

impl Check {
    pub(in crate::manager) fn good(what: &str, saw: impl Into<String>) -> Check {
        Check { what: what.into(), health: Health::Good, saw: saw.into(), advice: None }
    }

    pub(in crate::manager) fn note(what: &str, saw: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { what: what.into(), health: Health::Note, saw: saw.into(), advice: Some(advice.into()) }
    }

    pub(in crate::manager) fn bad(what: &str, saw: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { what: what.into(), health: Health::Bad, saw: saw.into(), advice: Some(advice.into()) }
    }
}

impl Diagnostics<'_> {
    /// Runs all checks.
    pub fn doctor(&self) -> Vec<Check> {
        let (disk, answer) = StorageChecks(self.0).check_disk();
        let mut checks = vec![self.check_tmux(), self.check_home(), disk];
        if answer == DiskAnswer::Silent {
            checks.extend(StorageChecks(self.0).check_writers());
            return checks;
        }
        checks.extend([self.check_registry(), self.check_server()]);
        checks.extend(StorageChecks(self.0).check_writers());
        checks.extend([
            self.check_config(),
            StorageChecks(self.0).check_ledger(),
            StorageChecks(self.0).check_supervisor(),
        ]);
        checks.extend(NoticeChecks(self.0).check_channels());
        checks.extend(StorageChecks(self.0).check_hook_link());
        checks.extend(ServerChecks(self.0).check_running_server());
        checks.extend(self.check_sharing());
        checks.extend(self.check_logout());
        checks.extend(self.check_kinds());
        checks
    }

    /// Returns the result if the environment could not be opened.
    pub fn doctor_without_home(error: &Error) -> Vec<Check> {
        let saw = [&[error.to_string()][..], error.observations()].concat().join("; ");
        vec![Check::bad("state", saw, error.advice())]
    }

    fn check_tmux(&self) -> Check {
        match self.0.tmux() {
            Ok(tmux) => Check::good("tmux", format!("{} at {}", tmux.version(), tmux.program().display())),
            Err(error) => {
                let advice = error.hints().first().cloned().unwrap_or_else(how_to_install_tmux);
                Check::bad("tmux", error.to_string(), advice)
            }
        }
    }

    fn check_config(&self) -> Check {
        match self.0.config() {
            Ok(config) => match config.notify.command.first() {
                Some(program) if LaunchPlanner(self.0).find_program(program, &self.0.home.path).is_none() => {
                    Check::bad(
                        "configuration",
                        format!("`command` of [notify] cannot be run: there is no program `{program}`"),
                        "correct config.toml, then run the check again",
                    )
                }
                _ if self.0.home.path.join("config.toml").exists() => {
                    Check::good("configuration", "config.toml: valid")
                }
                _ => Check::good("configuration", "config.toml: not present, using defaults"),
            },
            Err(error) => Check::bad(
                "configuration",
                error.to_string(),
                "correct config.toml, then run the check again",
            ),
        }
    }

    fn check_home(&self) -> Check {
        let mut loose = Vec::new();
        let paths = ["", "agent-sessions.json", "agent-sessions.json.bak", "instances", "run"];
        for path in paths
            .map(|part| if part.is_empty() { self.0.home.path.clone() } else { self.0.home.path.join(part) })
        {
            if let Ok(meta) = std::fs::symlink_metadata(&path)
                && (meta.permissions().mode() & 0o077 != 0 || meta.uid() != Env::uid())
            {
                loose.push(format!(
                    "{} (mode {:o}, uid {})",
                    path.display(),
                    meta.permissions().mode() & 0o777,
                    meta.uid()
                ));
            }
        }
        let home = self.0.home.path.display();
        if loose.is_empty() {
            Check::good("state directory", format!("{home}, private"))
        } else {
            Check::bad(
                "state directory",
                format!("other users can read: {}", loose.join(", ")),
                format!("chmod -R go-rwx {home}"),
            )
        }
    }

    fn check_registry(&self) -> Check {
        match self.0.store.read(self.0.now()) {
            Ok(records) => {
                let what = counted(records.len(), "agent", "agents");
                match self.0.store.damaged() {
                    0 => Check::good("registry", what),
                    kept => Check::note(
                        "registry",
                        format!("{what}; damaged files were repaired, and copies are kept: {kept}"),
                        format!(
                            "if nothing is missing: rm {}/agent-sessions.json*.bad-*",
                            self.0.home.path.display()
                        ),
                    ),
                }
            }
            Err(error) => {
                let error = Error::from(error);
                Check::bad("registry", error.to_string(), error.advice())
            }
        }
    }

    fn check_server(&self) -> Check {
        let Ok(tmux) = self.0.tmux() else {
            return Check::note("server", "not checked: tmux is not available", "see above");
        };
        let socket = tmux.socket().display();
        match tmux.snapshot() {
            Err(error) => self.check_silent_server(&Error::from(error)),
            Ok(TmuxSnapshot::NoServer) => ServerChecks(self.0).check_stuck_server().unwrap_or_else(|| {
                match Restoration(self.0).lost() {
                    Ok(lost) if !lost.is_empty() => Check::note(
                        "server",
                        format!(
                            "not running at {socket}; {} lost",
                            counted(lost.len(), "agent is", "agents are")
                        ),
                        "symposium agent restore --all",
                    ),
                    _ => Check::good(
                        "server",
                        format!("not running at {socket}; it starts with the first agent"),
                    ),
                }
            }),
            Ok(TmuxSnapshot::Running(server)) => {
                let saw = format!("tmux {} at {socket}", server.version);
                let agents = match StatusTracker(self.0).current_agents() {
                    Ok(current_agents) => current_agents.agents,
                    Err(error) => {
                        let saw = format!("{saw}, but its agents could not be listed: {error}");
                        return Check::bad("server", saw, error.advice());
                    }
                };
                let live = agents.iter().filter(|agent| agent.status.is_live()).count();
                let lost = agents.iter().filter(|agent| agent.status == Status::Lost).count();
                let saw = format!("{saw}, {} live", counted(live, "agent", "agents"));
                if lost > 0 {
                    return Check::note(
                        "server",
                        format!("{saw}, {lost} lost"),
                        "symposium agent restore --all",
                    );
                }
                Check::good("server", saw)
            }
        }
    }

    /// Names the server's process, so that the user can resume or end it by hand.
    fn check_silent_server(&self, error: &Error) -> Check {
        let pid = match error.code() {
            Code::TmuxTimedOut => self.0.tmux().ok().and_then(|tmux| tmux.server_process()),
            _ => None,
        };
        match pid {
            Some(pid) if process::is_stopped(pid) => {
                let saw = format!("{error}; its process {pid} is stopped");
                Check::bad("server", saw, format!("kill -CONT {pid}"))
            }
            Some(pid) => {
                let advice = format!("inspect it: ps -o pid,stat,time,args -p {pid}");
                Check::bad("server", format!("{error}; its process is {pid}"), advice)
            }
            None => Check::bad("server", error.to_string(), error.advice()),
        }
    }

    /// Notes that tmux 3.2 does not check which user connects to its server.
    fn check_sharing(&self) -> Option<Check> {
        let tmux = self.0.tmux().ok().filter(|tmux| !tmux.has_access_list())?;
        let saw = format!(
            "tmux {} has no `server-access`: only the mode of the socket's directory protects your agents from other users",
            tmux.version()
        );
        Some(Check::note("sharing", saw, "tmux 3.3 or newer also checks a list of users"))
    }

    /// Checks whether systemd ends all processes of the user when the last login ends.
    fn check_logout(&self) -> Option<Check> {
        if !Path::new("/run/systemd/system").is_dir() {
            return None;
        }
        let user = ServiceInstallation(self.0).user()?;
        Some(match (kills_user_processes(), ServiceInstallation(self.0).is_linger_enabled()) {
            (false, _) => Check::good("logout", "agents survive a logout (KillUserProcesses is off)"),
            (true, true) => self.check_home_of_server(),
            (true, false) => Check::bad(
                "logout",
                "KillUserProcesses is on and lingering is off: a logout ends all agents",
                format!("loginctl enable-linger {user}"),
            ),
        })
    }

    /// Checks whether the server belongs to the user manager, which with lingering on survives a logout.
    fn check_home_of_server(&self) -> Check {
        let server = ServiceInstallation(self.0).server_pid();
        if server.is_some_and(process::is_kept_by_user_manager) {
            let saw = "agents survive a logout: the server belongs to the user manager, which stays";
            return Check::good("logout", saw);
        }
        let saw = "KillUserProcesses is on; lingering is on, but no server belongs to the user manager";
        let advice = match (ServiceInstallation(self.0).restart_of_service(), server) {
            // A server that runs in a login session cannot be moved: it has to end first.
            (Some(again), Some(_)) => format!("after a logout has ended it: {again}"),
            (Some(again), None) => again,
            (None, _) => "symposium service install".into(),
        };
        Check::note("logout", saw, advice)
    }

    fn check_kinds(&self) -> Vec<Check> {
        let kinds = match self.0.kinds() {
            Ok(kinds) => kinds,
            Err(error) => {
                return vec![Check::bad("kinds", error.to_string(), "correct kinds.toml, or move it away")];
            }
        };
        let dir = self.0.env.cwd().unwrap_or(Path::new("/"));
        let found: Vec<_> = PREFERRED
            .iter()
            .filter_map(|name| Some((*name, LaunchPlanner(self.0).program_of(kinds.get(name)?, dir)?)))
            .collect();
        let mut checks: Vec<Check> = std::thread::scope(|scope| {
            let threads: Vec<_> = found
                .iter()
                .map(|(name, program)| scope.spawn(move || self.check_program(name, program)))
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        if checks.is_empty() {
            let advice = kinds.get("claude").map(|kind| kind.install.clone()).unwrap_or_default();
            checks.push(Check::note("agent CLIs", "none in PATH; `default` is the demo agent", advice));
        }
        checks
    }

    fn check_program(&self, name: &str, program: &Path) -> Check {
        let env: Vec<_> = self.0.env.for_agents().cloned().collect();
        let args = ["--version".to_owned()];
        let run = Run { program, args: &args, dir: None, env: Some(&env) };
        match process::run_bounded(&run, VERSION_BOUND) {
            Ok(output) if output.exit.code == Some(0) => {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let version = text
                    .lines()
                    .find(|line| !line.trim().is_empty())
                    .unwrap_or("no version reported")
                    .trim()
                    .to_owned();
                Check::good(name, format!("{version} at {}", program.display()))
            }
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                let failure =
                    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing").trim().to_owned();
                Check::note(
                    name,
                    format!("`{} --version` failed: {failure}", program.display()),
                    "run it once in a terminal",
                )
            }
            Err(error) => Check::note(
                name,
                format!("`{} --version`: {error}", program.display()),
                "run it once in a terminal",
            ),
        }
    }
}
