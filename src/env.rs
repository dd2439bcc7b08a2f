//! The environment of this process: variables, working directory, binary, user and clock.
//!
//! It is captured once at the start and passed down as values. Other modules must never read it themselves.

mod clock;
mod random;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

pub use clock::Clock;

use crate::model::EnvironmentName;

/// The variable that marks every process of an agent with the agent's id.
pub const AGENT_ID: &str = "SYMPOSIUM_AGENT_ID";
/// The variable that holds the agent's name.
pub const AGENT: &str = "SYMPOSIUM_AGENT";
/// The variable that holds the agent's state directory.
pub const HOME: &str = "SYMPOSIUM_HOME";

/// The environment with which this process was started.
#[derive(Debug, Clone)]
pub struct Env {
    vars: Vec<(OsString, OsString)>,
    cwd: Option<PathBuf>,
    exe: PathBuf,
}

/// The state directory, and whether it is the user's default one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDirPath {
    /// The path of the state directory.
    pub path: PathBuf,
    /// Whether no other directory was chosen.
    pub is_default: bool,
}

impl Env {
    /// Captures the environment of this process.
    #[expect(clippy::disallowed_methods, reason = "this is the only place that reads the environment")]
    pub fn capture() -> Env {
        Env {
            vars: std::env::vars_os().collect(),
            cwd: std::env::current_dir().ok(),
            exe: std::env::current_exe().map(without_deleted_mark).unwrap_or_else(|_| "symposium".into()),
        }
    }

    /// Returns an environment with these variables and this working directory.
    #[cfg(test)]
    pub fn of_test(vars: &[(&str, &str)], cwd: PathBuf) -> Env {
        Env {
            vars: vars.iter().map(|(key, value)| (key.into(), value.into())).collect(),
            cwd: Some(cwd),
            exe: "/bin/symposium".into(),
        }
    }

    /// Returns the current path of the binary that this process runs, or `None` if it was deleted or replaced since
    /// the process started.
    #[expect(clippy::disallowed_methods, reason = "this module reads what surrounds the process")]
    pub fn running_binary() -> Option<PathBuf> {
        let exe = std::env::current_exe().ok()?;
        (without_deleted_mark(exe.clone()) == exe).then_some(exe)
    }

    /// Returns the width from `COLUMNS`.
    #[expect(clippy::disallowed_methods, reason = "this module reads the environment")]
    pub fn columns() -> Option<usize> {
        std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0)
    }

    /// Returns the monotonic clock of this machine, which is the same for all processes, is never set, and stops
    /// during suspend.
    pub fn monotonic() -> std::time::Duration {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        std::time::Duration::try_from(now).unwrap_or_default()
    }

    /// Returns the path of the terminal that this process reads from.
    pub fn terminal() -> Option<String> {
        rustix::termios::ttyname(rustix::stdio::stdin(), Vec::new()).ok()?.into_string().ok()
    }

    /// Returns the id of the user that this process runs as.
    pub fn uid() -> u32 {
        rustix::process::getuid().as_raw()
    }

    /// Returns the value of a variable. An empty variable counts as not set.
    pub fn var(&self, key: &str) -> Option<&OsStr> {
        self.vars.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_os_str()).filter(|v| !v.is_empty())
    }

    /// Returns whether a variable is set, including to an empty value.
    pub fn is_set(&self, key: &str) -> bool {
        self.vars.iter().any(|(known, _)| known == key)
    }

    /// Returns the directory in which this process was started.
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// Returns the path of this binary.
    pub fn exe(&self) -> &Path {
        &self.exe
    }

    /// Returns the state directory: `--home`, else `SYMPOSIUM_HOME`, else `~/.symposium`. `@NAME` selects one of the
    /// user's named environments.
    pub fn home(&self, flag: Option<&Path>) -> Option<StateDirPath> {
        let default = self.user_home().map(|home| home.join(".symposium"));
        match self.chosen(flag) {
            Some(path) => {
                let named =
                    path.to_str().and_then(|text| text.strip_prefix('@')).filter(|name| is_name(name));
                if let Some((name, environments)) = named.zip(self.environments()) {
                    return Some(StateDirPath { path: environments.join(name), is_default: false });
                }
                let path = self.cwd.as_ref().map_or_else(|| path.clone(), |cwd| cwd.join(&path));
                let is_default = default.as_ref() == Some(&path);
                Some(StateDirPath { path, is_default })
            }
            None => default.map(|path| StateDirPath { path, is_default: true }),
        }
    }

    fn chosen(&self, flag: Option<&Path>) -> Option<PathBuf> {
        flag.map(Path::to_path_buf).or_else(|| self.var(HOME).map(PathBuf::from))
    }

    /// Returns the text after the `@` of the chosen state directory, even if it is not a valid name.
    pub fn chosen_environment(&self, flag: Option<&Path>) -> Option<String> {
        self.chosen(flag)?.to_str()?.strip_prefix('@').map(str::to_owned)
    }

    /// Returns the directory of the user's named environments.
    pub fn environments(&self) -> Option<PathBuf> {
        self.user_home().map(|home| home.join(".symposium/envs"))
    }

    /// Returns the user's home directory.
    pub fn user_home(&self) -> Option<PathBuf> {
        let known = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        self.var("HOME").map(PathBuf::from).or_else(known)
    }

    /// Returns the variables that an agent inherits: those of the spawning process, without the ones that belong to
    /// its own terminal, tmux or agent.
    pub fn for_agents(&self) -> impl Iterator<Item = &(OsString, OsString)> {
        self.vars.iter().filter(|(key, _)| key.to_str().is_none_or(|key| !is_the_spawners_own(key)))
    }

    /// Returns all variables.
    pub fn all(&self) -> &[(OsString, OsString)] {
        &self.vars
    }

    /// Returns all variables except those of the surrounding tmux, for a terminal that is attached.
    pub fn for_terminals(&self) -> Vec<(OsString, OsString)> {
        self.vars.iter().filter(|(key, _)| key != "TMUX" && key != "TMUX_PANE").cloned().collect()
    }

    /// Returns the few variables that the tmux server receives, so that no agent inherits the secrets of another
    /// spawning process.
    pub fn for_server(&self) -> Vec<(OsString, OsString)> {
        // The socket is included, because hooks must find the server that runs them.
        const KEPT: [&str; 9] = [
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "LANG",
            "TZ",
            "XDG_RUNTIME_DIR",
            "SYMPOSIUM_TMUX_SOCKET",
        ];
        let mut kept: Vec<_> = self
            .vars
            .iter()
            .filter(|(key, _)| key.to_str().is_some_and(|k| KEPT.contains(&k) || k.starts_with("LC_")))
            .cloned()
            .collect();
        kept.push(("TERM".into(), self.var("TERM").unwrap_or(OsStr::new("xterm-256color")).to_owned()));
        kept
    }

    /// Returns the variables that the supervisor receives: only the necessary ones, because it outlives the process
    /// that started it.
    pub fn for_supervisor(&self) -> Vec<(OsString, OsString)> {
        let mut kept = self.for_server();
        let is_needed = |key: &OsStr| key.to_str().is_some_and(|key| FOR_SUPERVISOR.contains(&key));
        kept.extend(self.vars.iter().filter(|(key, _)| is_needed(key)).cloned());
        kept
    }
}

