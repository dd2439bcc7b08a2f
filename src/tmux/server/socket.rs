//! Chooses the socket of our server and checks that its directory is safe.
//!
//! An override takes precedence. Otherwise an environment remembers the socket on which a server was started, because a
//! shell with another `TMUX_TMPDIR` must find the same server. By default it is the path that `tmux -L symposium` would
//! use.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::base::atomic_file;
use crate::tmux::TmuxError;

/// Maximum length of a socket path: `sun_path` has 108 bytes on Linux, and the last is NUL.
pub const MAX_SOCKET_PATH: usize = 107;

/// Time limit for a server to create its socket again.
const REOPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// Inputs for the choice of a socket.
pub struct SocketRule<'a> {
    /// Directory in which the environment remembers its socket.
    pub run_dir: &'a Path,
    /// `SYMPOSIUM_TMUX_SOCKET`: a name, or a path when it contains `/`.
    pub over: Option<&'a OsStr>,
    /// State directory of the environment.
    pub home: &'a Path,
    /// Whether `home` is the default state directory.
    pub default_home: bool,
    /// Value of `TMUX_TMPDIR`.
    pub tmpdir: Option<&'a OsStr>,
    /// Id of the user.
    pub uid: u32,
}

/// Socket that was chosen for our server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketChoice {
    /// Path of the socket.
    pub path: PathBuf,
    /// File that stores the path once a server was started on it, or `None` for an override.
    pub memory: Option<PathBuf>,
}

/// Chooses the socket of our server.
pub fn choose_socket(rule: &SocketRule<'_>) -> Result<SocketChoice, TmuxError> {
    let memory = rule.run_dir.join("tmux-socket");
    let (path, memory) = match rule.over.filter(|text| !text.is_empty()) {
        Some(text) if text.as_bytes().contains(&b'/') => (absolute(Path::new(text))?, None),
        Some(name) => (directory(rule).join(name), None),
        None => {
            let usual = || directory(rule).join(name_for(rule));
            (remembered(&memory).unwrap_or_else(usual), Some(memory))
        }
    };
    let length = path.as_os_str().len();
    if length > MAX_SOCKET_PATH {
        Err(TmuxError::LongSocket { path, length })
    } else {
        Ok(SocketChoice { path, memory })
    }
}

/// Creates the socket's directory if it is missing, and refuses one that other users could access.
pub(in crate::tmux) fn prepare(socket: &Path) -> Result<(), TmuxError> {
    let Some(dir) = socket.parent() else { return Ok(()) };
    let made = fs::DirBuilder::new().mode(0o700).create(dir);
    // The umask may have removed even the owner's permissions.
    match made.and_then(|()| fs::set_permissions(dir, fs::Permissions::from_mode(0o700))) {
        Ok(()) => {}
        Err(other) if other.kind() == io::ErrorKind::AlreadyExists => {}
        Err(source) => return Err(TmuxError::File { doing: "create", path: dir.to_owned(), source }),
    }
    check(socket)
}

/// Asks a server whose socket was deleted to create it again, which tmux does on SIGUSR1. Returns whether it did. The
/// caller ensures that the process is a tmux server of ours.
pub(in crate::tmux) fn reopen(socket: &Path, server: i32) -> bool {
    let Some(pid) = Some(server).filter(|pid| *pid > 1).and_then(Pid::from_raw) else { return false };
    if prepare(socket).is_err() || kill_process(pid, Signal::USR1).is_err() {
        return false;
    }
    let deadline = Instant::now() + REOPEN_TIMEOUT;
    while !socket.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    socket.exists()
}

