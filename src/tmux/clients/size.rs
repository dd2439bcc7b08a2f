//! Size of a session's window: the size of the driver's terminal, and unchanged while there is no driver.
//!
//! tmux honours `ignore-size` only while another client is counted, so the size is never left to tmux: `window-size` of
//! the window is `manual` from its creation on, and the size is set when a client becomes the driver and when the
//! driver's terminal is resized (`hooks.conf`). If all clients may type, the client that was used last determines the
//! size: `@symposium_sizer` is its name, `@symposium_typists` holds the names of the candidates, and tmux counts none
//! of the others. Names are sufficient here, because an observer removes its own name when it attaches.

use crate::tmux::script::{Script, command};
use crate::tmux::{TmuxError, target};

/// Format of the name of the client that determines the size. `hooks.conf` contains the same format.
const DECIDES: &str = "#{?#{@symposium_driver},#{s/^[0-9]*@//:@symposium_driver},#{@symposium_sizer}}";
/// Format of the name of the client that runs the command.
pub(in crate::tmux) const OWN_NAME: &str = "#{client_name}";

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
pub(in crate::tmux) fn by(session: &str, name: Option<&str>, script: &mut Script) -> Result<(), TmuxError> {
    let at = target::pane_of(session);
    let own = name.unwrap_or(OWN_NAME);
    script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_sized", "#{@symposium_sizer}"]));
    vacated(session, script);
    typist(session, own, script);
    script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_sizer", own]));
    let mut deed = Script::default();
    // The names are expanded now; whether the client is still attached is checked when the command runs.
    let is_there = "##{m/r:(^|##,)#{@symposium_sized}(##,|$),##{session_attached_list}}";
    deed.then(&command(&["if-shell", "-F", "-t", &at])).raw(is_there);
    deed.raw("refresh-client -t #{@symposium_sized} -f ignore-size");
    let mut other = Script::default();
    other.then(&command(&["run-shell", "-t", &at, "-C"])).word(deed.finish("a size")?);
    let is_other = format!("#{{&&:#{{!=:#{{@symposium_sized}},}},#{{!=:#{{@symposium_sized}},{own}}}}}");
    script.then(&command(&["if-shell", "-F", "-t", &at, &is_other])).word(other.finish("a size")?);
    counted(name, script);
    fitted(session, script)
}

/// Removes the named client, an observer, from the candidates that determine the size.
pub(in crate::tmux) fn not_by(session: &str, name: &str, script: &mut Script) -> Result<(), TmuxError> {
    let at = target::pane_of(session);
    let less = format!("#{{s| {name} ||:@symposium_typists}}");
    script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_typists", &less]));
    let mut without_sizer = Script::default();
    vacated(session, &mut without_sizer);
    without_sizer.then(&command(&["set-option", "-uq", "-t", &at, "@symposium_sizer"]));
    script.then(&command(&["if-shell", "-F", "-t", &at, &format!("#{{==:{DECIDES},{name}}}")]));
    script.word(without_sizer.finish("a size")?);
    Ok(())
}

/// If all clients may type: adds the named client to the candidates that determine the size.
pub(in crate::tmux) fn typist(session: &str, name: &str, script: &mut Script) {
    let all = format!("#{{s| {name} ||:@symposium_typists}} {name} ");
    let at = target::pane_of(session);
    script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_typists", &all]));
}

/// Makes tmux count the named client, or the one that runs the command.
pub(in crate::tmux) fn counted(name: Option<&str>, script: &mut Script) {
    match name {
        Some(name) => script.then(&command(&["refresh-client", "-t", name, "-f", "!ignore-size"])),
        None => script.then(&command(&["refresh-client", "-f", "!ignore-size"])),
    };
}

/// Clears the options that describe the driver.
pub(in crate::tmux) fn vacated(session: &str, script: &mut Script) {
    let at = target::pane_of(session);
    for option in ["@symposium_driver", "@symposium_driver_words", "@symposium_driver_since"] {
        script.then(&command(&["set-option", "-uq", "-t", &at, option]));
    }
}
