//! Remote machines over a real sshd: a second sealed environment that is reached through ssh only.
//!
//! The two are connected by loopback, or by a link between two network namespaces that can be cut.
#![expect(clippy::disallowed_methods, reason = "tests start sshd and ip")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says why")]

mod add;
mod attach;
mod book;
mod cut;
mod dashboard;
mod hostile;
mod lists;
mod names;
mod once;
mod web;
mod wire;

use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::TestEnv;
use crate::support::run::Run;
use wire::Wire;

/// Counts the machines of this process, so that each has its own address.
static MACHINES: AtomicU32 = AtomicU32::new(0);

/// The local machine.
struct Near {
    env: TestEnv,
    wire: Option<Wire>,
}

/// A remote machine that is reached over ssh.
struct Far {
    env: TestEnv,
    address: String,
    port: u16,
    sshd: Option<Child>,
}

/// Creates both machines and adds the remote one as `far`. Returns `None` and prints the reason if there is no sshd.
fn machines() -> Option<(Near, Far)> {
    let near = Near::new(None)?;
    let far = Far::new(&near)?;
    near.add("far", &far);
    Some((near, far))
}

fn sshd() -> Option<PathBuf> {
    let found = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"].map(PathBuf::from);
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "sshd is needed in CI: run scripts/setup");
        eprintln!("skipped: there is no sshd: run scripts/setup");
    }
    found
}

impl Near {
    fn new(wire: Option<Wire>) -> Option<Near> {
        sshd()?;
        let env = TestEnv::new();
        let dir = env.root().join("ssh");
        fs::create_dir(&dir).unwrap();
        for key in ["user", "host"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(dir.join(key))
                .stdin(Stdio::null())
                .status();
            assert!(made.expect("ssh-keygen").success());
        }
        let host_key = fs::read_to_string(dir.join("host.pub")).unwrap();
        fs::write(dir.join("known"), format!("* {host_key}")).unwrap();
        let near = Near { env, wire };
        near.configure("");
        // ssh reads its files from the home directory of the password file, not from $HOME.
        let inside = near.wire.as_ref().map(Wire::near).unwrap_or_default();
        near.env.fake_program(
            "ssh",
            &format!("exec {inside} {} -F {} \"$@\"", "/usr/bin/ssh", dir.join("config").display()),
        );
        let mut private = fs::DirBuilder::new();
        private.recursive(true).mode(0o700).create(near.env.state()).unwrap();
        Some(near)
    }

    /// Writes the user's `~/.ssh/config`, beginning with these lines.
    fn configure(&self, more: &str) {
        let dir = self.env.root().join("ssh");
        let text = format!(
            "{more}\nHost *\n  IdentityFile {0}/user\n  IdentitiesOnly yes\n  UserKnownHostsFile {0}/known\n  \
             GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n",
            dir.display()
        );
        fs::write(dir.join("config"), text).unwrap();
    }

    /// Replaces the known host key of all machines by a wrong one.
    fn know_another_key(&self) {
        let dir = self.env.root().join("ssh");
        let another = fs::read_to_string(dir.join("user.pub")).unwrap();
        fs::write(dir.join("known"), format!("* {another}")).unwrap();
    }