/// Refuses a `tmux-UID` directory that belongs to another user or is open to others, because the server in it could
/// belong to any user. A directory with another name was chosen by the user, as with `tmux -S`.
pub(in crate::tmux) fn check(socket: &Path) -> Result<(), TmuxError> {
    let uid = rustix::process::getuid().as_raw();
    let Some(dir) = socket.parent().filter(|dir| dir.ends_with(format!("tmux-{uid}"))) else { return Ok(()) };
    let refuse = |why: String| Err(TmuxError::UnsafeDirectory { path: dir.to_owned(), why });
    match fs::symlink_metadata(dir) {
        Err(other) if other.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(TmuxError::File { doing: "look at", path: dir.to_owned(), source }),
        Ok(meta) if !meta.is_dir() => refuse("it is not a directory".to_owned()),
        Ok(meta) if meta.uid() != uid => refuse(format!("it belongs to user {}", meta.uid())),
        // The group may enter the directory, as tmux allows, because this is the way to share a server on purpose.
        Ok(meta) if meta.mode() & 0o027 != 0 => refuse(format!("its mode is {:04o}", meta.mode() & 0o7777)),
        Ok(_) => Ok(()),
    }
}

fn directory(rule: &SocketRule<'_>) -> PathBuf {
    let tmp = rule.tmpdir.filter(|dir| Path::new(dir).is_absolute()).map_or(Path::new("/tmp"), Path::new);
    let tmp = fs::canonicalize(tmp).unwrap_or_else(|_| tmp.to_owned());
    tmp.join(format!("tmux-{}", rule.uid))
}

fn name_for(rule: &SocketRule<'_>) -> String {
    if rule.default_home {
        return "symposium".to_owned();
    }
    let home = fs::canonicalize(rule.home).unwrap_or_else(|_| rule.home.to_owned());
    format!("symposium-{:08x}", fnv1a(home.as_os_str().as_bytes()))
}

/// FNV-1a hash. The name must be the same in every build and on every machine, which the hasher of `std` does not
/// guarantee.
pub(in crate::tmux) fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Returns the remembered socket, unless its directory does not exist or is accessible to other users.
fn remembered(memory: &Path) -> Option<PathBuf> {
    let kept = PathBuf::from(OsString::from_vec(fs::read(memory).ok()?));
    let is_there = kept.is_absolute() && kept.parent().is_some_and(Path::is_dir);
    (is_there && check(&kept).is_ok()).then_some(kept)
}

/// Remembers the socket of a started server. Ignores write errors: the next choice is the same unless `TMUX_TMPDIR`
/// changes.
pub(in crate::tmux) fn remember(memory: &Path, socket: &Path) {
    let text = socket.as_os_str().as_bytes();
    if fs::read(memory).is_ok_and(|kept| kept == text) {
        return;
    }
    let _ = atomic_file::replace(memory, text);
}

