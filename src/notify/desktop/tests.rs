//! Tests the call against a real bus of the test's own, with a fake desktop; never against the developer's bus.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::*;
use crate::model::NotifyOn;
use crate::notify::dbus_message::{self, BusMessage, FIXED_HEADER_BYTES};

/// A private bus, and the directory of its files.
struct PrivateBus {
    daemon: Child,
    dir: tempfile::TempDir,
}

/// Bus configuration without service activation and without access restrictions.
const CONF: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=/tmp</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"#;

impl PrivateBus {
    /// Starts a bus. Returns `None` and prints the reason if there is no `dbus-daemon`.
    #[expect(clippy::disallowed_methods, reason = "a test's own child")]
    #[expect(clippy::print_stderr, reason = "a test that is left out says so")]
    fn start() -> Option<PrivateBus> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("conf"), CONF).unwrap();
        let daemon = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", dir.path().join("conf").display()))
            .arg(format!("--address=unix:path={}", dir.path().join("bus").display()))
            .args(["--nofork", "--print-address"])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .stderr(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        match daemon {
            Ok(mut daemon) => {
                let mut address = String::new();
                BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
                assert!(address.starts_with("unix:path="), "the bus said {address:?}");
                Some(PrivateBus { daemon, dir })
            }
            Err(why) => {
                eprintln!("left out: dbus-daemon cannot be started ({why}); install it to run this test");
                None
            }
        }
    }

    fn address(&self) -> String {
        format!("unix:path={}", self.socket().display())
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("bus")
    }

    /// Starts `dbus-monitor`, and returns its output once it is listening.
    #[expect(clippy::disallowed_methods, reason = "a test's own child")]
    fn monitor(&self) -> (Child, BufReader<ChildStdout>) {
        let mut monitor = Command::new("dbus-monitor")
            .args(["--address", &self.address(), "interface='org.freedesktop.Notifications'"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(monitor.stdout.take().unwrap());
        let mut line = String::new();
        // The bus removes the client's name when it has become a monitor.
        while !line.contains("member=NameLost") {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0, "dbus-monitor ended");
        }
        (monitor, lines)
    }
}

impl Drop for PrivateBus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn notice(body: &str) -> Notice {
    let agent: crate::model::AgentName = "api-fix".parse().unwrap();
    Notice {
        title: "api-fix waits for <b>\u{1b}[2Japproval".into(),
        body: body.into(),
        urgency: Urgency::Critical,
        agents: vec![agent.clone()],
        agent: Some(agent),
        on: NotifyOn::Waiting,
        at: jiff::Timestamp::UNIX_EPOCH,
    }
}

/// A fake desktop: acquires the name, then answers one call.
struct FakeDesktop(UnixStream);

impl FakeDesktop {
    fn start(socket: &Path) -> FakeDesktop {
        let mut desktop = FakeDesktop(UnixStream::connect(socket).unwrap());
        let user = rustix::process::geteuid().as_raw().to_string();
        let hex: String = user.bytes().map(|byte| format!("{byte:02x}")).collect();
        desktop.say(format!("\0AUTH EXTERNAL {hex}\r\n").as_bytes());
        let mut ok = [0; 37];
        desktop.0.read_exact(&mut ok).unwrap();
        desktop.say(b"BEGIN\r\n");
        let bus = |member| Method { service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", member };
        desktop.say(&dbus_message::call(bus("Hello"), 1, MessageBody::default()));
        desktop.say(&dbus_message::call(
            bus("RequestName"),
            2,
            MessageBody::new("su").text(NOTIFY.service).number(4),
        ));
        while dbus_message::read(&desktop.message()) != Some(BusMessage::Done(2)) {}
        desktop
    }

    fn say(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    fn message(&mut self) -> Vec<u8> {
        let mut fixed = [0; FIXED_HEADER_BYTES];
        self.0.read_exact(&mut fixed).unwrap();
        let mut message = fixed.to_vec();
        message.resize(FIXED_HEADER_BYTES + dbus_message::rest(&fixed).unwrap(), 0);
        self.0.read_exact(&mut message[FIXED_HEADER_BYTES..]).unwrap();
        message
    }

    /// Answers like a desktop, with the id of the notice.
    fn answer_one(mut self) {
        let call = loop {
            let message = self.message();
            if message[1] == 1 {
                break message;
            }
        };
        // The bus adds the caller's name to the call: it is the only text that begins with a colon.
        let at = call.windows(2).position(|pair| pair == b":1").unwrap();
        let caller: Vec<u8> = call[at..].iter().copied().take_while(|byte| *byte != 0).collect();
        let mut answer = vec![b'l', 2, 1, 1, 4, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
        answer.extend([5, 1, b'u', 0]);
        answer.extend(&call[8..12]);
        answer.extend([8, 1, b'g', 0, 1, b'u', 0, 0]);
        answer.extend([6, 1, b's', 0, caller.len() as u8, 0, 0, 0]);
        answer.extend(caller);
        answer.push(0);
        answer[12] = (answer.len() - FIXED_HEADER_BYTES) as u8;
        answer.resize(answer.len().next_multiple_of(8), 0);
        answer.extend([42, 0, 0, 0]);
        self.say(&answer);
    }
}

#[test]
fn desktop_notice_is_readable_by_an_independent_client() {
    let Some(bus) = PrivateBus::start() else { return };
    let (mut monitor, mut lines) = bus.monitor();
    let stand_in = FakeDesktop::start(&bus.socket());
    let answering = std::thread::spawn(move || stand_in.answer_one());
    desktop(&notice("run `a < b && rm -rf x`?\nsecond line\u{7}"), bus.address().as_ref()).unwrap();
    answering.join().unwrap();
    let mut seen = String::new();
    while !seen.contains(" int32 ") {
        assert!(lines.read_line(&mut seen).unwrap() > 0, "{seen}");
    }
    let _ = monitor.kill();
    let _ = monitor.wait();
    let (_, call) = seen.split_once("member=Notify\n").unwrap();
    let call: Vec<&str> = call.lines().map(str::trim).collect();
    assert_eq!(
        call,
        [
            r#"string "symposium""#,
            "uint32 0",
            r#"string "utilities-terminal""#,
            r#"string "api-fix waits for <b> [2Japproval""#,
            r#"string "run `a &lt; b &amp;&amp; rm -rf x`?"#,
            r#"second line ""#,
            "array [",
            "]",
            "array [",
            "dict entry(",
            r#"string "urgency""#,
            "variant             byte 2",
            ")",
            "]",
            "int32 -1",
        ]
    );
}

#[test]
fn bus_without_a_desktop_is_reported() {
    let Some(bus) = PrivateBus::start() else { return };
    let error = desktop(&notice(""), bus.address().as_ref()).unwrap_err();
    let NoticeError::Refused { name, .. } = &error else { panic!("{error}") };
    assert_eq!(name, "org.freedesktop.DBus.Error.ServiceUnknown", "{error}");
}

#[test]
fn unreachable_bus_is_an_error_and_not_a_hang() {
    let Some(bus) = PrivateBus::start() else { return };
    let address = bus.address();
    drop(bus);
    assert!(matches!(desktop(&notice(""), address.as_ref()), Err(NoticeError::Bus { .. })));
}

#[test]
fn markup_shows_as_it_was_written() {
    for (text, expected) in [
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("<img src=x>&amp;", "&lt;img src=x&gt;&amp;amp;"),
        ("one\ntwo\u{1b}[0m\r", "one\ntwo [0m "),
        ("", ""),
    ] {
        assert_eq!(without_markup(text), expected);
    }
}
