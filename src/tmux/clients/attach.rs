//! Attaches clients to sessions and detaches them. `manager/terminal/attach.rs` decides when this process becomes the client.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::model::{AgentName, AttachPolicy, HostName};
use crate::tmux::clients::driver::{
    IfDriven, JoinReason, JoiningClient, OBSERVER, OWN_KEY, comes_from, in_words,
};
use crate::tmux::clients::size::OWN_NAME;
use crate::tmux::clients::variables;
use crate::tmux::script::{Script, command, sh_word};
use crate::tmux::snapshot::clock;
use crate::tmux::transport::call::{Growth, TmuxCall};
use crate::tmux::transport::program;
use crate::tmux::{Tmux, TmuxError, clients::size, server::conf, target, transport::linux, without_tmux};

/// Role that an attaching client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachAs {
    /// Drives if the session has no driver.
    Driver,
    /// Takes over: drives also if the session has a driver, which then observes.
    Taker,
    /// Observes and never types.
    Observer,
}

/// A request to attach a client to a session.
#[derive(Debug, Clone, Copy)]
pub struct AttachEntry<'a> {
    /// Session to attach to.
    pub session: &'a AgentName,
    /// Role that the client asks for.
    pub how: AttachAs,
    /// Attach policy of the environment.
    pub policy: AttachPolicy,
    /// Name of the user.
    pub user: &'a str,
    /// Owner of the agent, if it is another user.
    pub owner: Option<&'a str>,
    /// Address of the machine that the user connects from, over SSH.
    pub from: Option<&'a str>,
    /// Name of this host on the user's machine.
    pub host: Option<&'a HostName>,
    /// Time of the request.
    pub now: Timestamp,
    /// Whether the client is new or replaces one whose connection was lost.
    pub arrival: JoinReason,
    /// Page that covers the agent's screen until the driver presses a key.
    pub cover: Option<&'a CoverPage>,
    /// Environment of the client's terminal.
    pub around: AttachSurroundings,
}

/// Facts that are needed before a client is attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeforeAttach {
    /// Prefix key, which the user's configuration may have changed.
    pub prefix: String,
    /// Path of a tmux program that can attach to the server.
    pub client: PathBuf,
    /// Whether the server knows how many agents need an answer.
    pub shows_needing_answer: bool,
}

/// Factor by which the time limit of the query before an attach exceeds that of other calls.
const ATTACH_TIMEOUT_FACTOR: u32 = 3;

/// Environment of an attaching client's terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachSurroundings {
    /// A terminal outside of tmux, or in a tmux with another prefix key.
    Terminal,
    /// A pane of the user's own tmux, which takes the first prefix key.
    OwnTmux,
}

impl AttachSurroundings {
    /// Records the environment, so that the status line shows the right keys. The list is truncated, which drops
    /// clients that left long ago.
    pub(in crate::tmux) fn noted(self, session: &str) -> Script {
        let mut script = Script::default();
        if self == AttachSurroundings::OwnTmux {
            let nested = format!("#{{=-400:@symposium_nested}} {OWN_KEY} ");
            variables::set(session, "@symposium_nested", &nested, &mut script);
        }
        script
    }
}

impl AttachEntry<'_> {
    /// Returns how to treat another driver, or `None` if the client does not ask to become the driver.
    pub(in crate::tmux) fn if_driven(&self) -> Option<IfDriven> {
        match (self.how, self.policy) {
            (AttachAs::Observer, _) | (_, AttachPolicy::Shared) => None,
            (AttachAs::Driver, AttachPolicy::SingleDriver) => Some(IfDriven::Yield),
            (AttachAs::Taker, AttachPolicy::SingleDriver) => Some(IfDriven::Take),
        }
    }

    /// Returns the commands that prepare a driver's screen: removing an old page and showing the new one.
    fn prepare_screen(&self) -> Result<Script, TmuxError> {
        let mut script = Script::default();
        remove_old_page(self.session.as_str(), &mut script)?;
        match self.cover {
            Some(page) => page.show(self.session.as_str(), &mut script).map(|()| script),
            None => Ok(script),
        }
    }

    pub(in crate::tmux) fn words(&self, tty: &str) -> String {
        format!("{} since {}", in_words(self.user, tty, self.from), clock(self.now))
    }
}

/// A page of text that covers the agent's screen until the driver presses a key.
///
/// It is shown in the agent's pane in tmux's view mode, with the keys of a scrolled view (`scroll.rs`). A popup would
/// have been simpler, but tmux passes every key to the program in a popup, also the prefix, and loses keys that arrive
/// while the popup closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverPage {
    /// Program that prints the page, and its arguments. `--page COLUMNSxLINES`, the size of the pane, is added.
    pub argv: Vec<String>,
}

