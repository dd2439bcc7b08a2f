//! Typing into a pane. tmux 3.3a dies of a paste into a dead pane, and takes all agents with it; so the pane is
//! checked inside the server, in the same step as the paste.

use super::script::{Script, command};
use super::transport::call::Call;
use super::{Tmux, TmuxError, target};

/// How bytes are put into a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paste {
    /// As a paste: with brackets around it when the program has asked for them.
    Bracketed,
    /// As typed: these bytes and nothing else.
    Raw,
}

impl Tmux {
    /// Puts these bytes into the pane, once. Leaves copy mode first, in which tmux forgets the brackets.
    pub fn paste(&self, pane: &str, text: &[u8], how: Paste) -> Result<(), TmuxError> {
        let buffer = format!("symposium-{}", uuid::Uuid::new_v4());
        let mut deed = Script::default();
        deed.then(&command(&["copy-mode", "-q", "-t", pane]));
        deed.then(&match how {
            Paste::Bracketed => command(&["paste-buffer", "-p", "-r", "-d", "-b", &buffer, "-t", pane]),
            Paste::Raw => command(&["paste-buffer", "-r", "-d", "-b", &buffer, "-t", pane]),
        });
        let mut instead = Script::default();
        instead.then(&command(&["delete-buffer", "-b", &buffer]));
        let (test, deed, instead) = (alive(target::pane(pane)?), written(deed)?, written_after(instead)?);
        let words =
            ["load-buffer", "-b", &buffer, "-", ";", "if-shell", "-F", "-t", pane, &test, &deed, &instead];
        // An empty standard input makes no buffer at all.
        if text.is_empty() {
            return Ok(());
        }
        let call = Call { stdin: Some(text), ..self.call("paste", &words) };
        let answer = self.understand("paste", self.run(&call)?)?;
        self.took(pane, &answer)
    }

    /// Presses keys by their tmux names; leaves copy mode first, which would take them for itself.
    pub fn keys(&self, pane: &str, keys: &[String]) -> Result<(), TmuxError> {
        let mut deed = Script::default();
        deed.then(&command(&["copy-mode", "-q", "-t", pane]));
        deed.then(&command(&["send-keys", "-t", pane, "--"]));
        deed.words(keys);
        let test = alive(target::pane(pane)?);
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", pane, &test]));
        script.word(written(deed)?).word(written_after(Script::default())?);
        let answer = self.tell("press keys", script)?;
        self.took(pane, &answer)
    }

    /// Whether the deed was done, and if not, what the pane is.
    fn took(&self, pane: &str, answer: &str) -> Result<(), TmuxError> {
        let pane = pane.to_owned();
        match answer.trim() {
            "done" => Ok(()),
            said if said == format!("not {pane} 1") => Err(TmuxError::DeadPane { pane }),
            _ => Err(TmuxError::NoPane { pane }),
        }
    }
}

/// True inside the server when the pane is this one (tmux tests another when it is gone) and has a process.
fn alive(pane: &str) -> String {
    format!("#{{&&:#{{==:#{{pane_id}},{pane}}},#{{==:#{{pane_dead}},0}}}}")
}

/// The deed as a word, which says `done` at its end.
fn written(mut deed: Script) -> Result<String, TmuxError> {
    deed.then(&command(&["display-message", "-p", "done"]));
    text_of(deed)
}

/// What happens instead as a word, which says what the pane is.
fn written_after(mut instead: Script) -> Result<String, TmuxError> {
    instead.then(&command(&["display-message", "-p", "not #{pane_id} #{pane_dead}"]));
    text_of(instead)
}

fn text_of(script: Script) -> Result<String, TmuxError> {
    Ok(String::from_utf8_lossy(&script.finish("keys")?).into_owned())
}