    /// Ends every local ssh process. A shared connection outlives the process that opened it and overwrites its
    /// environment.
    fn lose_connections(&self) {
        for pid in self.connections() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Returns every local ssh process, connected or connecting.
    fn connections(&self) -> Vec<Pid> {
        let sockets = self.env.state().join("run/ssh-").display().to_string();
        let is_ours = |dir: &Path| {
            let command = fs::read(dir.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&command).contains(&sockets)
        };
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        all.filter(|entry| is_ours(&entry.path()))
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
            .collect()
    }

    /// Runs `symposium …` on the local machine.
    fn run(&self, args: &[&str]) -> Run {
        self.env.symposium(args)
    }

    /// Runs `host add`.
    #[track_caller]
    fn add(&self, name: &str, far: &Far) {
        let (port, binary) = (far.port.to_string(), far.binary());
        self.run(&["host", "add", name, &far.address, "--port", &port, "--binary", &binary]).ok();
    }
}

impl Far {
    /// Starts a machine that accepts the user of the local one.
    fn new(near: &Near) -> Option<Far> {
        let env = TestEnv::new();
        let number = std::process::id() * 16 + MACHINES.fetch_add(1, Ordering::Relaxed);
        let [_, a, b, c] = number.to_be_bytes();
        let (address, inside) = match &near.wire {
            Some(wire) => (Wire::FAR.to_owned(), wire.far()),
            // All of 127/8 is this machine: every sshd has its own address, so no port is contended.
            None => (format!("127.{}.{b}.{c}", a % 254 + 1), String::new()),
        };
        let mut far = Far { env, address, port: 2222, sshd: None };
        far.write_binary();
        let dir = near.env.root().join("ssh");
        // With the home of the password file, the login shell would run the start files of the user.
        let text = format!(
            "Port {}\nListenAddress {}\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\n\
             PasswordAuthentication no\nPermitRootLogin yes\nPidFile none\nMaxStartups 100:30:200\nMaxSessions 100\n\
             SetEnv HOME={} PATH={}\n",
            far.port,
            far.address,
            dir.join("host").display(),
            dir.join("user.pub").display(),
            far.env.home().display(),
            far.env.root().join("tools").display()
        );
        let config = far.env.root().join("sshd_config");
        fs::write(&config, text).unwrap();
        // Debian creates this directory at boot.
        let _ = fs::create_dir_all("/run/sshd");
        let sshd = sshd()?;
        let script = format!(
            "exec {inside} {} -D -e -f {} 2>>{}/sshd.log",
            sshd.display(),
            config.display(),
            far.env.root().display()
        );
        let started = Command::new("/bin/sh")
            .args(["-c", &script])
            .env_clear()
            .env("HOME", far.env.home())
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        far.sshd = Some(started.expect("starting sshd"));
        if near.wire.is_none() {
            far.env
                .wait_until("sshd listens", || TcpStream::connect((far.address.as_str(), far.port)).is_ok());
        } else {
            let log = far.env.root().join("sshd.log");
            far.env.wait_until("sshd listens", || {
                fs::read_to_string(&log).is_ok_and(|text| text.contains("listening"))
            });
        }
        Some(far)
    }

    /// Returns the path of symposium in the sealed environment of that machine, without variables of the login.
    fn binary(&self) -> String {
        self.env.root().join("symposium").display().to_string()
    }

    fn write_binary(&self) {
        let root = self.env.root().display();
        let script = format!(
            "[ -f {root}/silent ] && [ \"$1\" = remote ] && exec env -i HOME={root}/home /bin/sleep 1000\n\
             cd {root}/project || exit 9\nstep=\n[ -f {root}/failpoint ] && step=SYMPOSIUM_FAILPOINT=$(cat {root}/failpoint)\n\
             exec env -i HOME={root}/home PATH={root}/fakes:{root}/tools TMUX_TMPDIR={root}/sockets LANG=C.UTF-8 TERM=\"$TERM\" \
             SHELL=/bin/sh USER=tester LOGNAME=tester TZ=UTC SYMPOSIUM_SUPERVISOR=off $step {} \"$@\"",
            self.env.binary()
        );
        let made = self.env.fake_program("symposium", &script);
        fs::copy(made, self.env.root().join("symposium")).unwrap();
    }

    /// Makes the next remote process that reaches this failpoint stop until it is continued.
    fn stop_at(&self, step: &str) {
        fs::write(self.env.root().join("failpoint"), format!("stop:{step}")).unwrap();
    }

    /// Makes the remote symposium send no answers, while everything else on that machine continues.
    fn fall_silent(&self) {
        fs::write(self.env.root().join("silent"), "").unwrap();
    }

    /// Makes the remote symposium answer again.
    fn speak_again(&self) {
        fs::remove_file(self.env.root().join("silent")).unwrap();
    }

    /// Makes sshd accept and close no connection, and cuts the existing ones.
    fn shut(&self) {
        kill_process(Pid::from_child(self.sshd.as_ref().unwrap()), Signal::STOP).unwrap();
        self.cut();
    }