/// Makes the terminal send a paste as keys while the page is shown. From version 3.4 on, tmux drops a bracketed paste
/// into a pane that is in a mode; `hooks.conf` enables brackets again. Older versions do both by themselves.
const PASTE_AS_KEYS: &str = "#{?#{m/r:^3[.][23],#{version}},:,printf '\\033[?2004l' >#{client_tty}}";

impl CoverPage {
    /// Shows the page unless the pane is already in a mode.
    fn show(&self, session: &str, script: &mut Script) -> Result<(), TmuxError> {
        let at = target::pane_of(session);
        let words: Vec<Vec<u8>> = self.argv.iter().map(|word| sh_word(word.as_bytes())).collect();
        let mut commands = Script::default();
        // `run-shell` expands formats in its command, but not in the value of an option.
        commands.then(&command(&["set-option", "-s", "@symposium_cover"])).word(words.join(&b' '));
        let run = format!(
            "#{{@symposium_cover}} --page #{{pane_width}}x#{{pane_height}} 2>/dev/null || :; {PASTE_AS_KEYS}"
        );
        commands.then(&command(&["run-shell", "-t", &at, &run]));
        let mut keys = Script::default();
        keys.then(&command(&["set-option", "-w", "-t", &at, "@symposium_scrolled", "1"]));
        keys.then(&command(&["set-option", "-wF", "-t", &at, "@symposium_covered", "#{client_tty}"]));
        let focus = "#{m:*focused*,#{client_flags}}";
        keys.then(&command(&["set-option", "-wF", "-t", &at, "@symposium_focus", focus]));
        keys.then(&command(&["set-option", "-wF", "-t", &at, "mode-keys", "#{@symposium_typing}"]));
        commands.then(&command(&["if-shell", "-F", "-t", &at, "#{==:#{pane_mode},view-mode}"]));
        commands.word(keys.finish("a page")?);
        script.then(&command(&["if-shell", "-F", "-t", &at, "#{==:#{pane_in_mode},0}"]));
        script.word(commands.finish("a page")?);
        Ok(())
    }
}

/// Removes a page that a former driver left open.
fn remove_old_page(session: &str, script: &mut Script) -> Result<(), TmuxError> {
    let at = target::pane_of(session);
    let is_page = "#{&&:#{==:#{pane_mode},view-mode},#{!=:#{@symposium_scrolled},}}";
    let is_alone = "#{==:#{session_attached},1}";
    let mut leave = Script::default();
    leave.then(&command(&["copy-mode", "-q", "-t", &at]));
    script.then(&command(&["if-shell", "-F", "-t", &at, &format!("#{{&&:{is_page},{is_alone}}}")]));
    script.word(leave.finish("a page")?);
    Ok(())
}

impl Tmux {
    /// Replaces this process with a tmux client that is attached to the session. Returns only on failure. Also works
    /// inside the user's own tmux.
    pub fn attach(
        &self,
        entry: &AttachEntry<'_>,
        client: &Path,
        env: Vec<(OsString, OsString)>,
    ) -> TmuxError {
        let words = match self.attach_words(entry) {
            Ok(words) => words,
            Err(error) => return error,
        };
        let mut command = program::program(client);
        let source = command.arg0("tmux").args(words).env_clear().envs(without_tmux(&env)).exec();
        TmuxError::NotRun { program: client.to_owned(), source }
    }

    /// Returns the tmux arguments that attach a client to the session.
    pub fn attach_words(&self, entry: &AttachEntry<'_>) -> Result<Vec<OsString>, TmuxError> {
        let session = entry.session.as_str();
        let target = target::session(session);
        let mut words: Vec<OsString> = vec!["-u".into(), "-f".into(), conf::path(&self.setup).into()];
        words.extend(["-S".into(), self.setup.socket.path.clone().into()]);
        let mut script = Script::default();
        // This comes first: printing a page delays the commands after it, and the status line below the page shows the
        // keys.
        let around = entry.around.noted(session);
        match entry.if_driven() {
            None if entry.how == AttachAs::Observer => {
                size::kept(session, &mut script);
                script.then(&command(&["attach-session", "-t", &target, "-f", OBSERVER])).append(&around);
                size::not_by(session, OWN_NAME, &mut script)?;
            }
            None => {
                script.then(&command(&["attach-session", "-t", &target])).append(&around);
                size::size_by_client(session, None, &mut script)?;
                script.append(&entry.prepare_screen()?);
            }
            Some(meeting) => {
                // The client is not counted until it may type: the agent must not see a size that is reverted at once.
                let attach = ["attach-session", "-t", &target, "-f", "ignore-size"];
                script.then(&command(&attach)).append(&around);
                entry.host.iter().for_each(|host| comes_from(session, host, &mut script));
                let joining = JoiningClient {
                    session: entry.session,
                    named: None,
                    words: &entry.words("#{client_tty}"),
                    now: entry.now,
                    arrival: entry.arrival,
                };
                script.append(&joining.claim_commands(meeting, entry.prepare_screen()?)?);
            }
        }
        let output = script.into_request("an attach")?.words.unwrap_or_default();
        words.extend(output.into_iter().map(OsString::from_vec));
        Ok(words)
    }

