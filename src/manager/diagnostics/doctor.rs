//! `symposium doctor`: checks the installation for known problems and suggests a remedy for each.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::base::plural::counted;
use crate::env::Env;
use crate::error::Error;
use crate::manager::diagnostics::Diagnostics;
use crate::manager::diagnostics::storage_checks::DiskAnswer;
use crate::manager::error_from::how_to_install_tmux;
use crate::manager::lifecycle::Lifecycle;
use crate::manager::specs::SpecCatalog;
use crate::manager::status::StatusTracker;
use crate::manager::supervisor::SupervisorControl;
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
        let (disk, answer) = self.check_disk();
        let mut checks = vec![self.check_tmux(), self.check_home(), disk];
        if answer == DiskAnswer::Silent {
            checks.extend(self.check_writers());
            return checks;
        }
        checks.extend([self.check_registry(), self.check_server()]);
        checks.extend(self.check_writers());
        checks.extend([self.check_config(), self.check_ledger(), self.check_supervisor()]);
        checks.extend(self.check_hook_link());
        checks.extend(self.check_running_server());
        checks.extend(self.check_sharing());
        checks.extend(self.check_logout());
        checks.extend(self.check_kinds());
        checks
    }

    /// Returns the result if the environment could not be opened.
    pub fn doctor_without_home(error: &Error) -> Vec<Check> {
        let report = error.report();
        let saw = std::iter::once(report.message).chain(report.saw).collect::<Vec<_>>().join("; ");
        vec![Check::bad("state", saw, report.hints.join("; "))]
    }

    fn check_tmux(&self) -> Check {
        match self.0.tmux() {
            Ok(tmux) => Check::good("tmux", format!("{} at {}", tmux.version(), tmux.program().display())),
            Err(error) => {
                let report = error.report();
                let advice = report.hints.first().cloned().unwrap_or_else(how_to_install_tmux);
                Check::bad("tmux", report.message, advice)
            }
        }
    }

    fn check_config(&self) -> Check {
        match self.0.config() {
            Ok(config) => match config.notify.command.first() {
                Some(program) if SpecCatalog(self.0).find_program(program, &self.0.home.path).is_none() => {
                    Check::bad(
                        "configuration",
                        format!("`command` of [notify] cannot be run: there is no program `{program}`"),
                        "mend config.toml, then look again",
                    )
                }
                _ => Check::good("configuration", "config.toml is understood, or not there"),
            },
            Err(error) => Check::bad("configuration", error.to_string(), "mend config.toml, then look again"),
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
                format!("others can look in: {}", loose.join(", ")),
                format!("chmod -R go-rwx {home}"),
            )
        }
    }

    fn check_registry(&self) -> Check {
        match self.0.store.read(Env::now()) {
            Ok(records) => {
                let what = format!("{} written down", counted(records.len(), "agent", "agents"));
                match self.0.store.damaged() {
                    0 => Check::good("registry", what),
                    kept => Check::note(
                        "registry",
                        format!("{what}; damaged ones were mended and are kept: {kept}"),
                        format!(
                            "when nothing is missing: rm {}/agent-sessions.json*.bad-*",
                            self.0.home.path.display()
                        ),
                    ),
                }
            }
            Err(error) => {
                let report = Error::from(error).report();
                Check::bad("registry", report.message, report.hints.join("; "))
            }
        }
    }

    fn check_server(&self) -> Check {
        let Ok(tmux) = self.0.tmux() else { return Check::note("server", "not asked: no tmux", "see above") };
        let socket = tmux.socket().display();
        match tmux.look() {
            Err(error) => self.check_silent_server(&Error::from(error)),
            Ok(TmuxSnapshot::NoServer) => {
                self.check_stuck_server().unwrap_or_else(|| match Lifecycle(self.0).lost() {
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
                })
            }
            Ok(TmuxSnapshot::Running(server)) => {
                let saw = format!("tmux {} at {socket}", server.version);
                let agents = match StatusTracker(self.0).current_agents() {
                    Ok(current_agents) => current_agents.agents,
                    Err(error) => {
                        let report = error.report();
                        let saw = format!("{saw}, but its agents could not be listed: {}", report.message);
                        return Check::bad("server", saw, report.hints.join("; "));
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
        let report = error.report();
        let pid = match error {
            Error::TmuxSilent { .. } => self.0.tmux().ok().and_then(|tmux| tmux.server_process()),
            _ => None,
        };
        match pid {
            Some(pid) if process::is_stopped(pid) => {
                let saw = format!("{}; its process {pid} is stopped", report.message);
                Check::bad("server", saw, format!("kill -CONT {pid}"))
            }
            Some(pid) => {
                let advice = format!("see what it does: ps -o pid,stat,time,args -p {pid}");
                Check::bad("server", format!("{}; its process is {pid}", report.message), advice)
            }
            None => Check::bad("server", report.message, report.hints.join("; ")),
        }
    }

    /// Notes that tmux 3.2 does not check which user connects to its server.
    fn check_sharing(&self) -> Option<Check> {
        let tmux = self.0.tmux().ok().filter(|tmux| !tmux.has_access_list())?;
        let saw = format!(
            "tmux {} has no `server-access`: the mode of the socket's directory alone keeps others from your agents",
            tmux.version()
        );
        Some(Check::note("sharing", saw, "tmux 3.3 or newer keeps a list of users as well"))
    }

    /// Checks whether systemd ends all processes of the user when the last login ends.
    fn check_logout(&self) -> Option<Check> {
        if !Path::new("/run/systemd/system").is_dir() {
            return None;
        }
        let user = SupervisorControl(self.0).user()?;
        Some(match (kills_user_processes(), SupervisorControl(self.0).lingers()) {
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
        let server = SupervisorControl(self.0).server_pid();
        if server.is_some_and(process::is_kept_by_user_manager) {
            let saw = "agents survive a logout: the server belongs to the user manager, which stays";
            return Check::good("logout", saw);
        }
        let saw = "KillUserProcesses is on; lingering is on, but no server belongs to the user manager";
        let advice = match (SupervisorControl(self.0).restart_of_service(), server) {
            // A server that runs in a login session cannot be moved: it has to end first.
            (Some(again), Some(_)) => format!("when a logout has ended it: {again}"),
            (Some(again), None) => again,
            (None, _) => "symposium service install".into(),
        };
        Check::note("logout", saw, advice)
    }

    fn check_kinds(&self) -> Vec<Check> {
        let kinds = match self.0.kinds() {
            Ok(kinds) => kinds,
            Err(error) => {
                return vec![Check::bad("kinds", error.to_string(), "mend kinds.toml, or move it away")];
            }
        };
        let dir = self.0.env.cwd().unwrap_or(Path::new("/"));
        let found: Vec<_> = PREFERRED
            .iter()
            .filter_map(|name| Some((*name, SpecCatalog(self.0).program_of(kinds.get(name)?, dir)?)))
            .collect();
        let mut checks: Vec<Check> = std::thread::scope(|scope| {
            let asked: Vec<_> = found
                .iter()
                .map(|(name, program)| scope.spawn(move || self.check_program(name, program)))
                .collect();
            asked.into_iter().filter_map(|asked| asked.join().ok()).collect()
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
                    .unwrap_or("no version told")
                    .trim()
                    .to_owned();
                Check::good(name, format!("{version} at {}", program.display()))
            }
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                let said =
                    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing").trim().to_owned();
                Check::note(
                    name,
                    format!("`{} --version` failed: {said}", program.display()),
                    "run it once by hand",
                )
            }
            Err(error) => Check::note(
                name,
                format!("`{} --version`: {error}", program.display()),
                "run it once by hand",
            ),
        }
    }
}
