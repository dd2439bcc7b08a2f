//! Typing while the view is scrolled back.
//!
//! The mouse wheel enters tmux's copy mode with `copy-mode -e`, in which every letter is a command. A user who scrolled
//! up to read and then types addresses the agent, so such a view has its own key table: navigation keys scroll, any
//! other key leaves the view and is delivered. Copy mode that was entered on purpose (`C-b [`) keeps the user's keys.
//!
//! tmux selects the key table of copy mode by the window option `mode-keys` (`copy-mode` or `copy-mode-vi`) at each
//! key. The scrolled view uses the table that the user's configuration does not select: `hooks.conf` sets `mode-keys`
//! of the window to it when the view is scrolled back, and unsets it when the view is left. `@symposium_typing` on the
//! server holds that value; `@symposium_scrolled` on a window marks a scrolled view.

use crate::tmux::TmuxError;
use crate::tmux::script::{Script, command};

const KEYS: &str = include_str!("scroll-keys.conf");

/// tmux 3.2 cannot send the key that was pressed, so each printable ASCII character has its own binding there.
const LACKS_SEND_OF_PRESSED_KEY: &str = "#{m:3.2*,#{version}}";

/// Returns the commands that choose the table and bind its keys. They come after the user's configuration, which may
/// set `mode-keys`.
pub(in crate::tmux) fn bindings() -> Result<Vec<u8>, TmuxError> {
    let choose = "if-shell -F '#{==:#{@symposium_typing},}' {\n\
                  if-shell -F '#{==:#{mode-keys},vi}' \
                  { set-option -s @symposium_typing emacs } { set-option -s @symposium_typing vi }\n}\n";
    let mut text = choose.as_bytes().to_vec();
    for (mode_keys, table) in [("vi", "copy-mode-vi"), ("emacs", "copy-mode")] {
        text.extend(format!("if-shell -F '#{{==:#{{@symposium_typing}},{mode_keys}}}' {{\n").into_bytes());
        text.extend(KEYS.replace("TABLE", table).into_bytes());
        let mut printable = Script::default();
        printable.then(&command(&["if-shell", "-F", LACKS_SEND_OF_PRESSED_KEY]));
        printable.word(printable_keys(table)?);
        text.extend(printable.finish("keys")?);
        text.extend(b"\n}\n");
    }
    Ok(text)
}

/// Binds each printable ASCII character, and the keys that edit a line.
fn printable_keys(table: &str) -> Result<Vec<u8>, TmuxError> {
    let characters =
        (b' '..=b'~').map(|byte| (char::from(byte).to_string(), format!("send-keys -H {byte:02x}")));
    let editing = ["BSpace", "Tab", "C-u", "C-w"].map(|key| (key.to_owned(), format!("send-keys {key}")));
    let mut script = Script::default();
    for (key, send) in characters.chain(editing) {
        let key = if key == " " { "Space" } else { &key };
        script.then(&command(&["bind-key", "-T", table, key, "if-shell", "-F", "#{@symposium_scrolled}"]));
        script.word(format!("send-keys -X cancel ; {send}"));
    }
    script.finish("keys")
}