fn is_name(text: &str) -> bool {
    text.parse::<EnvironmentName>().is_ok()
}

/// The additional variables of the supervisor: how to reach our tmux server and the desktop.
const FOR_SUPERVISOR: [&str; 7] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "SYMPOSIUM_TMUX_SOCKET",
    "TMUX_TMPDIR",
    "WAYLAND_DISPLAY",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// Removes the suffix ` (deleted)` with which the kernel marks a binary that was replaced while running; the new one
/// has the same path.
fn without_deleted_mark(exe: PathBuf) -> PathBuf {
    match exe.to_str().and_then(|text| text.strip_suffix(" (deleted)")) {
        Some(text) => PathBuf::from(text),
        None => exe,
    }
}

fn is_the_spawners_own(key: &str) -> bool {
    const NAMES: [&str; 18] = [
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_CODE_EXECPATH",
        "CODEX_SANDBOX",
        "GEMINI_CLI",
        "QWEN_CODE",
        "STY",
        "TERM",
        "TERMCAP",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "LINES",
        "COLUMNS",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
    ];
    NAMES.contains(&key) || key.starts_with("TMUX") || key.starts_with("SYMPOSIUM_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(vars: &[(&str, &str)]) -> Env {
        Env::of_test(vars, "/work".into())
    }

    #[test]
    fn agents_do_not_inherit_the_spawners_terminal_or_agent() {
        let env = env(&[
            ("PATH", "/bin"),
            ("TMUX", "/tmp/x,1,0"),
            ("TMUX_PANE", "%1"),
            ("CLAUDECODE", "1"),
            ("TERM", "dumb"),
            ("SYMPOSIUM_AGENT", "parent"),
            ("API_KEY", "s3cret"),
        ]);
        let kept: Vec<_> = env.for_agents().map(|(k, _)| k.to_str().unwrap()).collect();
        assert_eq!(kept, ["PATH", "API_KEY"]);
        let server: Vec<_> = env.for_server().into_iter().map(|(k, _)| k.into_string().unwrap()).collect();
        assert_eq!(server, ["PATH", "TERM"]);
    }

    #[test]
    fn the_home_is_the_flag_then_the_variable_then_the_default() {
        let plain = env(&[("HOME", "/home/u")]);
        let chosen = env(&[("HOME", "/home/u"), ("SYMPOSIUM_HOME", "rel")]);
        let home = |path: &str, is_default| Some(StateDirPath { path: path.into(), is_default });
        assert_eq!(plain.home(None), home("/home/u/.symposium", true));
        assert_eq!(chosen.home(None), home("/work/rel", false));
        assert_eq!(chosen.home(Some(Path::new("/x"))), home("/x", false));
        assert_eq!(chosen.home(Some(Path::new("/home/u/.symposium"))), home("/home/u/.symposium", true));
    }

    #[test]
    fn a_named_environment_is_below_the_default_home() {
        let env = env(&[("HOME", "/home/u"), ("SYMPOSIUM_HOME", "@play")]);
        let home = |path: &str| Some(StateDirPath { path: path.into(), is_default: false });
        assert_eq!(env.home(None), home("/home/u/.symposium/envs/play"));
        assert_eq!(env.home(Some(Path::new("@x"))), home("/home/u/.symposium/envs/x"));
        assert_eq!(env.home(Some(Path::new("./@x"))), home("/work/./@x"));
        assert_eq!(env.chosen_environment(Some(Path::new("@../x"))).as_deref(), Some("../x"));
        assert_ne!(env.home(Some(Path::new("@../x"))), home("/home/u/.symposium/envs/../x"));
    }

    #[test]
    fn binary_replaced_while_running_is_found_at_its_path() {
        assert_eq!(without_deleted_mark("/bin/s (deleted)".into()), Path::new("/bin/s"));
        assert_eq!(without_deleted_mark("/bin/s".into()), Path::new("/bin/s"));
    }
}
