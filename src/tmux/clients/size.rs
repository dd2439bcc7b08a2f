//! How large a session's window is: as large as the terminal of whoever drives, and as it was while nobody does.
//!
//! tmux heeds that a terminal is not to count only as long as another one counts. So it is never left to tmux: from its
//! birth on the window's size is `manual`, and is set when a driver comes and when a driver's terminal changes
//! (`hooks.conf`). Where all may type, the terminal that was used last decides: `@symposium_sizer` is its name,
//! `@symposium_typists` the names of those that it can be, and tmux counts none of the others. Names are enough:
//! whoever only watches strikes its own out when it comes.

use crate::tmux::script::{Script, command};
use crate::tmux::{TmuxError, target};

/// The name of the terminal that decides. `hooks.conf` says the same.
const DECIDES: &str = "#{?#{@symposium_driver},#{s/^[0-9]*@//:@symposium_driver},#{@symposium_sizer}}";
/// The terminal that runs the command.
pub(in crate::tmux) const OWN_NAME: &str = "#{client_name}";

/// Keeps the window as large as it is, whoever comes.
pub(in crate::tmux) fn kept(session: &str, script: &mut Script) {
    script.then(&command(&["resize-window", "-t", &target::pane_of(session)]));
}

/// Makes the window as large as the terminal of the one that decides, who has just come to. Not for others: a driver
/// that leaves is still there for a moment, and counts no more.
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

/// Where all may type: the terminal of this name decides, or the one that runs the command.
pub(in crate::tmux) fn by(session: &str, name: Option<&str>, script: &mut Script) -> Result<(), TmuxError> {
    let at = target::pane_of(session);
    let own = name.unwrap_or(OWN_NAME);
    script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_sized", "#{@symposium_sizer}"]));
    vacated(session, script);
    typist(session, own, script);
    script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_sizer", own]));
    let mut deed = Script::default();
    // The names are put in now, whether the terminal is still there is asked when it is told.
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

/// The terminal of this name never decides from now on: it only watches.
pub(in crate::tmux) fn not_by(session: &str, name: &str, script: &mut Script) -> Result<(), TmuxError> {
    let at = target::pane_of(session);
    let less = format!("#{{s| {name} ||:@symposium_typists}}");
    script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_typists", &less]));
    let mut nobody = Script::default();
    vacated(session, &mut nobody);
    nobody.then(&command(&["set-option", "-uq", "-t", &at, "@symposium_sizer"]));
    script.then(&command(&["if-shell", "-F", "-t", &at, &format!("#{{==:{DECIDES},{name}}}")]));
    script.word(nobody.finish("a size")?);
    Ok(())
}

/// Where all may type: the terminal of this name can decide.
pub(in crate::tmux) fn typist(session: &str, name: &str, script: &mut Script) {
    let all = format!("#{{s| {name} ||:@symposium_typists}} {name} ");
    let at = target::pane_of(session);
    script.then(&command(&["set-option", "-F", "-t", &at, "@symposium_typists", &all]));
}

/// tmux counts this terminal, or the one that runs the command.
pub(in crate::tmux) fn counted(name: Option<&str>, script: &mut Script) {
    match name {
        Some(name) => script.then(&command(&["refresh-client", "-t", name, "-f", "!ignore-size"])),
        None => script.then(&command(&["refresh-client", "-f", "!ignore-size"])),
    };
}

/// Nobody drives.
pub(in crate::tmux) fn vacated(session: &str, script: &mut Script) {
    let at = target::pane_of(session);
    for option in ["@symposium_driver", "@symposium_driver_words", "@symposium_driver_since"] {
        script.then(&command(&["set-option", "-uq", "-t", &at, option]));
    }
}