    /// Detaches all clients of the session, or one. Returns how many.
    pub fn detach(&self, session: &str, client: Option<&str>) -> Result<usize, TmuxError> {
        let mut script = Script::default();
        let at = target::session(session);
        script.then(&command(&["list-clients", "-t", &at, "-F", "#{client_name}"]));
        if client.is_none() {
            script.then(&command(&["detach-client", "-s", &at]));
        }
        let names = match self.run_script("detach", script) {
            Err(other) if other.is_absence() => return Ok(0),
            other => other?,
        };
        let Some(client) = client else { return Ok(names.lines().count()) };
        let is_meant = |name: &&str| *name == client || name.strip_prefix("/dev/") == Some(client);
        let Some(name) = names.lines().find(is_meant) else { return Ok(0) };
        let mut script = Script::default();
        script.then(&command(&["detach-client", "-t", name]));
        self.run_script("detach", script).map(|_| 1)
    }

    /// Returns `true` if `$TMUX` refers to our server.
    pub fn is_inside(&self, tmux_var: Option<&OsStr>) -> bool {
        let Some(text) = tmux_var.and_then(OsStr::to_str) else { return false };
        // The format is `path,pid,session`, and the path may contain commas.
        let Some(path) = text.rsplitn(3, ',').nth(2) else { return false };
        let ours = std::fs::canonicalize(&self.setup.socket.path);
        ours.is_ok_and(|ours| std::fs::canonicalize(path).is_ok_and(|theirs| theirs == ours))
    }

    /// Queries the facts that are needed before a client is attached to the session.
    pub fn before_attach(&self, session: &AgentName) -> Result<BeforeAttach, TmuxError> {
        let format = "#{pid} #{version} #{?#{==:#{@symposium_needing_count},},0,1} #{prefix}";
        let at = target::pane_of(session.as_str());
        let words = ["display-message", "-p", "-t", &at, format];
        // Many clients may attach at once, and waiting is better for the user than trying again.
        let bound = self.setup.bound * ATTACH_TIMEOUT_FACTOR;
        let call = TmuxCall { growth: Growth::Terminal, bound, ..self.call("attach", &words) };
        let output = self.parse_reply("attach", self.run(&call)?)?;
        let mut words = output.trim_end().splitn(4, ' ');
        let [pid, version, counts, prefix] = std::array::from_fn(|_| words.next().unwrap_or_default());
        Ok(BeforeAttach {
            prefix: prefix.to_owned(),
            client: self.client_for(pid, version)?,
            shows_needing_answer: counts == "1",
        })
    }

    /// Returns the path of a tmux program that can attach to the running server.
    pub fn client_program(&self) -> Result<PathBuf, TmuxError> {
        self.client_program_for(Growth::None)
    }

    /// Does the same as [`Tmux::client_program`] for a client that is about to attach. Refuses it if the server is at its
    /// limit on file descriptors.
    pub fn client_program_to_attach(&self) -> Result<PathBuf, TmuxError> {
        self.client_program_for(Growth::Terminal)
    }

    fn client_program_for(&self, growth: Growth) -> Result<PathBuf, TmuxError> {
        let words = ["display-message", "-p", "#{pid} #{version}"];
        let call = TmuxCall { growth, ..self.call("attach", &words) };
        let output = self.parse_reply("attach", self.run(&call)?)?;
        let (pid, version) = output.trim_end().split_once(' ').unwrap_or_default();
        self.client_for(pid, version)
    }

    /// Returns the tmux of PATH if it has the server's version, otherwise the program that the server itself runs.
    /// Clients and servers of different versions are not always compatible (3.6 and 3.3a are not), and the server
    /// cannot be replaced without ending all agents.
    fn client_for(&self, server: &str, version: &str) -> Result<PathBuf, TmuxError> {
        if version == self.version {
            return Ok(self.program.clone());
        }
        server.parse().ok().and_then(linux::program_of).ok_or_else(|| TmuxError::OtherVersion {
            program: self.program.clone(),
            version: self.version.clone(),
            server: version.to_owned(),
        })
    }
}
