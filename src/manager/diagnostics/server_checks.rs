//! Checks of the running tmux server for `symposium doctor`.

use crate::manager::diagnostics::ServerChecks;
use crate::manager::diagnostics::doctor::Check;
use crate::manager::status::TmuxObserver;
use crate::model::TmuxSnapshot;

/// Below this number of free file descriptors, the server is about to refuse agents.
const FEW_DESCRIPTORS: u64 = 128;

impl ServerChecks<'_> {
    /// Checks the running server. Returns nothing if no server runs.
    pub(in crate::manager) fn check_running_server(&self) -> Vec<Check> {
        [self.check_versions(), self.check_descriptors(), self.check_tmux_conf()]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Checks whether the server has the version of the tmux in PATH.
    fn check_versions(&self) -> Option<Check> {
        let tmux = self.0.tmux().ok()?;
        let Ok(TmuxSnapshot::Running(server)) = tmux.snapshot() else { return None };
        if server.version == tmux.version() {
            return None;
        }
        let saw = format!("the server runs tmux {}, PATH has {}", server.version, tmux.version());
        Some(match tmux.client_program() {
            Ok(client) => Check::note(
                "tmux versions",
                format!("{saw}; attach uses the server's own program, {}", client.display()),
                "no action is needed; the next tmux server uses the version in PATH",
            ),
            Err(_) => Check::bad(
                "tmux versions",
                format!("{saw}; attach may fail"),
                format!("put tmux {} first in PATH", server.version),
            ),
        })
    }

    /// Checks for a server that was asked to end but still holds the socket of the next one.
    pub(in crate::manager) fn check_stuck_server(&self) -> Option<Check> {
        let stuck = TmuxObserver(self.0).stuck_server(self.0.tmux().ok()?).ok()??;
        let advice = "symposium agent restore --all (it ends these processes first)";
        Some(Check::bad("server", stuck.description(), advice))
    }

    /// Checks `tmux.conf` for mistakes and for changes that the server has not read.
    fn check_tmux_conf(&self) -> Option<Check> {
        let tmux = self.0.tmux().ok()?;
        let state = tmux.conf_state().ok()??;
        if state.is_changed {
            let mut saw = "changed since the server read it".to_owned();
            for mistake in tmux.check_conf().unwrap_or_default() {
                saw.push_str("; ");
                saw.push_str(&mistake);
            }
            return Some(Check::note("tmux.conf", saw, "symposium config reload"));
        }
        let mistakes = tmux.conf_mistakes().ok().filter(|mistakes| !mistakes.is_empty())?;
        let advice = "correct the file, then `symposium config reload`";
        Some(Check::note("tmux.conf", mistakes.join("; "), advice))
    }

    /// Checks how many file descriptors the server has left.
    fn check_descriptors(&self) -> Option<Check> {
        let used = self.0.tmux().ok()?.descriptors()?;
        let saw = format!("the server has {} of {} open, {} left", used.open, used.limit, used.left());
        Some(if used.left() < FEW_DESCRIPTORS {
            let advice = "end agents that are not needed, or raise the hard limit (`ulimit -Hn`) before the server's \
                          next start";
            Check::note("file descriptors", saw, advice)
        } else {
            Check::good("file descriptors", saw)
        })
    }
}
