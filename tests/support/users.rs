//! Real users of this machine, created for one test and deleted after it. They need root; without root a message is
//! printed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};

use super::leftovers::{self, Process};
use super::run::Run;
use super::terminal::Terminal;
use super::test_env::TestEnv;
use super::tools;

static MADE: AtomicUsize = AtomicUsize::new(0);

/// A user with its own home directory.
pub struct User<'a> {
    env: &'a TestEnv,
    /// The login name.
    pub name: String,
    /// The user id.
    pub uid: u32,
    gid: u32,
}

impl<'a> User<'a> {
    /// Creates `N` users. Returns `None` if this machine does not allow it.
    pub fn make<const N: usize>(env: &'a TestEnv) -> Option<[User<'a>; N]> {
        if !rustix::process::getuid().is_root() {
            eprintln!("skipped: only root can make the users that this test needs");
            return None;
        }
        if ["useradd", "userdel", "setpriv"].iter().any(|tool| tools::on_this_machine(tool).is_none()) {
            eprintln!("skipped: useradd, userdel or setpriv is not installed here");
            return None;
        }
        // Other users need to pass through to their own directories and to the program.
        fs::set_permissions(env.root(), fs::Permissions::from_mode(0o711)).expect("it belongs to this user");
        let program = env.root().join("symposium");
        if !program.exists() {
            fs::copy(env.binary(), &program).expect("copying the program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
                .expect("it belongs to this user");
        }
        Some(std::array::from_fn(|_| User::new(env)))
    }

    fn new(env: &'a TestEnv) -> User<'a> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("sy{}x{number}", std::process::id());
        // All users are in one group, which must make no difference.
        change_users(&["useradd", "-M", "-N", "-s", "/bin/sh", &name]);
        let passwd = fs::read_to_string("/etc/passwd").expect("users are local");
        let line = passwd.lines().find(|line| line.starts_with(&format!("{name}:"))).expect("it was made");
        let ids: Vec<u32> = line.split(':').skip(2).take(2).map(|id| id.parse().expect("a number")).collect();
        let user = User { env, name, uid: ids[0], gid: ids[1] };
        for dir in [user.home(), user.home().join("work")] {
            fs::create_dir(&dir).expect("its parent is empty");
            fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).expect("it belongs to this user");
            chown(&dir, Some(user.uid), Some(user.gid)).expect("we are root");
        }
        user
    }

    /// Returns the home directory.
    pub fn home(&self) -> PathBuf {
        self.env.root().join(&self.name)
    }

    /// Returns the socket of the user's tmux server.
    pub fn socket(&self) -> PathBuf {
        self.home().join(format!("tmux-{}/symposium", self.uid))
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let home = self.home().display().to_string();
        vec![
            ("HOME", home.clone()),
            ("PATH", self.env.root().join("tools").display().to_string()),
            ("TMUX_TMPDIR", home),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "tmux-256color".into()),
            ("SHELL", "/bin/sh".into()),
            ("USER", self.name.clone()),
            ("TZ", "UTC".into()),
            ("SYMPOSIUM_SUPERVISOR", "off".into()),
        ]
    }

    /// Runs a program as this user.
    pub fn program<S: AsRef<OsStr>>(&self, program: &str, args: impl IntoIterator<Item = S>) -> Run {
        let path = if program.contains('/') {
            PathBuf::from(program)
        } else {
            self.env.root().join("tools").join(program)
        };
        let mut command = Command::new(path);
        command.args(args).env_clear().envs(self.variables()).current_dir(self.home().join("work"));
        command.uid(self.uid).gid(self.gid);
        Run::new(command)
    }

    /// Runs our binary as this user.
    pub fn symposium<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        self.program(self.env.root().join("symposium").to_str().expect("a plain path"), args)
    }

    /// Returns all live processes of this user.
    pub fn processes(&self) -> Vec<Process> {
        leftovers::with_home(&self.home())
    }

    /// Opens a terminal that runs our binary as this user.
    pub fn terminal(&self, args: &[&str]) -> Terminal<'a> {
        self.terminal_with(&[], args)
    }

    /// Opens such a terminal with additional variables.
    pub fn terminal_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Terminal<'a> {
        let setpriv = tools::on_this_machine("setpriv").expect("found before");
        let mut words = vec![
            setpriv.display().to_string(),
            format!("--reuid={}", self.uid),
            format!("--regid={}", self.gid),
            "--clear-groups".into(),
            "env".into(),
            "-i".into(),
            format!("--chdir={}", self.home().join("work").display()),
        ];
        words.extend(self.variables().into_iter().map(|(key, value)| format!("{key}={value}")));
        words.extend(variables.iter().map(|(key, value)| format!("{key}={value}")));
        words.push(self.env.root().join("symposium").display().to_string());
        words.extend(args.iter().map(ToString::to_string));
        self.env.terminal(words)
    }

    /// Ends all processes of this user; all of them belong to this test.
    fn end_all(&self) {
        for _round in 0..10 {
            let mut left = 0;
            for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
                let is_theirs = entry.metadata().is_ok_and(|meta| meta.uid() == self.uid);
                let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
                if let Some(pid) = pid.and_then(Pid::from_raw).filter(|_| is_theirs) {
                    left += 1;
                    let _ = kill_process(pid, Signal::KILL);
                }
            }
            if left == 0 {
                return;
            }
        }
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        self.end_all();
        let shared = PathBuf::from(format!("/tmp/symposium-share-{}", self.uid));
        let _ = fs::remove_file(&shared);
        let _ = fs::remove_dir_all(&shared);
        // `--force`, because the kernel may still be ending a process of the user.
        change_users(&["userdel", "--force", &self.name]);
    }
}

/// Runs a user management tool under a lock, because the tools refuse to wait for each other.
fn change_users(words: &[&str]) {
    let lock = fs::File::create("/tmp/sy-users.lock").expect("a file in /tmp");
    flock(&lock, FlockOperation::LockExclusive).expect("it waits");
    let program = tools::on_this_machine(words[0]).expect("found before");
    let output = Command::new(program).args(&words[1..]).output().expect("it exists");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}
