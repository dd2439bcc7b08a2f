//! The user's own tmux, in which a terminal that attaches may be. It is only asked for its prefix keys.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use crate::tmux::transport::call::TmuxCall;
use crate::tmux::transport::program;
use crate::tmux::{Tmux, TmuxError};

/// Time limit for the answer. The user waits for it before an attach.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

impl Tmux {
    /// Returns the prefix keys of the user's tmux from the values of `TMUX` and `TMUX_PANE`, or `None` if it does not
    /// answer.
    pub fn prefixes_of_own_tmux(&self, tmux_var: &OsStr, pane: Option<&OsStr>) -> Option<Vec<String>> {
        let socket = OsStr::from_bytes(socket_of(tmux_var.as_bytes())?);
        // The prefix is an option of the session.
        let target = pane.and_then(OsStr::to_str).map(|pane| ["-t", pane]);
        let mut words = vec!["display-message", "-p"];
        words.extend(target.into_iter().flatten());
        words.push("#{prefix} #{prefix2}");
        let call = TmuxCall { bound: ANSWER_TIMEOUT, ..self.call("own tmux", &words) };
        let output = program::run(&self.program, &["-S".as_ref(), socket], &call).ok()?;
        let text = String::from_utf8(output.out).ok().filter(|_| output.success)?;
        Some(text.split_whitespace().map(str::to_owned).collect())
    }

    /// Returns the prefix key of our server.
    pub fn prefix(&self) -> Result<String, TmuxError> {
        let words = ["display-message", "-p", "#{prefix}"];
        Ok(self.parse_reply("prefix", self.run(&self.call("prefix", &words))?)?.trim().to_owned())
    }
}

/// Returns the path in the value of `TMUX`: `path,pid,session`. The path may contain commas.
fn socket_of(tmux_var: &[u8]) -> Option<&[u8]> {
    tmux_var.rsplitn(3, |byte| *byte == b',').nth(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_is_all_before_the_last_two_commas() {
        assert_eq!(socket_of(b"/tmp/a,b/default,42,0"), Some(&b"/tmp/a,b/default"[..]));
        assert_eq!(socket_of(b"/tmp/default,42"), None);
    }
}
