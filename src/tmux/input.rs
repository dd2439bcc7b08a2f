//! Sends input to a pane. A paste into a dead pane crashes tmux 3.3a and with it all agents, so the server itself
//! checks the pane in the same command that pastes.

use super::script::{Script, command};
use super::transport::call::TmuxCall;
use super::{Tmux, TmuxError, target};

/// How bytes are sent to a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paste {
    /// As a paste, in brackets if the program has enabled bracketed paste.
    Bracketed,
    /// As typed input, without any additions.
    Raw,
}

impl Tmux {
    /// Sends the bytes to the pane exactly once. Leaves copy mode first, because tmux omits the paste brackets in it.
    pub fn paste(&self, pane: &str, text: &[u8], how: Paste) -> Result<(), TmuxError> {
        let buffer = format!("symposium-{}", uuid::Uuid::new_v4());
        let mut commands = Script::default();
        commands.then(&command(&["copy-mode", "-q", "-t", pane]));
        commands.then(&match how {
            Paste::Bracketed => command(&["paste-buffer", "-p", "-r", "-d", "-b", &buffer, "-t", pane]),
            Paste::Raw => command(&["paste-buffer", "-r", "-d", "-b", &buffer, "-t", pane]),
        });
        let mut instead = Script::default();
        instead.then(&command(&["delete-buffer", "-b", &buffer]));
        let (test, commands, instead) =
            (alive(target::pane(pane)?), written(commands)?, written_after(instead)?);
        let words = [
            "load-buffer",
            "-b",
            &buffer,
            "-",
            ";",
            "if-shell",
            "-F",
            "-t",
            pane,
            &test,
            &commands,
            &instead,
        ];
        // tmux creates no buffer from an empty standard input.
        if text.is_empty() {
            return Ok(());
        }
        let call = TmuxCall { stdin: Some(text), ..self.call("paste", &words) };
        let answer = self.parse_reply("paste", self.run(&call)?)?;
        self.parse_delivery(pane, &answer)
    }

    /// Presses keys, given by their tmux names. Leaves copy mode first, because it would interpret the keys itself.
    pub fn keys(&self, pane: &str, keys: &[String]) -> Result<(), TmuxError> {
        let mut commands = Script::default();
        commands.then(&command(&["copy-mode", "-q", "-t", pane]));
        commands.then(&command(&["send-keys", "-t", pane, "--"]));
        commands.words(keys);
        let test = alive(target::pane(pane)?);
        let mut script = Script::default();
        script.then(&command(&["if-shell", "-F", "-t", pane, &test]));
        script.word(written(commands)?).word(written_after(Script::default())?);
        let answer = self.run_script("press keys", script)?;
        self.parse_delivery(pane, &answer)
    }

    /// Converts the answer of the script: `done` is success, anything else means that the pane is dead or does not
    /// exist.
    fn parse_delivery(&self, pane: &str, answer: &str) -> Result<(), TmuxError> {
        let pane = pane.to_owned();
        match answer.trim() {
            "done" => Ok(()),
            output if output == format!("not {pane} 1") => Err(TmuxError::DeadPane { pane }),
            _ => Err(TmuxError::NoPane { pane }),
        }
    }
}

/// Returns a tmux format that is true if the pane has this id and a running process. The id is compared because tmux
/// evaluates the format for another pane if this one does not exist.
fn alive(pane: &str) -> String {
    format!("#{{&&:#{{==:#{{pane_id}},{pane}}},#{{==:#{{pane_dead}},0}}}}")
}

/// Renders the commands for the successful case as one argument. They print `done` at the end.
fn written(mut commands: Script) -> Result<String, TmuxError> {
    commands.then(&command(&["display-message", "-p", "done"]));
    text_of(commands)
}

/// Renders the commands for the other case as one argument. They print the id of the pane and whether it is dead.
fn written_after(mut instead: Script) -> Result<String, TmuxError> {
    instead.then(&command(&["display-message", "-p", "not #{pane_id} #{pane_dead}"]));
    text_of(instead)
}

fn text_of(script: Script) -> Result<String, TmuxError> {
    Ok(String::from_utf8_lossy(&script.finish("keys")?).into_owned())
}
