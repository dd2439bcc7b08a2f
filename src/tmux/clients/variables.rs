//! Variables that describe clients, such as `@symposium_driver`. Formats read them like options.
//!
//! They are hidden environment variables of a session or of the server. As options they would be expensive: whenever an
//! option is set, tmux recalculates the size of every window and redraws every client, so that the cost of an attach
//! would grow with the number of clients. A command that changes something visible in status lines uses
//! [`redraw_session`].
//!
//! Earlier versions used options of the same names, and an option hides a variable. Therefore each command also removes
//! the option, which costs nothing if there is none.

use crate::tmux::script::{Script, command};
use crate::tmux::target;

/// Sets a variable of the session. Formats in the value are expanded.
pub(in crate::tmux) fn set(session: &str, name: &str, value: &str, script: &mut Script) {
    script.then(&command(&["set-environment", "-hF", "-t", &target::session(session), name, value]));
    remove_option(session, name, script);
}

/// Removes a variable of the session.
pub(in crate::tmux) fn unset(session: &str, name: &str, script: &mut Script) {
    script.then(&command(&["set-environment", "-u", "-t", &target::session(session), name]));
    remove_option(session, name, script);
}

/// Sets a variable of the server. Formats in the value are expanded for the session, or for the current one.
pub(in crate::tmux) fn set_global(session: Option<&str>, name: &str, value: &str, script: &mut Script) {
    let session = session.map(target::session);
    let at = session.iter().flat_map(|session| ["-t", session]);
    let words: Vec<&str> = ["set-environment", "-ghF"].into_iter().chain(at).chain([name, value]).collect();
    script.then(&command(&words));
    script.then(&command(&["set-option", "-guq", name]));
}

/// Redraws the clients of the session, whose status lines show its driver.
pub(in crate::tmux) fn redraw_session(session: &str, script: &mut Script) {
    // `kill-session -C` kills nothing: it clears the alerts of the session, which attaching does as well, and redraws it.
    script.then(&command(&["kill-session", "-C", "-t", &target::session(session)]));
}

fn remove_option(session: &str, name: &str, script: &mut Script) {
    script.then(&command(&["set-option", "-uq", "-t", &target::pane_of(session), name]));
}
