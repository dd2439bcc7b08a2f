//! The supervisor's session, which tmux itself keeps alive. It belongs to no agent: it has no agent id and no
//! transcript, and snapshots omit it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tmux_interface::NewSession;

use crate::tmux::pane_command::{LaunchEnv, PaneProgram};
use crate::tmux::script::{Script, command};
use crate::tmux::{
    Tmux, TmuxError,
    server::{conf, socket},
    target,
};

/// Prefix of the session's name, which no agent name can have. Two environments may share a server, and each has its
/// own session.
pub(in crate::tmux) const SUPERVISOR_PREFIX: &str = "_supervisor-";
/// Name of the session in versions that had one session for all environments.
const FORMER_NAME: &str = "_supervisor";

/// Restarts the process 0.2 s after it was killed, and 2 s after it exited by itself, so that a process that cannot run
/// causes no busy loop. The hook has its own index, like all our hooks.
const REVIVE: &str = "if-shell -F '#{==:#{pane_dead_status},}' \
    { run-shell -b -d 0.2 -C 'respawn-pane -t #{pane_id}' } \
    { run-shell -b -d 2 -C 'respawn-pane -t #{pane_id}' }";

impl Tmux {
    fn supervisor_session(&self) -> String {
        format!("{SUPERVISOR_PREFIX}{:08x}", socket::fnv1a(self.setup.home.as_os_str().as_bytes()))
    }

    /// Runs the program in its own session for as long as the server lives. Starts the server if none is running, and
    /// does nothing if the session already runs the program.
    pub fn start_supervisor(&self, argv: &[String], env: &[(OsString, OsString)]) -> Result<(), TmuxError> {
        let name = self.supervisor_session();
        let new = NewSession::new().detached().session_name(&name).width(80usize).height(24usize).build();
        let program = PaneProgram { argv, dir: Path::new("/"), env: LaunchEnv::Given(env), meanwhile: None };
        let session = target::pane_of(&name);
        let mut mistakes = Script::default();
        conf::take_mistakes(&session, &mut mistakes)?;
        let configure_session = |script: &mut Script| {
            script.append(&mistakes);
            script.then(&command(&["set-hook", "-t", &session, "pane-died[7701]", REVIVE]));
            script.then(&command(&["set-option", "-t", &session, "status", "off"]));
        };
        match self.open_session(&new, &program, configure_session) {
            // A session whose program file was moved or deleted could never restart it.
            Err(TmuxError::Duplicate { .. }) if self.session_runs(&argv[0])? => Ok(()),
            Err(TmuxError::Duplicate { .. }) => {
                self.stop_supervisor()?;
                self.open_session(&new, &program, configure_session).map(drop)
            }
            other => other.map(drop),
        }
    }

    /// Returns `true` if the session runs this program.
    fn session_runs(&self, program: &str) -> Result<bool, TmuxError> {
        let words =
            ["list-panes", "-t", &target::pane_of(&self.supervisor_session()), "-F", "#{pane_start_command}"];
        match self.run_words("find the supervisor", &words) {
            Err(other) if other.is_absence() => Ok(false),
            other => Ok(other?.contains(program)),
        }
    }

    /// Ends the session and its process. Returns whether there was one.
    pub fn stop_supervisor(&self) -> Result<bool, TmuxError> {
        let mut was_there = false;
        for session in [self.supervisor_session(), FORMER_NAME.to_owned()] {
            match self.run_words("stop the supervisor", &["kill-session", "-t", &target::session(&session)]) {
                Err(other) if other.is_absence() => {}
                other => was_there |= other.map(|_| true)?,
            }
        }
        Ok(was_there)
    }

    /// Returns the process id of the supervisor, or `None` if it is not running or about to be restarted.
    #[cfg(test)]
    pub(in crate::tmux) fn supervisor_pid(&self) -> Result<Option<i32>, TmuxError> {
        let words = [
            "list-panes",
            "-t",
            &target::pane_of(&self.supervisor_session()),
            "-F",
            "#{pane_dead} #{pane_pid}",
        ];
        match self.run_words("find the supervisor", &words) {
            Err(other) if other.is_absence() => Ok(None),
            other => Ok(other?.lines().find_map(|line| line.strip_prefix("0 ")?.parse().ok())),
        }
    }
}
