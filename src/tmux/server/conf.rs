//! The configuration of our server: a constant text, the user's additions, and the hooks, which data reaches
//! through options only.
//!
//! What a hook runs, `--home` before and nothing after:
//! `event pane-died --session=S --pane=%N --code=[N] --signal=[N]`, `event session-closed --session=S`,
//! `event client-attached --session=S`, `event client-moved --session=`, `event client-detached --session=`, and where [`crate::tmux::Edges`] are told
//! `event edge --session=S --edge=activity|silence|bell`. A value that tmux does not know is
//! empty; the session that a terminal has left is never known.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::tmux::script::{Script, Spoken, command};
use crate::tmux::server::option_diff::News;
use crate::tmux::transport::call::Call;
use crate::tmux::{
    Setup, Tmux, TmuxError,
    clients::scroll,
    server::{files, socket},
};

const TEXT: &str = include_str!("server.conf");
const HOOKS: &str = include_str!("hooks.conf");

/// Writes the configuration when it is not there as it should be, and says where it is.
pub(in crate::tmux) fn write(setup: &Setup) -> Result<PathBuf, TmuxError> {
    let path = path(setup);
    let text = text(setup)?;
    if std::fs::read(&path).is_ok_and(|there| there == text) {
        return Ok(path);
    }
    match files::replace(&path, &text) {
        Ok(()) => Ok(path),
        Err(source) => Err(TmuxError::File { doing: "write", path, source }),
    }
}

/// Where the configuration is.
pub(in crate::tmux) fn path(setup: &Setup) -> PathBuf {
    setup.run_dir.join("server.conf")
}

fn text(setup: &Setup) -> Result<Vec<u8>, TmuxError> {
    let mut script = Script::default();
    script.then(&command(&["source-file", "-q"])).word(plain_glob(&setup.user_conf)).anyway();
    let mut end = Script::default();
    end.then(&command(&["set-option", "-s", "@symposium_user_conf", &hash_of(&setup.user_conf)])).anyway();
    end.then(&command(&["set-option", "-s", "@symposium_conf", &edition()?])).anyway();
    // The hooks come last: a hook that the user sets without an index would wipe ours, and ours have one.
    Ok([
        TEXT.as_bytes(),
        &script.finish("the path of tmux.conf")?,
        &scroll::bindings()?,
        HOOKS.as_bytes(),
        &end.finish("an edition")?,
    ]
    .concat())
}

/// How many lines about mistakes are read; the rest shows when these are mended.
const MOST_MISTAKES: usize = 6;
/// What a line about a mistake begins with, in what a launch says.
const MISTAKE: &str = "mistake: ";

/// Takes what tmux has to say about mistakes in the user's file off the screen of the first session, where it would lie
/// over the agent's, and says it: a line each, kept also with the server for whoever asks later. tmux 3.3 shows the lines
/// of such a page only where its cursor is.
pub(in crate::tmux) fn take_mistakes(pane: &str, script: &mut Script) -> Result<(), TmuxError> {
    let mut deed = Script::default();
    deed.then(&command(&["send-keys", "-X", "-t", pane, "history-top"]));
    for _ in 0..MOST_MISTAKES {
        let keep = ["set-option", "-asF", "-t", pane, "@symposium_mistakes", "#{copy_cursor_line}\n"];
        deed.then(&command(&keep));
        deed.then(&command(&[
            "display-message",
            "-p",
            "-t",
            pane,
            &format!("{MISTAKE}#{{copy_cursor_line}}"),
        ]));
        deed.then(&command(&["send-keys", "-X", "-t", pane, "cursor-down"]));
    }
    deed.then(&command(&["send-keys", "-X", "-t", pane, "cancel"]));
    script.then(&command(&["if-shell", "-F", "-t", pane, "#{==:#{pane_mode},view-mode}"]));
    script.word(deed.finish("mistakes")?);
    Ok(())
}

/// Parts what a launch said about mistakes from the rest.
pub(in crate::tmux) fn mistakes_in(said: &str) -> (Vec<String>, String) {
    let (told, rest): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.starts_with(MISTAKE));
    let told: Vec<&str> = told.into_iter().filter_map(|line| line.strip_prefix(MISTAKE)).collect();
    (whole(&told), rest.join("\n"))
}

/// What tmux writes in place of a file and a line when a command failed that no file holds, such as one of a hook for a window
/// that has just gone.
const NO_FILE: &str = "(null):";

/// The lines of such a page as they were before they were broken to fit it; each begins with the path of the file.
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
        // Where in the page the cursor is stands at the end of its first line.
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
    /// What was wrong with the user's additions when the server read them, with file and line.
    pub fn conf_mistakes(&self) -> Result<Vec<String>, TmuxError> {
        match self.ask("look for mistakes", &["show-options", "-sqv", "@symposium_mistakes"]) {
            Err(other) if other.is_absence() => Ok(Vec::new()),
            other => Ok(whole(&other?.lines().collect::<Vec<_>>())),
        }
    }
}

