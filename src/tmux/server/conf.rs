//! Configuration of our server: a constant text, the user's additions, and the hooks. Data reaches the hooks only
//! through options.
//!
//! The hooks run these commands, with `--home` in front and nothing behind:
//! `event pane-died --session=S --pane=%N --code=[N] --signal=[N]`, `event session-closed --session=S`, `event
//! client-attached --session=S`, `event client-moved --session=`, `event client-detached --session=`, and, for sessions
//! with [`crate::tmux::ActivityReports::On`], `event edge --session=S --edge=activity|silence|bell`. A value that tmux
//! does not know is empty; the session that a client has left is never known.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::base::atomic_file;
use crate::tmux::script::{FinishedScript, Script, command};
use crate::tmux::server::option_diff::OptionDiff;
use crate::tmux::transport::call::TmuxCall;
use crate::tmux::{Tmux, TmuxError, TmuxSetup, clients::scroll, server::socket};

const TEXT: &str =
    concat!(include_str!("server.conf"), include_str!("status-line.conf"), include_str!("keys.conf"));
const HOOKS: &str = include_str!("hooks.conf");

/// Writes the configuration unless the file is up to date, and returns its path.
pub(in crate::tmux) fn write(setup: &TmuxSetup) -> Result<PathBuf, TmuxError> {
    let path = path(setup);
    let text = text(setup)?;
    if std::fs::read(&path).is_ok_and(|there| there == text) {
        return Ok(path);
    }
    match atomic_file::replace(&path, &text) {
        Ok(()) => Ok(path),
        Err(source) => Err(TmuxError::File { doing: "write", path, source }),
    }
}

/// Returns the path of the configuration file.
pub(in crate::tmux) fn path(setup: &TmuxSetup) -> PathBuf {
    setup.run_dir.join("server.conf")
}

fn text(setup: &TmuxSetup) -> Result<Vec<u8>, TmuxError> {
    let mut script = Script::default();
    script.then(&command(&["source-file", "-q"])).word(plain_glob(&setup.user_conf)).begin_line();
    let mut end = Script::default();
    end.then(&command(&["set-option", "-s", "@symposium_user_conf", &hash_of(&setup.user_conf)]))
        .begin_line();
    end.then(&command(&["set-option", "-s", "@symposium_conf", &edition()?])).begin_line();
    // The hooks come last: a hook that the user sets without an index would replace ours, which have one.
    Ok([
        TEXT.as_bytes(),
        &script.finish("the path of tmux.conf")?,
        &scroll::bindings()?,
        HOOKS.as_bytes(),
        &end.finish("an edition")?,
    ]
    .concat())
}

/// Number of error lines that are read. Further errors show up once these are fixed.
const MAX_MISTAKES: usize = 6;
/// Prefix of an error line in the output of a launch.
const MISTAKE: &str = "mistake: ";

/// Moves tmux's errors about the user's file from the screen of the first session, where they would cover the agent's,
/// to the output of the launch, one line each. The server keeps them in an option for later queries. tmux 3.3 reveals
/// the lines of such a page only at its cursor.
pub(in crate::tmux) fn take_mistakes(pane: &str, script: &mut Script) -> Result<(), TmuxError> {
    let mut commands = Script::default();
    commands.then(&command(&["send-keys", "-X", "-t", pane, "history-top"]));
    for _ in 0..MAX_MISTAKES {
        let keep = ["set-option", "-asF", "-t", pane, "@symposium_mistakes", "#{copy_cursor_line}\n"];
        commands.then(&command(&keep));
        commands.then(&command(&[
            "display-message",
            "-p",
            "-t",
            pane,
            &format!("{MISTAKE}#{{copy_cursor_line}}"),
        ]));
        commands.then(&command(&["send-keys", "-X", "-t", pane, "cursor-down"]));
    }
    commands.then(&command(&["send-keys", "-X", "-t", pane, "cancel"]));
    script.then(&command(&["if-shell", "-F", "-t", pane, "#{==:#{pane_mode},view-mode}"]));
    script.word(commands.finish("mistakes")?);
    Ok(())
}

