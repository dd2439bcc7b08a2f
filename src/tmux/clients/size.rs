//! Size of a session's window: the size of the driver's terminal, and unchanged while there is no driver.
//!
//! tmux honours `ignore-size` only while another client is counted, so the size is never left to tmux: `window-size` of
//! the window is `manual` from its creation on, and the size is set when a client becomes the driver and when the
//! driver's terminal is resized (`hooks.conf`). If all clients may type, the client that was used last determines the
//! size: `@symposium_sizer` is its name, `@symposium_typists` holds the names of the candidates, and tmux counts none
//! of the others. Names are sufficient here, because an observer removes its own name when it attaches.

use crate::model::AgentName;
use crate::tmux::script::{Script, command};
use crate::tmux::{Tmux, TmuxError, clients::variables, target};

/// Format of the name of the client that determines the size. `hooks.conf` contains the same format.
const DECIDES: &str = "#{?#{@symposium_driver},#{s/^[0-9]*@//:@symposium_driver},#{@symposium_sizer}}";
/// Format of the name of the client that runs the command.
pub(in crate::tmux) const OWN_NAME: &str = "#{client_name}";

/// The window of a session without attached clients.
#[derive(Debug, Clone, Copy)]
pub struct DetachedWindow<'a>(pub &'a Tmux);

impl DetachedWindow<'_> {
    /// Resizes the window to these columns and lines. Returns `false` if a client is attached.
    pub fn resize(&self, session: &AgentName, (columns, lines): (u16, u16)) -> Result<bool, TmuxError> {
        let at = target::pane_of(session.as_str());
        let (columns, lines) = (columns.to_string(), lines.to_string());
        let mut resize = Script::default();
        resize.then(&command(&["resize-window", "-t", &at, "-x", &columns, "-y", &lines]));
        resize.then(&command(&["display-message", "-p", "resized"]));
        let name = target::in_format(session.as_str());
        // The name is compared because tmux evaluates the format for another session if this one does not exist.
        let test = format!("#{{&&:#{{==:#{{session_name}},{name}}},#{{==:#{{session_attached}},0}}}}");
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", &at, &test])).word(resize.finish("a size")?);
        Ok(self.0.run_script("resize a window", script)?.trim() == "resized")
    }
}

/// Keeps the current size of the window when a client attaches.
pub(in crate::tmux) fn kept(session: &str, script: &mut Script) {
    script.then(&command(&["resize-window", "-t", &target::pane_of(session)]));
}

/// Resizes the window to the terminal of the client that determines the size and has just attached. Otherwise keeps the
/// size: a driver that leaves is still listed for a moment, but is no longer counted.
pub(in crate::tmux) fn fitted(session: &str, script: &mut Script) -> Result<(), TmuxError> {
    let at = target::pane_of(session);
    let is_one = format!("#{{!=:{DECIDES},}}");
    let is_there = format!("#{{m/r:(^|#,){DECIDES}(#,|$),#{{session_attached_list}}}}");
    let [mut fit, mut keep] = [Script::default(), Script::default()];
    fit.then(&command(&["resize-window", "-A", "-t", &at]));
    kept(session, &mut keep);
    script.then(&command(&["if-shell", "-F", "-t", &at, &format!("#{{&&:{is_one},{is_there}}}")]));
    script.word(fit.finish("a size")?).word(keep.finish("a size")?);
    Ok(())
}

/// If all clients may type: makes the named client, or the one that runs the command, determine the size.
pub(in crate::tmux) fn size_by_client(
    session: &str,
    name: Option<&str>,
    script: &mut Script,
) -> Result<(), TmuxError> {
    let at = target::pane_of(session);
    let own = name.unwrap_or(OWN_NAME);
    variables::set(session, "@symposium_sized", "#{@symposium_sizer}", script);
    clear_driver(session, script);
    add_size_candidate(session, own, script);
    variables::set(session, "@symposium_sizer", own, script);
    let mut commands = Script::default();
    // The names are expanded now; whether the client is still attached is checked when the command runs.
    let is_there = "##{m/r:(^|##,)#{@symposium_sized}(##,|$),##{session_attached_list}}";
    commands.then(&command(&["if-shell", "-F", "-t", &at])).raw(is_there);
    commands.raw("refresh-client -t #{@symposium_sized} -f ignore-size");
    let mut other = Script::default();
    other.then(&command(&["run-shell", "-t", &at, "-C"])).word(commands.finish("a size")?);
    let is_other = format!("#{{&&:#{{!=:#{{@symposium_sized}},}},#{{!=:#{{@symposium_sized}},{own}}}}}");
    script.then(&command(&["if-shell", "-F", "-t", &at, &is_other])).word(other.finish("a size")?);
    counted(name, script);
    fitted(session, script)
}

/// Removes the named client, an observer, from the candidates that determine the size.
pub(in crate::tmux) fn not_by(session: &str, name: &str, script: &mut Script) -> Result<(), TmuxError> {
    let at = target::pane_of(session);
    let less = format!("#{{s| {name} ||:@symposium_typists}}");
    variables::set(session, "@symposium_typists", &less, script);
    let mut without_sizer = Script::default();
    clear_driver(session, &mut without_sizer);
    variables::unset(session, "@symposium_sizer", &mut without_sizer);
    script.then(&command(&["if-shell", "-F", "-t", &at, &format!("#{{==:{DECIDES},{name}}}")]));
    script.word(without_sizer.finish("a size")?);
    Ok(())
}

/// If all clients may type: adds the named client to the candidates that determine the size.
pub(in crate::tmux) fn add_size_candidate(session: &str, name: &str, script: &mut Script) {
    let all = format!("#{{s| {name} ||:@symposium_typists}} {name} ");
    variables::set(session, "@symposium_typists", &all, script);
}

/// Makes tmux count the named client, or the one that runs the command.
pub(in crate::tmux) fn counted(name: Option<&str>, script: &mut Script) {
    match name {
        Some(name) => script.then(&command(&["refresh-client", "-t", name, "-f", "!ignore-size"])),
        None => script.then(&command(&["refresh-client", "-f", "!ignore-size"])),
    };
}

/// Clears the variables that describe the driver.
pub(in crate::tmux) fn clear_driver(session: &str, script: &mut Script) {
    for name in ["@symposium_driver", "@symposium_driver_words", "@symposium_driver_since"] {
        variables::unset(session, name, script);
    }
}