/// How a running server stands to the user's `tmux.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfState {
    /// Whether the file is another than the one that the server has read.
    pub is_changed: bool,
    /// Whether `mode-keys` selects the key table that serves scrolled views (`scroll.rs`).
    pub mode_keys_clash: bool,
}

impl Tmux {
    /// Compares the server's configuration with the user's file; none when no server runs.
    pub fn conf_state(&self) -> Result<Option<ConfState>, TmuxError> {
        let format = "#{@symposium_user_conf} #{==:#{mode-keys},#{@symposium_typing}}";
        let said = match self.ask("look at the configuration", &["display-message", "-p", format]) {
            Err(other) if other.is_absence() => return Ok(None),
            other => other?,
        };
        let (read, clash) = said.trim_end().split_once(' ').unwrap_or_default();
        // A server that an older version started does not say what it has read.
        let is_changed = !read.is_empty() && read != hash_of(&self.setup.user_conf);
        Ok(Some(ConfState { is_changed, mode_keys_clash: clash == "1" }))
    }

    /// Has the server read its configuration again; says what is wrong with the user's file.
    pub fn reload_conf(&self) -> Result<Vec<String>, TmuxError> {
        let path = write(&self.setup)?;
        let pattern = plain_glob(&path);
        let mut script = Script::default();
        script.then(&command(&["set-option", "-su", "@symposium_mistakes"])).anyway();
        script.then(&command(&["source-file"])).word(pattern);
        let Spoken { text, .. } = script.spoken("the configuration")?;
        let call = self.call("read the configuration", &["source-file", "-"]);
        let said = self.run(&Call { stdin: Some(&text), ..call })?;
        let printed = String::from_utf8_lossy(&said.out).into_owned();
        let mistakes: Vec<String> =
            printed.lines().chain(said.err.lines()).filter_map(|line| self.placed(line)).collect();
        if said.success || !mistakes.is_empty() {
            self.keep_mistakes(&mistakes)?;
            return Ok(mistakes);
        }
        self.understand("read the configuration", said).map(|_| mistakes)
    }

    /// Mistakes of syntax in the user's file as it is now; nothing of it is executed.
    pub fn check_conf(&self) -> Result<Vec<String>, TmuxError> {
        if !self.setup.user_conf.exists() {
            return Ok(Vec::new());
        }
        let mut script = Script::default();
        script.then(&command(&["source-file", "-n"])).word(plain_glob(&self.setup.user_conf));
        let Spoken { text, .. } = script.spoken("the configuration")?;
        let call = self.call("check the configuration", &["source-file", "-"]);
        let said = self.run(&Call { stdin: Some(&text), ..call })?;
        let printed = String::from_utf8_lossy(&said.out).into_owned();
        Ok(printed.lines().chain(said.err.lines()).filter_map(|line| self.placed(line)).collect())
    }

    /// A message about the user's file, with its line. tmux names the line of a mistake of syntax only; for a command that it
    /// refused, the line is looked up by the word that the message ends with.
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
        self.tell("keep mistakes", script).map(drop)
    }
}

/// A hash of a file, or a word for one that is not there.
fn hash_of(path: &Path) -> String {
    std::fs::read(path).map_or_else(|_| "none".to_owned(), |bytes| format!("{:08x}", socket::fnv1a(&bytes)))
}

/// Has a server that an older symposium started read the configuration of this one.
pub(in crate::tmux) fn refresh(setup: &Setup, news: &mut News) -> Result<(), TmuxError> {
    news.when("@symposium_conf", &edition()?, |script| {
        script.then(&command(&["source-file"])).word(plain_glob(&path(setup)));
    });
    Ok(())
}

/// A hash of the parts of the configuration that come with this version.
fn edition() -> Result<String, TmuxError> {
    let text = [TEXT.as_bytes(), &scroll::bindings()?, HOOKS.as_bytes()].concat();
    Ok(format!("{:08x}", socket::fnv1a(&text)))
}

/// A glob pattern that matches this path only, because `source-file` takes patterns.
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
    fn mistakes_are_told_whole_and_without_what_the_page_adds() {
        let said = "mistake: /h/tmux.conf:2: invalid option: statu-left   [0/0]\n1:1 %0 7 a\n\
                    mistake: /h/tmux.conf:3: a line that is \nmistake: longer\nmistake: \n";
        let (mistakes, rest) = mistakes_in(said);
        let expected =
            ["/h/tmux.conf:2: invalid option: statu-left", "/h/tmux.conf:3: a line that is longer"];
        assert_eq!((mistakes, rest.as_str()), (expected.map(str::to_owned).into(), "1:1 %0 7 a"));
    }

    #[test]
    fn messages_about_a_window_that_has_gone_are_not_mistakes_of_a_file() {
        let said = "mistake: (null):0: no such window: @3 [0/0]\nmistake: and its rest\n\
                    mistake: /h/tmux.conf:3: a mistake\nmistake: (null):0: no such window: @4\n";
        assert_eq!(mistakes_in(said).0, ["/h/tmux.conf:3: a mistake"]);
    }
}