fn absolute(path: &Path) -> Result<PathBuf, TmuxError> {
    std::path::absolute(path).map_err(|source| TmuxError::File {
        doing: "resolve",
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct TestSocketDir {
        dir: tempfile::TempDir,
    }

    impl TestSocketDir {
        fn new() -> TestSocketDir {
            let socket_dir = TestSocketDir { dir: tempfile::tempdir().unwrap() };
            fs::create_dir_all(socket_dir.dir.path().join("home/run")).unwrap();
            socket_dir
        }

        fn choose(&self, tmp: &str, over: Option<&str>) -> Result<PathBuf, TmuxError> {
            let tmpdir = self.dir.path().join(tmp);
            fs::create_dir_all(tmpdir.join("tmux-7")).unwrap();
            let choice = choose_socket(&SocketRule {
                run_dir: &self.dir.path().join("home/run"),
                over: over.map(OsStr::new),
                home: &self.dir.path().join("home"),
                default_home: true,
                tmpdir: Some(tmpdir.as_os_str()),
                uid: 7,
            })?;
            Ok(choice.path)
        }

        /// Chooses a socket like `choose` and remembers it as if a server had been started on it.
        fn start(&self, tmp: &str) -> PathBuf {
            let path = self.choose(tmp, None).unwrap();
            remember(&self.dir.path().join("home/run/tmux-socket"), &path);
            path
        }
    }

    #[test]
    fn an_environment_remembers_the_socket_of_a_started_server_until_its_directory_is_gone() {
        let socket_dir = TestSocketDir::new();
        assert!(socket_dir.choose("a", None).unwrap().ends_with("a/tmux-7/symposium"));
        assert!(socket_dir.choose("b", None).unwrap().ends_with("b/tmux-7/symposium"), "nothing was started");
        let first = socket_dir.start("a");
        assert_eq!(socket_dir.choose("b", None).unwrap(), first);
        fs::remove_dir(socket_dir.dir.path().join("a/tmux-7")).unwrap();
        assert!(socket_dir.start("b").ends_with("b/tmux-7/symposium"));
        assert!(socket_dir.choose("a", None).unwrap().ends_with("b/tmux-7/symposium"));
    }

    #[test]
    fn a_remembered_socket_in_a_directory_that_others_can_use_is_dropped() {
        let socket_dir = TestSocketDir::new();
        let dir = socket_dir.dir.path().join(format!("tmux-{}", rustix::process::getuid().as_raw()));
        fs::create_dir(&dir).unwrap();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).unwrap();
        remember(&socket_dir.dir.path().join("home/run/tmux-socket"), &dir.join("symposium"));
        assert!(socket_dir.choose("a", None).unwrap().ends_with("a/tmux-7/symposium"));
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(socket_dir.choose("a", None).unwrap(), dir.join("symposium"));
    }

    #[test]
    fn an_override_wins_and_is_not_remembered() {
        let socket_dir = TestSocketDir::new();
        assert!(socket_dir.choose("a", Some("other")).unwrap().ends_with("a/tmux-7/other"));
        assert_eq!(socket_dir.choose("a", Some("/x/y")).unwrap(), Path::new("/x/y"));
        assert!(socket_dir.start("b").ends_with("b/tmux-7/symposium"));
        assert!(socket_dir.choose("a", Some("")).unwrap().ends_with("b/tmux-7/symposium"));
    }

    #[test]
    fn too_long_socket_path_is_reported() {
        let long = format!("/{}", "x".repeat(107));
        assert!(matches!(
            TestSocketDir::new().choose("a", Some(&long)),
            Err(TmuxError::LongSocket { length: 108, .. })
        ));
        assert!(TestSocketDir::new().choose("a", Some(&long[..107])).is_ok());
    }

    #[test]
    fn homes_have_names_of_their_own() {
        assert_eq!(fnv1a(b""), 0x811c_9dc5);
        assert_eq!(fnv1a(b"foobar"), 0xbf9c_f968);
        let rule = |home| SocketRule {
            run_dir: Path::new("/none"),
            over: None,
            home: Path::new(home),
            default_home: false,
            tmpdir: None,
            uid: 7,
        };
        let [a, b] = ["/none/a", "/none/b"].map(|home| choose_socket(&rule(home)).unwrap().path);
        assert_ne!(a, b);
        assert!(a.to_str().unwrap().contains("/tmux-7/symposium-"), "{a:?}");
    }

    #[test]
    fn a_directory_that_others_can_use_is_refused() {
        let socket_dir = TestSocketDir::new();
        let dir = socket_dir.dir.path().join(format!("tmux-{}", rustix::process::getuid().as_raw()));
        let socket = dir.join("symposium");
        check(&socket).unwrap();
        prepare(&socket).unwrap();
        assert_eq!(fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
        for (mode, fine) in [(0o700, true), (0o750, true), (0o770, false), (0o701, false), (0o777, false)] {
            fs::set_permissions(&dir, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(prepare(&socket).is_ok(), fine, "{mode:o}");
        }
        fs::remove_dir(&dir).unwrap();
        std::os::unix::fs::symlink(socket_dir.dir.path(), &dir).unwrap();
        assert!(matches!(check(&socket), Err(TmuxError::UnsafeDirectory { .. })));
    }
}
