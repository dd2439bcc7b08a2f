//! A link between two network namespaces that can be cut and degraded. It needs root; without root it prints so and
//! returns `None`.

use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts the links of this process.
static WIRES: AtomicU32 = AtomicU32::new(0);

/// Two namespaces with one link between them. They are deleted on drop.
pub struct Wire {
    name: String,
}

impl Wire {
    /// The address of the remote end. Each link has its own namespaces, so all can use the same address.
    pub const FAR: &'static str = "10.99.0.2";

    pub fn new() -> Option<Wire> {
        if !rustix::process::geteuid().is_root() {
            assert!(std::env::var_os("CI").is_none(), "root is needed in CI for network namespaces");
            eprintln!("skipped: network namespaces need root");
            return None;
        }
        let wire =
            Wire { name: format!("sy{}-{}", std::process::id(), WIRES.fetch_add(1, Ordering::Relaxed)) };
        let made = ip(&["netns", "add", &wire.end("a")]);
        if !made.status.success() {
            eprintln!("skipped: no network namespace can be made: {}", String::from_utf8_lossy(&made.stderr));
            return None;
        }
        let (a, b) = (wire.end("a"), wire.end("b"));
        for args in [
            &["netns", "add", &b][..],
            &["-n", &a, "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", &b],
            &["-n", &a, "addr", "add", "10.99.0.1/24", "dev", "wire"],
            &["-n", &b, "addr", "add", "10.99.0.2/24", "dev", "wire"],
            &["-n", &a, "link", "set", "wire", "up"],
            &["-n", &b, "link", "set", "wire", "up"],
            &["-n", &a, "link", "set", "lo", "up"],
            &["-n", &b, "link", "set", "lo", "up"],
        ] {
            let done = ip(args);
            assert!(done.status.success(), "ip {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        }
        Some(wire)
    }

    /// Returns the prefix of a command line that runs at the local end.
    pub fn near(&self) -> String {
        format!("{} netns exec {}", program("ip"), self.end("a"))
    }

    /// Returns the prefix of a command line that runs at the remote end.
    pub fn far(&self) -> String {
        format!("{} netns exec {}", program("ip"), self.end("b"))
    }

    /// Drops all packets without any notification.
    pub fn cut(&self) {
        assert!(ip(&["-n", &self.end("b"), "link", "set", "wire", "down"]).status.success());
    }

    /// Restores the link.
    pub fn mend(&self) {
        assert!(ip(&["-n", &self.end("b"), "link", "set", "wire", "up"]).status.success());
    }

    /// Delays packets and drops some in both directions: at random if the kernel has `netem`, otherwise by a low
    /// bandwidth and a short queue.
    pub fn worsen(&self) {
        for end in ["a", "b"].map(|end| self.end(end)) {
            let by_chance = ["netem", "delay", "80ms", "20ms", "loss", "8%"];
            let thin = ["tbf", "rate", "96kbit", "burst", "1600", "limit", "1600"];
            let add = ["-n", end.as_str(), "qdisc", "add", "dev", "wire", "root"];
            let done = tc(&[&add, &by_chance[..]].concat());
            if !done.status.success() {
                let done = tc(&[&add, &thin[..]].concat());
                assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            }
        }
    }

    /// Returns the number of dropped packets.
    pub fn lost(&self) -> u32 {
        let of_end = |end: &str| {
            let output = tc(&["-n", &self.end(end), "-s", "qdisc", "show", "dev", "wire"]).stdout;
            let output = String::from_utf8_lossy(&output).into_owned();
            let lost = output.split_once("(dropped ").and_then(|(_, rest)| rest.split_once(','));
            lost.and_then(|(count, _)| count.parse::<u32>().ok()).unwrap_or_else(|| panic!("{output}"))
        };
        of_end("a") + of_end("b")
    }

    fn end(&self, which: &str) -> String {
        format!("{}{which}", self.name)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        for end in ["a", "b"] {
            ip(&["netns", "del", &self.end(end)]);
        }
    }
}

fn ip(args: &[&str]) -> Output {
    Command::new(program("ip")).args(args).stdin(Stdio::null()).output().expect("ip: run scripts/setup")
}

fn tc(args: &[&str]) -> Output {
    Command::new(program("tc")).args(args).stdin(Stdio::null()).output().expect("tc: run scripts/setup")
}

/// Returns the path of a program that may be missing from the PATH of users other than root.
fn program(name: &str) -> String {
    let found = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(|dir| format!("{dir}/{name}"));
    found.into_iter().find(|path| std::path::Path::new(path).exists()).unwrap_or_else(|| name.to_owned())
}