/// Separates the error lines from the rest of a launch's output.
pub(in crate::tmux) fn mistakes_in(output: &str) -> (Vec<String>, String) {
    let (mistakes, rest): (Vec<&str>, Vec<&str>) = output.lines().partition(|line| line.starts_with(MISTAKE));
    let mistakes: Vec<&str> = mistakes.into_iter().filter_map(|line| line.strip_prefix(MISTAKE)).collect();
    (whole(&mistakes), rest.join("\n"))
}

/// Prefix that tmux uses in place of a file and a line if the failed command comes from no file, for example from a
/// hook for a window that has just closed.
const NO_FILE: &str = "(null):";

/// Joins the lines of such a page that were wrapped to its width. Each error begins with the path of the file.
fn whole(lines: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut is_of_a_file = true;
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        match line {
            line if line.starts_with('/') => is_of_a_file = true,
            line if line.starts_with(NO_FILE) => is_of_a_file = false,
            _ => {}
        }
        if !is_of_a_file {
            continue;
        }
        // The first line of the page ends with the position of the cursor.
        let line = match line.rsplit_once(" [") {
            Some((text, place)) if all.is_empty() && place.ends_with(']') => text.trim_end(),
            _ => line,
        };
        match all.last_mut() {
            Some(last) if !line.starts_with('/') => last.push_str(line),
            _ => all.push(line.to_owned()),
        }
    }
    all
}

impl Tmux {
    /// Returns the errors that the server found in the user's additions when it read them, with file and line.
    pub fn conf_mistakes(&self) -> Result<Vec<String>, TmuxError> {
        match self.run_words("check the configuration", &["show-options", "-sqv", "@symposium_mistakes"]) {
            Err(other) if other.is_absence() => Ok(Vec::new()),
            other => Ok(whole(&other?.lines().collect::<Vec<_>>())),
        }
    }
}

/// Relation of a running server to the user's `tmux.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfState {
    /// Whether the file has changed since the server read it.
    pub is_changed: bool,
    /// Whether `mode-keys` selects the key table that scrolled views use (`scroll.rs`).
    pub mode_keys_clash: bool,
}

impl Tmux {
    /// Compares the server's configuration with the user's file. Returns `None` if no server is running.
    pub fn conf_state(&self) -> Result<Option<ConfState>, TmuxError> {
        let format = "#{@symposium_user_conf} #{==:#{mode-keys},#{@symposium_typing}}";
        let output = match self.run_words("query the configuration", &["display-message", "-p", format]) {
            Err(other) if other.is_absence() => return Ok(None),
            other => other?,
        };
        let (read, clash) = output.trim_end().split_once(' ').unwrap_or_default();
        // A server that an older version started has not recorded which file it read.
        let is_changed = !read.is_empty() && read != hash_of(&self.setup.user_conf);
        Ok(Some(ConfState { is_changed, mode_keys_clash: clash == "1" }))
    }

    /// Makes the server read its configuration again. Returns the errors in the user's file.
    pub fn reload_conf(&self) -> Result<Vec<String>, TmuxError> {
        let path = write(&self.setup)?;
        let pattern = plain_glob(&path);
        let mut script = Script::default();
        script.then(&command(&["set-option", "-su", "@symposium_mistakes"])).begin_line();
        script.then(&command(&["source-file"])).word(pattern);
        let FinishedScript { text, .. } = script.into_request("the configuration")?;
        let call = self.call("read the configuration", &["source-file", "-"]);
        let output = self.run(&TmuxCall { stdin: Some(&text), ..call })?;
        let printed = String::from_utf8_lossy(&output.out).into_owned();
        let mistakes: Vec<String> =
            printed.lines().chain(output.err.lines()).filter_map(|line| self.placed(line)).collect();
        if output.success || !mistakes.is_empty() {
            self.keep_mistakes(&mistakes)?;
            return Ok(mistakes);
        }
        self.parse_reply("read the configuration", output).map(|_| mistakes)
    }

