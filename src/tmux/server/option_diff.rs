//! What the server should know and mostly knows already: it is told only when something of it is other.
//!
//! Whenever an option is set, tmux goes through all sessions and windows, which takes a millisecond for a thousand of
//! them; and every command costs something. So all of it is one question.

use crate::tmux::script::{Script, command};
use crate::tmux::target;

/// Options and their values, and what else is to be done when one of them is other.
#[derive(Default)]
pub(in crate::tmux) struct News {
    /// True for tmux when something is other.
    is_other: Option<String>,
    deeds: Script,
    always: Script,
}

impl News {
    /// Sets this option.
    pub(in crate::tmux) fn option(&mut self, [scope, option]: [&str; 2], value: &[u8]) {
        let set = command(&["set-option", scope, option]);
        // What means something in a format is not compared; to set it again does no harm.
        match str::from_utf8(value).ok().filter(|value| !value.contains('#')) {
            Some(text) => self.when(option, text, |deed| {
                deed.then(&set).word(value);
            }),
            None => {
                self.always.then(&set).word(value);
            }
        }
    }

    /// Runs this when the option has another value.
    pub(in crate::tmux) fn when(&mut self, option: &str, value: &str, write: impl FnOnce(&mut Script)) {
        let is_other = format!("#{{!=:#{{{option}}},{}}}", target::in_format(value));
        let mut deed = Script::default();
        write(&mut deed);
        // A path cannot hold NUL, the one thing that cannot be said.
        let deed = deed.finish("an option").unwrap_or_default();
        self.deeds.then(&command(&["if-shell", "-F", &is_other])).word(deed);
        self.is_other = Some(match self.is_other.take() {
            Some(others) => format!("#{{||:{others},{is_other}}}"),
            None => is_other,
        });
    }

    /// Says it.
    pub(in crate::tmux) fn tell(self, script: &mut Script) {
        if let Some(is_other) = self.is_other {
            let deeds = self.deeds.finish("an option").unwrap_or_default();
            script.then(&command(&["if-shell", "-F", &is_other])).word(deeds);
        }
        script.append(&self.always);
    }
}