    /// Makes sshd accept waiting connections again.
    fn open(&self) {
        go_on(Pid::from_child(self.sshd.as_ref().unwrap()));
    }

    /// Waits for a remote process that is stopped at the failpoint, and removes the failpoint.
    #[track_caller]
    fn wait_for_stopped(&self) -> Pid {
        let mut stopped = None;
        self.env.wait_until("a process is stopped", || {
            stopped = self.env.processes().into_iter().find(|one| is_stopped(one.pid)).map(|one| one.pid);
            stopped.is_some()
        });
        fs::remove_file(self.env.root().join("failpoint")).unwrap();
        Pid::from_raw(stopped.unwrap()).unwrap()
    }

    /// Cuts every connection, like a router that loses its state; sshd continues.
    fn cut(&self) {
        for pid in self.sessions() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Returns the processes that sshd started for its connections. They overwrite their environment, so only their
    /// parents identify them.
    fn sessions(&self) -> Vec<Pid> {
        let listener = self.sshd.as_ref().map_or(0, Child::id);
        let mut found = vec![i32::try_from(listener).unwrap()];
        let all: Vec<(i32, i32)> =
            fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| sshd_in(&entry.path())).collect();
        // The session of a user other than root is two processes deep.
        for _ in 0..2 {
            let below: Vec<i32> = all
                .iter()
                .filter(|(pid, parent)| found.contains(parent) && !found.contains(pid))
                .map(|(pid, _)| *pid)
                .collect();
            found.extend(below);
        }
        found[1..].iter().filter_map(|pid| Pid::from_raw(*pid)).collect()
    }

    /// Runs `symposium …` on that machine as a local user.
    fn run(&self, args: &[&str]) -> Run {
        self.env.symposium(args)
    }

    /// Returns all agents of that machine.
    #[track_caller]
    fn agents(&self) -> Vec<Value> {
        self.run(&["agent", "list", "--json"]).ok().json().as_array().unwrap().clone()
    }

    /// Starts an agent that prints each line that is typed into it.
    #[track_caller]
    fn echoing(&self, name: &str) {
        let script =
            format!("echo this is {name}; while read -r line; do printf 'got <%s>\\n' \"$line\"; done");
        self.run(&["agent", "spawn", "--name", name, "--", "sh", "-c", &script]).ok();
    }

    /// Returns how often a remote agent printed this text.
    #[track_caller]
    fn printed(&self, name: &str, text: &str) -> usize {
        self.run(&["agent", "logs", name, "--plain"]).ok().stdout.matches(text).count()
    }

    /// Asserts that a remote agent printed this text exactly once. The transcript is written after the screen.
    #[track_caller]
    fn printed_once(&self, name: &str, text: &str) {
        self.env.wait_until(text, || self.printed(name, text) > 0);
        assert_eq!(self.printed(name, text), 1, "{text}");
    }

    /// Asserts that no interpreter created `x` in any directory in which it might have run.
    #[track_caller]
    fn assert_nothing_ran(&self) {
        let root = self.env.root();
        let user = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        for dir in [self.env.project(), self.env.home(), self.env.state(), root.to_owned(), user, "/".into()]
        {
            assert!(!dir.join("x").exists(), "something was interpreted: {}", dir.join("x").display());
        }
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        self.cut();
        if let Some(mut sshd) = self.sshd.take() {
            let _ = sshd.kill();
            let _ = sshd.wait();
        }
    }
}

impl Drop for Near {
    fn drop(&mut self) {
        self.lose_connections();
    }
}

/// Returns the process and its parent if this directory of /proc belongs to an sshd.
fn sshd_in(dir: &Path) -> Option<(i32, i32)> {
    let stat = fs::read_to_string(dir.join("stat")).ok()?;
    let (head, rest) = stat.rsplit_once(") ")?;
    let (pid, name) = head.split_once(" (")?;
    let parent = rest.split(' ').nth(1)?;
    name.starts_with("sshd").then_some((pid.parse().ok()?, parent.parse().ok()?))
}

fn go_on(pid: Pid) {
    kill_process(pid, Signal::CONT).unwrap();
}

fn is_stopped(pid: i32) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
}