    /// Returns the syntax errors in the user's current file. Executes none of its commands.
    pub fn check_conf(&self) -> Result<Vec<String>, TmuxError> {
        if !self.setup.user_conf.exists() {
            return Ok(Vec::new());
        }
        let mut script = Script::default();
        script.then(&command(&["source-file", "-n"])).word(plain_glob(&self.setup.user_conf));
        let FinishedScript { text, .. } = script.into_request("the configuration")?;
        let call = self.call("check the configuration", &["source-file", "-"]);
        let output = self.run(&TmuxCall { stdin: Some(&text), ..call })?;
        let printed = String::from_utf8_lossy(&output.out).into_owned();
        Ok(printed.lines().chain(output.err.lines()).filter_map(|line| self.placed(line)).collect())
    }

    /// Adds the file and line to a message about the user's file. tmux names the line of a syntax error only; for a
    /// command that it rejected, the line is found by the last part of the message.
    fn placed(&self, message: &str) -> Option<String> {
        let message = message.trim();
        if message.is_empty() || message.starts_with(NO_FILE) {
            return None;
        }
        if message.starts_with('/') {
            return Some(message.to_owned());
        }
        let path = self.setup.user_conf.display();
        let word = message.rsplit(": ").next().unwrap_or_default();
        let text = std::fs::read_to_string(&self.setup.user_conf).unwrap_or_default();
        let line = text.lines().position(|line| !word.is_empty() && line.contains(word));
        Some(match line {
            Some(line) => format!("{path}:{}: {message}", line + 1),
            None => format!("{path}: {message}"),
        })
    }

    fn keep_mistakes(&self, mistakes: &[String]) -> Result<(), TmuxError> {
        if mistakes.is_empty() {
            return Ok(());
        }
        let mut script = Script::default();
        script.then(&command(&["set-option", "-s", "@symposium_mistakes", &mistakes.join("\n")]));
        self.run_script("keep mistakes", script).map(drop)
    }
}

/// Returns a hash of the file, or `none` if it cannot be read.
fn hash_of(path: &Path) -> String {
    std::fs::read(path).map_or_else(|_| "none".to_owned(), |bytes| format!("{:08x}", socket::fnv1a(&bytes)))
}

/// Makes a server that an older version started read the configuration of this version.
pub(in crate::tmux) fn refresh(setup: &TmuxSetup, diff: &mut OptionDiff) -> Result<(), TmuxError> {
    diff.if_changed("@symposium_conf", &edition()?, |script| {
        script.then(&command(&["source-file"])).word(plain_glob(&path(setup)));
    });
    Ok(())
}

/// Returns a hash of the parts of the configuration that come with this version.
fn edition() -> Result<String, TmuxError> {
    let text = [TEXT.as_bytes(), &scroll::bindings()?, HOOKS.as_bytes()].concat();
    Ok(format!("{:08x}", socket::fnv1a(&text)))
}

/// Returns a glob pattern that matches only this path, because `source-file` expects patterns.
fn plain_glob(path: &Path) -> Vec<u8> {
    let mut pattern = Vec::new();
    for &byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'*' | b'?' | b'[' | b'\\') {
            pattern.push(b'\\');
        }
        pattern.push(byte);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_reported_completely_and_without_tmux_decoration() {
        let output = "mistake: /h/tmux.conf:2: invalid option: statu-left   [0/0]\n1:1 %0 7 a\n\
                    mistake: /h/tmux.conf:3: a line that is \nmistake: longer\nmistake: \n";
        let (mistakes, rest) = mistakes_in(output);
        let expected =
            ["/h/tmux.conf:2: invalid option: statu-left", "/h/tmux.conf:3: a line that is longer"];
        assert_eq!((mistakes, rest.as_str()), (expected.map(str::to_owned).into(), "1:1 %0 7 a"));
    }

    #[test]
    fn messages_about_a_window_that_has_gone_are_not_mistakes_of_a_file() {
        let output = "mistake: (null):0: no such window: @3 [0/0]\nmistake: and its rest\n\
                    mistake: /h/tmux.conf:3: a mistake\nmistake: (null):0: no such window: @4\n";
        assert_eq!(mistakes_in(output).0, ["/h/tmux.conf:3: a mistake"]);
    }
}
