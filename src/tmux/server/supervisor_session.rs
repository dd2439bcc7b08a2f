//! The supervisor's own session, which tmux itself keeps alive. It is no agent's: it has no mark, no transcript, and
//! no look at the server shows it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tmux_interface::NewSession;

use crate::tmux::pane_command::{LaunchEnv, Program};
use crate::tmux::script::{Script, command};
use crate::tmux::{
    Tmux, TmuxError,
    server::{conf, socket},
    target,
};

/// What the session's name begins with, which no agent's can. Two homes may share a server, and each has its own.
pub(in crate::tmux) const KEEPER: &str = "_supervisor-";
/// What it was called when there was one for all.
const FORMERLY: &str = "_supervisor";

/// Brings the process back 0.2 s after it was killed, and after 2 s when it left by itself, so that one that cannot
/// run is no busy loop. An index of its own, as all our hooks have.
const REVIVE: &str = "if-shell -F '#{==:#{pane_dead_status},}' \
    { run-shell -b -d 0.2 -C 'respawn-pane -t #{pane_id}' } \
    { run-shell -b -d 2 -C 'respawn-pane -t #{pane_id}' }";

impl Tmux {
    fn keeper_session(&self) -> String {
        format!("{KEEPER}{:08x}", socket::fnv1a(self.setup.home.as_os_str().as_bytes()))
    }

    /// Runs this program in a session of its own for as long as the server lives, and starts the server when there is
    /// none; nothing happens when it is there already.
    pub fn start_keeper(&self, argv: &[String], env: &[(OsString, OsString)]) -> Result<(), TmuxError> {
        let keeper = self.keeper_session();
        let new = NewSession::new().detached().session_name(&keeper).width(80usize).height(24usize).build();
        let program = Program { argv, dir: Path::new("/"), env: LaunchEnv::Given(env), meanwhile: None };
        let session = target::pane_of(&keeper);
        let mut mistakes = Script::default();
        conf::take_mistakes(&session, &mut mistakes)?;
        let dress = |script: &mut Script| {
            script.append(&mistakes);
            script.then(&command(&["set-hook", "-t", &session, "pane-died[7701]", REVIVE]));
            script.then(&command(&["set-option", "-t", &session, "status", "off"]));
        };
        match self.open_session(&new, &program, dress) {
            // One that runs a program from where it is no more would never come back.
            Err(TmuxError::Duplicate { .. }) if self.keeps(&argv[0])? => Ok(()),
            Err(TmuxError::Duplicate { .. }) => {
                self.stop_keeper()?;
                self.open_session(&new, &program, dress).map(drop)
            }
            other => other.map(drop),
        }
    }

    /// Whether that session runs this program.
    fn keeps(&self, program: &str) -> Result<bool, TmuxError> {
        let words =
            ["list-panes", "-t", &target::pane_of(&self.keeper_session()), "-F", "#{pane_start_command}"];
        match self.ask("look for the supervisor", &words) {
            Err(other) if other.is_absence() => Ok(false),
            other => Ok(other?.contains(program)),
        }
    }

    /// Ends that session and what runs in it; says whether there was one.
    pub fn stop_keeper(&self) -> Result<bool, TmuxError> {
        let mut was_there = false;
        for session in [self.keeper_session(), FORMERLY.to_owned()] {
            match self.ask("stop the supervisor", &["kill-session", "-t", &target::session(&session)]) {
                Err(other) if other.is_absence() => {}
                other => was_there |= other.map(|_| true)?,
            }
        }
        Ok(was_there)
    }

    /// The process in that session; none also while it is dead and not yet back.
    pub fn keeper(&self) -> Result<Option<i32>, TmuxError> {
        let words =
            ["list-panes", "-t", &target::pane_of(&self.keeper_session()), "-F", "#{pane_dead} #{pane_pid}"];
        match self.ask("look for the supervisor", &words) {
            Err(other) if other.is_absence() => Ok(None),
            other => Ok(other?.lines().find_map(|line| line.strip_prefix("0 ")?.parse().ok())),
        }
    }
}
