//! Measures the cost of other machines: a list of twenty hosts compared with the slowest of them, and attaching over
//! ssh compared with `ssh -t tmux attach`. Every machine is an sshd on loopback with its own home and tmux server.
//!
//! All of them share the cores of this machine, which real hosts would not. To keep this from hiding the measured
//! cost, each host has an artificial distance: its answer is delayed by that time.

use std::fs;
use std::io::Read;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::Place;
use crate::table::{Row, Table, interleaved, median};

/// The number of machines.
const MACHINES: usize = 20;
/// The additional delay of each machine compared with the one before.
const STEP: Duration = Duration::from_millis(20);

/// A machine that is reached over ssh.
struct Machine {
    place: Place,
    address: String,
    sshd: Child,
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

/// Runs all measurements.
pub fn run(binary: PathBuf) {
    let near = Place::new(binary.clone());
    let dir = near.root().join("ssh");
    prepare(&dir, &near);
    let machines: Vec<Machine> = (1..=MACHINES).map(|n| machine(n, &dir, &binary)).collect();
    let mut table = Table::new();

    add(&near, &machines, |_| Duration::ZERO);
    let took = list(&near);
    table.add(Row::ratio(format!("list, {MACHINES} hosts at no distance vs slowest"), took, 1.3));
    let bare = bare(&near, &machines, &dir);
    table.add(Row::compared(format!("  {MACHINES} bare ssh to them at once vs one"), bare));
    table.add(Row::compared("  that list vs that many bare ssh".to_owned(), (took.0, bare.0)));
    add(&near, &machines, |n| STEP * u32::try_from(n).unwrap_or_default());
    let took = list(&near);
    let farthest = STEP * u32::try_from(MACHINES).unwrap_or_default();
    let what = format!("list, {MACHINES} hosts up to {} ms away vs slowest", farthest.as_millis());
    table.add(Row::ratio(what, took, 1.3));

    add(&near, &machines, |_| Duration::ZERO);
    let bare_attach = |more: &str| {
        let machine = &machines[0];
        let socket = machine.place.root().join("tmux-0/symposium");
        let user = rustix::process::getuid().as_raw();
        let socket = socket.to_string_lossy().replace("tmux-0", &format!("tmux-{user}"));
        format!(
            "ssh -F {}/config {more} -p 2222 -tt {} tmux -u -S {socket} attach -t =a1",
            dir.display(),
            machine.address
        )
    };
    let ours = format!("{} agent attach h1:a1", near.binary());
    let cold = interleaved(
        15,
        |_| {
            let_go(&near, &machines[0]);
            shown(&near, &ours)
        },
        |_| shown(&near, &bare_attach("")),
    );
    table.add(Row::ratio("attach over ssh vs ssh -t tmux attach".to_owned(), cold, 1.2));
    let shared = format!("-o ControlMaster=auto -o ControlPersist=60 -o ControlPath={}/bare", dir.display());
    shown(&near, &ours);
    shown(&near, &bare_attach(&shared));
    let warm = interleaved(15, |_| shown(&near, &ours), |_| shown(&near, &bare_attach(&shared)));
    table.add(Row::compared("  the same, both over a shared connection".to_owned(), warm));
    let _ = near
        .shell(&format!("ssh -O exit -o ControlPath={}/bare {}", dir.display(), machines[0].address))
        .output();
    for (n, _) in machines.iter().enumerate() {
        near.symposium(&["-q", "host", "remove", &format!("h{}", n + 1)]);
    }
    println!("{table}");
}

/// Measures a list of all hosts, and of only the slowest of them.
fn list(near: &Place) -> (Duration, Duration) {
    let name = |n: usize| format!("h{n}");
    let one = |n: usize| near.symposium(&["-q", "agent", "list", "--host", &name(n), "--timeout", "30s"]);
    let slowest = (1..=MACHINES).max_by_key(|n| median((0..3).map(|_| one(*n)))).unwrap_or(1);
    let all = || near.symposium(&["-q", "agent", "list", "--host", "all", "--timeout", "30s"]);
    interleaved(20, |_| all(), |_| one(slowest))
}

/// Measures the lower bound of a list: `true` over a shared connection on all hosts in parallel, and on one.
fn bare(near: &Place, machines: &[Machine], dir: &Path) -> (Duration, Duration) {
    let ssh = |machine: &Machine, words: &str| {
        let (dir, address) = (dir.display(), &machine.address);
        let shared = format!("-o ControlMaster=auto -o ControlPersist=60 -o ControlPath={dir}/b-%h");
        near.shell(&format!(
            "exec ssh -F {dir}/config {shared} -p 2222 {words}",
            words = words.replace("HOST", address)
        ))
    };
    let ask = |machines: &[Machine]| {
        let began = Instant::now();
        let asked: Vec<Child> =
            machines.iter().map(|machine| ssh(machine, "-T HOST true").spawn().expect("ssh")).collect();
        asked.into_iter().for_each(|mut child| assert!(child.wait().expect("ssh").success()));
        began.elapsed()
    };
    ask(machines);
    let took = interleaved(20, |_| ask(machines), |_| ask(&machines[..1]));
    for machine in machines {
        let _ = ssh(machine, "-O exit HOST").stderr(Stdio::null()).status();
    }
    took
}

/// Creates the keys, the user's configuration and an ssh wrapper that reads it, because ssh uses the home directory
/// from the password file.
fn prepare(dir: &Path, near: &Place) {
    fs::create_dir(dir).expect("a directory");
    for key in ["user", "host"] {
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(dir.join(key))
            .status();
        assert!(made.expect("ssh-keygen").success());
    }
    let host_key = fs::read_to_string(dir.join("host.pub")).expect("a key");
    fs::write(dir.join("known"), format!("* {host_key}")).expect("known hosts");
    let config = format!(
        "Host *\n  IdentityFile {0}/user\n  IdentitiesOnly yes\n  UserKnownHostsFile {0}/known\n  \
         GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n  LogLevel ERROR\n",
        dir.display()
    );
    fs::write(dir.join("config"), config).expect("a configuration");
    script(&dir.join("ssh"), &format!("exec ssh -F {}/config \"$@\"", dir.display()));
    let text = format!("max_agents = 0\n[hosts]\nssh = \"{}/ssh\"\n", dir.display());
    fs::write(near.store().home().join("config.toml"), text).expect("a config.toml");
}

fn machine(n: usize, dir: &Path, binary: &Path) -> Machine {
    let place = Place::new(binary.to_owned());
    place.symposium(&[
        "agent",
        "spawn",
        "--name",
        "a1",
        "--",
        "sh",
        "-c",
        "echo this is a1; exec sleep 100000",
    ]);
    let pid = std::process::id();
    let address = format!("127.{}.{}.{n}", pid / 250 % 250 + 1, pid % 250 + 1);
    let root = place.root().display().to_string();
    let text = format!(
        "Port 2222\nListenAddress {address}\nHostKey {0}/host\nAuthorizedKeysFile {0}/user.pub\nStrictModes no\n\
         UsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\nSetEnv SHLVL=1\n",
        dir.display()
    );
    // bash decides by its shell level whether to read a startup file for a remote command. Twenty of those on one
    // machine, each longer than all the rest, would not resemble twenty machines.
    fs::write(place.root().join("sshd_config"), text).expect("a configuration");
    let _ = fs::create_dir_all("/run/sshd");
    let sshd = Command::new("/usr/sbin/sshd")
        .args(["-D", "-f", &format!("{root}/sshd_config")])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("sshd: run scripts/setup");
    while TcpStream::connect((address.as_str(), 2222)).is_err() {
        std::thread::sleep(Duration::from_millis(5));
    }
    Machine { place, address, sshd }
}

/// Registers the hosts, each with its delay.
fn add(near: &Place, machines: &[Machine], distance: impl Fn(usize) -> Duration) {
    for (n, machine) in machines.iter().enumerate() {
        let (n, root) = (n + 1, machine.place.root().display().to_string());
        let distance = distance(n);
        let wait = match distance.is_zero() {
            true => String::new(),
            false => format!("sleep {:.3}; ", distance.as_secs_f64()),
        };
        let path = std::env::var("PATH").unwrap_or_default();
        let far = format!(
            "{wait}exec env -i HOME={root} TMUX_TMPDIR={root} PATH=\"{path}\" TERM=\"$TERM\" LANG=C.UTF-8 {} \"$@\"",
            machine.place.binary()
        );
        let file = machine.place.root().join("symposium");
        script(&file, &far);
        let (name, file) = (format!("h{n}"), file.display().to_string());
        let words =
            ["-q", "host", "add", "--force", &name, &machine.address, "--port", "2222", "--binary", &file];
        near.symposium(&words);
    }
}

/// Closes the shared connection.
fn let_go(near: &Place, machine: &Machine) {
    for entry in fs::read_dir(near.store().run_dir()).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("ssh-") {
            let line = format!("ssh -O exit -o ControlPath={} {}", entry.path().display(), machine.address);
            let _ = near.shell(&line).stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }
}

/// Measures the time until a terminal that runs this command shows the agent's screen.
fn shown(near: &Place, line: &str) -> Duration {
    let mut command = near.shell(&format!("exec script -qfc '{line}' /dev/null"));
    command.env("TERM", "xterm-256color").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command.spawn().expect("script");
    let mut out = child.stdout.take().expect("it is piped");
    let (mut seen, mut piece) = (Vec::new(), [0; 4096]);
    let took = loop {
        let count = out.read(&mut piece).unwrap_or(0);
        assert!(count > 0, "{line}: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..count]);
        if seen.windows(10).any(|window| window == b"this is a1") {
            break began.elapsed();
        }
    };
    let mut input = child.stdin.take().expect("it is piped");
    let _ = std::io::Write::write_all(&mut input, b"\x02d");
    while matches!(out.read(&mut piece), Ok(1..)) {}
    let _ = child.wait();
    took
}

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a script");
}
