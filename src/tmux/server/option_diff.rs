//! Sets server options only if their values differ.
//!
//! When an option is set, tmux iterates over all sessions and windows, which takes a millisecond for a thousand of
//! them, and every command has a cost. Therefore all options are compared with a single condition.

use crate::tmux::script::{Script, command};
use crate::tmux::target;

/// Options with their expected values, and commands to run if a value differs.
#[derive(Default)]
pub(in crate::tmux) struct OptionDiff {
    /// tmux format that is true if any value differs.
    differs: Option<String>,
    commands: Script,
    always: Script,
}

impl OptionDiff {
    /// Sets the option if its value differs.
    pub(in crate::tmux) fn option(&mut self, [scope, option]: [&str; 2], value: &[u8]) {
        let set = command(&["set-option", scope, option]);
        // A value that contains a format is set without a comparison; setting it again is harmless.
        match str::from_utf8(value).ok().filter(|value| !value.contains('#')) {
            Some(text) => self.if_changed(option, text, |script| {
                script.then(&set).word(value);
            }),
            None => {
                self.always.then(&set).word(value);
            }
        }
    }

    /// Runs the commands if the option has another value.
    pub(in crate::tmux) fn if_changed(&mut self, option: &str, value: &str, write: impl FnOnce(&mut Script)) {
        let is_other = format!("#{{!=:#{{{option}}},{}}}", target::in_format(value));
        let mut script = Script::default();
        write(&mut script);
        // Only a NUL byte cannot be written, and a path cannot contain one.
        let script = script.finish("an option").unwrap_or_default();
        self.commands.then(&command(&["if-shell", "-F", &is_other])).word(script);
        self.differs = Some(match self.differs.take() {
            Some(others) => format!("#{{||:{others},{is_other}}}"),
            None => is_other,
        });
    }

    /// Appends the commands to the script.
    pub(in crate::tmux) fn write_to(self, script: &mut Script) {
        if let Some(is_other) = self.differs {
            let commands = self.commands.finish("an option").unwrap_or_default();
            script.then(&command(&["if-shell", "-F", &is_other])).word(commands);
        }
        script.append(&self.always);
    }
}
