//! A home and tmux servers of our own, all short-lived.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use symposium::store::Store;
use tempfile::TempDir;

/// A home with its tmux server.
pub struct Place {
    // First: it is ended through its socket, which goes with the directory.
    server: Server,
    root: TempDir,
    binary: PathBuf,
}

/// A tmux server, ours or bare.
pub struct Server {
    root: PathBuf,
    socket: PathBuf,
}

impl Place {
    /// A new one, for this symposium. As many agents may run as one likes.
    pub fn new(binary: PathBuf) -> Place {
        // A socket's path must stay under 108 bytes.
        let root = tempfile::Builder::new().prefix("sy-").tempdir_in("/tmp").expect("a directory in /tmp");
        let user = rustix::process::getuid().as_raw();
        let socket = root.path().join(format!("tmux-{user}")).join("symposium");
        let server = Server { root: root.path().to_owned(), socket };
        let place = Place { server, root, binary };
        let store = place.store();
        store.begin().expect("a home");
        std::fs::write(store.home().join("config.toml"), "max_agents = 0\n").expect("a config.toml");
        place
    }

    /// Our tmux server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Another one, that knows nothing of symposium.
    pub fn bare_server(&self, name: &str) -> Server {
        Server { root: self.root.path().to_owned(), socket: self.root.path().join(name) }
    }

    /// The state directory.
    pub fn store(&self) -> Store {
        Store::open(&self.root.path().join(".symposium")).expect("it is ours")
    }

    /// Everything else.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The symposium that is measured.
    pub fn binary(&self) -> &str {
        self.binary.to_str().expect("a path in UTF-8")
    }

    /// Runs it to its end.
    pub fn symposium(&self, args: &[&str]) -> Duration {
        timed(self.command(args)).0
    }

    /// The same, not yet run.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = sealed(&self.binary, self.root.path());
        command.args(args);
        command
    }

    /// A shell in this place, not yet run.
    pub fn shell(&self, script: &str) -> Command {
        let mut command = sealed(Path::new("/bin/sh"), self.root.path());
        command.args(["-c", script]);
        command
    }

    /// Runs tmux on our server to its end.
    pub fn tmux(&self, args: &[&str]) -> Duration {
        timed(self.server.command(args)).0
    }

    /// Spawns for real until there are agents of all these numbers.
    pub fn fill(&self, numbers: RangeInclusive<usize>, spawn: &[&str]) {
        let began = Instant::now();
        for n in numbers {
            let name = format!("a{n}");
            let mut words = vec!["-q", "agent", "spawn", "--name", &name];
            words.extend(spawn);
            self.symposium(&words);
            if n % 100 == 0 {
                eprintln!("{n} agents after {:.1?}", began.elapsed());
            }
        }
    }
}

impl Server {
    /// Asks it.
    pub fn ask(&self, args: &[&str]) -> String {
        timed(self.command(args)).1
    }

    /// Opens sessions of the size that ours have, with the same program.
    pub fn open(&self, sessions: usize, program: &[&str]) {
        for n in 1..=sessions {
            let name = format!("a{n}");
            let mut words =
                vec!["-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "48", "-s", &name];
            words.extend(program);
            self.ask(&words);
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = sealed(Path::new("tmux"), &self.root);
        command.arg("-S").arg(&self.socket).args(args);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.socket.exists() {
            let _ = Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").status();
        }
    }
}

fn sealed(program: &Path, root: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", root)
        .env("TMUX_TMPDIR", root)
        .env("LANG", "C.UTF-8")
        .env("SHELL", "/bin/sh")
        .current_dir(root)
        .stdin(Stdio::null());
    command
}

/// Runs it to its end; it must succeed, or the numbers would mean nothing.
fn timed(mut command: Command) -> (Duration, String) {
    let began = Instant::now();
    let output = command.output().unwrap_or_else(|why| panic!("cannot start {command:?}: {why}"));
    let took = began.elapsed();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    (took, String::from_utf8_lossy(&output.stdout).into_owned())
}
