//! A compromised remote machine: its output is shown as text, limited in size, and never interpreted.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Far, Near, machines};

/// Sets the title, the clipboard, the alternate screen and the cursor, resets the terminal, and reverses text.
const HARM: &str = "\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x1b\\\x1b[?1049h\x1b[2J\x1b[1;1H\x1bc\r\x08\u{9b}2J\u{202e}\x1b[8mhidden";

/// Returns whether a terminal would interpret the text.
fn is_obeyed(text: &str) -> bool {
    text.contains(|c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
}

impl Far {
    /// Adds a host of this name that answers every request with these bytes, after a greeting with this version.
    #[track_caller]
    fn answers(&self, near: &Near, name: &str, (version, answer): (&str, &[u8])) {
        let hello = json!({"format": 1, "version": version}).to_string();
        let wire = [b"\x02symposium-remote ", hello.as_bytes(), b"\n", answer].concat();
        let file = self.env.root().join(format!("answer-{name}"));
        fs::write(&file, wire).unwrap();
        let script = format!("read -r line; /bin/cat {}; read -r line", file.display());
        let made = self.env.fake_program(&format!("answers-{name}"), &script).display().to_string();
        let port = self.port.to_string();
        near.run(&["host", "add", "--force", name, &self.address, "--port", &port, "--binary", &made]).ok();
    }
}

fn frame(word: &str, text: &str) -> Vec<u8> {
    format!("{word} {}\n{text}", text.len()).into_bytes()
}

fn end(code: u8) -> Vec<u8> {
    format!("end {code}\n").into_bytes()
}

#[test]
fn terminal_sequences_printed_by_a_host_are_sanitized() {
    let Some((near, far)) = machines() else { return };
    let output = format!("before {HARM} behind\n");
    far.answers(&near, "evil", ("0.1.0", &[frame("out", &output), frame("err", &output), end(0)].concat()));
    for line in [
        &["agent", "show", "evil:a"][..],
        &["agent", "peek", "evil:a"],
        &["agent", "send", "evil:a", "x"],
        &["agent", "logs", "evil:a", "--plain"],
        &["agent", "list", "--watch", "--host", "evil"],
        &["--color", "always", "agent", "show", "evil:a"],
        &["--host", "evil", "metrics"],
    ] {
        let shown = near.run(line).ok();
        assert!(shown.stdout.contains("before ") && shown.stdout.contains("owned"), "{line:?}: {shown:?}");
        assert!(!is_obeyed(&shown.stdout) && !is_obeyed(&shown.stderr), "{line:?}: {shown:?}");
    }
    // The output of an agent is printed unchanged, as it is for local agents.
    let printed = near.run(&["agent", "logs", "evil:a"]).ok();
    assert!(printed.stdout.contains(HARM) && !is_obeyed(&printed.stderr), "{printed:?}");
    // A character and a colour sequence may arrive in pieces.
    let pieces = [&b"out 3\nab\xc3out 2\n\xa9\nout 2\n\x1b["[..], b"out 8\n1mx\x1b[0m\n", &end(0)].concat();
    far.answers(&near, "pieces", ("0.1.0", &pieces));
    assert_eq!(near.run(&["agent", "send", "pieces:a", "x"]).ok().stdout, "abé\nx\n");
    let coloured = near.run(&["--color", "always", "agent", "send", "pieces:a", "x"]).ok().stdout;
    assert_eq!(coloured, "abé\n\x1b[1mx\x1b[0m\n");
}

#[test]
fn json_of_a_host_is_validated() {
    let Some((near, far)) = machines() else { return };
    let value = "{\"title\":\"\u{9b}2J\u{202e}é\"}\n";
    far.answers(&near, "fine", ("0.1.0", &[frame("out", value), end(0)].concat()));
    let shown = near.run(&["agent", "show", "fine:a", "--json"]).ok();
    assert!(!is_obeyed(&shown.stdout), "{shown:?}");
    assert_eq!(shown.json(), json!({"host": "fine", "title": "\u{9b}2J\u{202e}é"}));
    for line in [&["agent", "show", "evil:a", "--json"][..], &["agent", "send", "evil:a", "x", "--json"]] {
        far.answers(&near, "evil", ("0.1.0", &[frame("out", HARM), frame("err", HARM), end(0)].concat()));
        let refused = near.run(line).fails(1);
        assert_eq!(refused.stdout, "");
        assert!(refused.stderr.contains("its output is not JSON"), "{refused:?}");
        assert!(!is_obeyed(&refused.stderr), "{refused:?}");
    }
    // A list also contains titles and directories.
    far.run(&["agent", "spawn", "--name", "a", "--", "sleep", "1000"]).ok();
    let mut agents = far.run(&["agent", "list", "--json"]).ok().json();
    agents[0]["title"] = json!(HARM);
    agents[0]["working_directory"] = json!(HARM);
    far.answers(&near, "listed", ("0.1.0", &[frame("out", &agents.to_string()), end(0)].concat()));
    for more in [&["--json"][..], &[]] {
        let line = [&["agent", "list", "--host", "listed", "--timeout", "50s"], more].concat();
        let listed = near.run(&line).ok();
        assert!(listed.stdout.contains("owned") && !is_obeyed(&listed.stdout), "{listed:?}");
    }
    // The name of the host is inserted, and sanitized texts stay sanitized.
    let watched = near.run(&["agent", "list", "--host", "listed", "--watch", "--json"]).ok();
    assert!(watched.stdout.contains("owned") && !is_obeyed(&watched.stdout), "{watched:?}");
    assert_eq!(watched.json()[0]["host"], "listed");
}

#[test]
fn the_version_of_a_host_is_sanitized_and_limited() {
    let Some((near, far)) = machines() else { return };
    let long = format!("{HARM}{}", "9".repeat(5000));
    far.answers(&near, "evil", (&long, &end(0)));
    let listed = near.run(&["host", "list", "--json"]).ok();
    let hosts = listed.json();
    let version =
        hosts.as_array().unwrap().iter().find(|host| host["name"] == "evil").unwrap()["version"].clone();
    assert!(version.as_str().is_some_and(|text| text.len() < 100 && !is_obeyed(text)), "{version}");
    let outcome = near.run(&["host", "list"]).ok();
    assert!(!is_obeyed(&outcome.stdout), "{outcome:?}");
    far.answers(&near, "evil", ("9.9\x1b]0;PWN\x07 rm -rf", &end(0)));
    let outcome = near.run(&["host", "list"]).ok();
    assert!(outcome.stdout.contains(" 9.9 ") && !outcome.stdout.contains("PWN"), "{outcome:?}");
}

#[test]
fn an_endless_answer_is_cut_off_at_a_limit() {
    let Some((near, far)) = machines() else { return };
    let script = "read -r line; printf '\\002symposium-remote {\"format\":1,\"version\":\"0.1.0\"}\\n'\n\
                  while :; do printf 'out 1048576\\n'; /usr/bin/head -c 1048576 /dev/zero || exit; done";
    let made = far.env.fake_program("endless", script).display().to_string();
    let port = far.port.to_string();
    let add = ["host", "add", "endless", &far.address, "--port", &port, "--binary", &made];
    let refused = near.run(&add).fails(1);
    assert!(refused.stderr.contains("sent more than was requested"), "{refused:?}");
    near.run(&[&add[..], &["--force"]].concat()).ok();
    let listed = near.run(&["agent", "list", "--host", "endless", "--timeout", "50s"]).fails(1);
    assert!(listed.stderr.contains("host `endless` sent an unexpected answer"), "{listed:?}");
    assert!(listed.stderr.contains("it sent more than 16 MiB"), "{listed:?}");
    let shown = near.run(&["agent", "show", "endless:a"]).fails(1);
    assert!(shown.stderr.contains("it sent more than 128 MiB") && shown.stdout.is_empty(), "{shown:?}");
}

#[test]
fn too_many_remote_agents_are_refused() {
    let Some((near, far)) = machines() else { return };
    // Each agent would take a hundred times as much space in memory.
    let agents = format!("[{}{{}}]", "{},".repeat(300_000));
    let frames: Vec<u8> = agents
        .as_bytes()
        .chunks(1 << 19)
        .flat_map(|piece| [format!("out {}\n", piece.len()).as_bytes(), piece].concat())
        .collect();
    far.answers(&near, "many", ("0.1.0", &[frames, end(0)].concat()));
    let refused = near.run(&["agent", "list", "--host", "many", "--timeout", "50s"]).fails(1);
    assert!(refused.stderr.contains("it listed more than 10000 agents"), "{refused:?}");
}

#[test]
fn a_truncated_answer_is_reported() {
    let Some((near, far)) = machines() else { return };
    // It sends a greeting and part of an answer, and exits.
    let script = "read -r line; printf '\\002symposium-remote {\"format\":1,\"version\":\"0.1.0\"}\\nout 5\\n[{'; exit 3";
    let made = far.env.fake_program("cut", script).display().to_string();
    let port = far.port.to_string();
    let add = ["host", "add", "cut", &far.address, "--port", &port, "--binary", &made];
    let refused = near.run(&add).fails(1);
    assert!(
        refused.stderr.contains("it ended in the middle")
            && !refused.stderr.contains("symposium is not installed on host"),
        "{refused:?}"
    );
    near.run(&[&add[..], &["--force"]].concat()).ok();
    let listed = near.run(&["agent", "list", "--host", "cut", "--timeout", "50s"]).fails(1);
    assert!(
        listed.stderr.contains("error: host `cut` sent an unexpected answer\n  it ended in the middle"),
        "{listed:?}"
    );
    let _: Value = near.run(&["host", "list", "--json"]).ok().json();
}

#[test]
fn a_host_that_prints_noise_does_not_block() {
    let Some((near, far)) = machines() else { return };
    let made = far.env.fake_program("noise", "/usr/bin/yes | /usr/bin/head -c 200000; exec /bin/sleep 1000");
    let (port, made) = (far.port.to_string(), made.display().to_string());
    let refused =
        near.run(&["host", "add", "noise", &far.address, "--port", &port, "--binary", &made]).fails(1);
    assert!(
        refused.stderr.starts_with("error: symposium is not installed on host `noise`\n  y\n"),
        "{refused:?}"
    );
    assert!(refused.stderr.lines().count() < 12, "{refused:?}");
}

#[test]
fn the_terminal_is_restored_after_a_rude_host() {
    let Some((near, far)) = machines() else { return };
    let script = "printf '\\033[?1000h\\033[?1049hover here'; exit 5";
    let made = far.env.fake_program("rude", script).display().to_string();
    let port = far.port.to_string();
    near.run(&["host", "add", "rude", &far.address, "--port", &port, "--binary", &made, "--force"]).ok();
    let line = format!("{} agent attach rude:a; echo \"code $?\"; read -r line", near.env.binary());
    let terminal = near.env.terminal(["sh", "-c", &line]);
    terminal.wait_for_text("code 5");
    assert_eq!(terminal.modes(), "0 0", "{}", terminal.screen());
}

#[test]
fn a_host_that_never_logs_in_is_reported_as_not_reached() {
    let Some(near) = Near::new(None) else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    // Lines before the greeting are allowed, and keep ssh waiting.
    std::thread::spawn(move || {
        let (_never, pace) = mpsc::channel::<()>();
        for mut stream in listener.incoming().flatten() {
            while stream.write_all(b"x\r\n").is_ok() {
                let _ = pace.recv_timeout(Duration::from_millis(300));
            }
        }
    });
    near.run(&["host", "add", "drips", "me@127.0.0.1", "--port", &port, "--force"]).outcome();
    let outcome = near.run(&["agent", "send", "drips:a", "hi"]).fails(1);
    assert!(outcome.stderr.contains("cannot be reached"), "{outcome:?}");
    assert!(
        !outcome.stderr.contains("is unknown whether") && !outcome.stderr.contains("was lost"),
        "{outcome:?}"
    );
}
