//! Temporary homes and tmux servers for a benchmark.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use symposium::store::Store;
use tempfile::TempDir;

/// A temporary home with its tmux server.
pub struct Place {
    // Declared first, because the server is ended through its socket, which is deleted with the directory.
    server: Server,
    root: TempDir,
    binary: PathBuf,
}

/// A tmux server, started by Symposium or plain.
pub struct Server {
    root: PathBuf,
    socket: PathBuf,
}

impl Place {
    /// Creates a home for this Symposium binary, without a limit on running agents.
    pub fn new(binary: PathBuf) -> Place {
        // The path of a socket must stay under 108 bytes.
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

    /// Returns the tmux server of this home.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Returns another tmux server, without Symposium.
    pub fn bare_server(&self, name: &str) -> Server {
        Server { root: self.root.path().to_owned(), socket: self.root.path().join(name) }
    }

    /// Opens the state directory.
    pub fn store(&self) -> Store {
        Store::open(&self.root.path().join(".symposium")).expect("it is ours")
    }

    /// Returns the directory that contains everything.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns the path of the measured Symposium binary.
    pub fn binary(&self) -> &str {
        self.binary.to_str().expect("a path in UTF-8")
    }

    /// Runs Symposium and returns the duration.
    pub fn symposium(&self, args: &[&str]) -> Duration {
        timed(self.command(args)).0
    }

    /// Returns a Symposium command that has not been started yet.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = sealed(&self.binary, self.root.path());
        command.args(args);
        command
    }

    /// Returns a shell command that has not been started yet.
    pub fn shell(&self, script: &str) -> Command {
        let mut command = sealed(Path::new("/bin/sh"), self.root.path());
        command.args(["-c", script]);
        command
    }

    /// Runs tmux on the server of this home and returns the duration.
    pub fn tmux(&self, args: &[&str]) -> Duration {
        timed(self.server.command(args)).0
    }

    /// Spawns agents until all of these numbers exist.
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
    /// Runs a command on the server and returns its output.
    pub fn ask(&self, args: &[&str]) -> String {
        timed(self.command(args)).1
    }

    /// Opens sessions of the same size as Symposium's, with the same program.
    pub fn open(&self, sessions: usize, program: &[&str]) {
        for n in 1..=sessions {
            let name = format!("a{n}");
            let mut words =
                vec!["-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "48", "-s", &name];
            words.extend(program);
            self.ask(&words);
        }
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Returns a command on the server that has not been started yet.
    pub fn command(&self, args: &[&str]) -> Command {
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

/// Runs a command to its end. The command must succeed, because the numbers would be meaningless otherwise.
fn timed(mut command: Command) -> (Duration, String) {
    let began = Instant::now();
    let output = command.output().unwrap_or_else(|why| panic!("cannot start {command:?}: {why}"));
    let took = began.elapsed();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    (took, String::from_utf8_lossy(&output.stdout).into_owned())
}
