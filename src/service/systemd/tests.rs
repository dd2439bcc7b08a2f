//! Tests of the unit, also with systemd's own tools.

use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;

use super::*;

fn boot(exe: &Path) -> Boot {
    let env =
        vec![("PATH".into(), "/home/u/my bin:/usr/bin".into()), ("SYMPOSIUM_HOME".into(), "/a%b\"c".into())];
    Boot { name: "symposium".into(), exe: exe.to_owned(), env, role: ServiceRole::Agents }
}

#[test]
fn a_unit_starts_the_server_and_restores_agents() {
    insta::assert_snapshot!(unit(&boot(Path::new("/usr/local/bin/symposium"))), @r##"
    # Written by `symposium service install`; `symposium service uninstall` removes it.

    [Unit]
    Description=Symposium: AI coding agents, kept alive

    [Service]
    Type=oneshot
    RemainAfterExit=yes
    Environment="PATH=/home/u/my bin:/usr/bin"
    Environment="SYMPOSIUM_HOME=/a%%b\"c"
    UnsetEnvironment=INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID
    # The supervisor lives in our tmux server: starting it starts the server.
    ExecStart="/usr/local/bin/symposium" supervisor start
    # One agent that does not come back is no reason to give up the others.
    ExecStart=-"/usr/local/bin/symposium" agent restore --all
    TimeoutStartSec=10min
    # Stopping the unit ends no agent; `symposium agent kill --all` does.
    KillMode=process
    OOMPolicy=continue
    TasksMax=infinity

    [Install]
    WantedBy=default.target
    "##);
}

#[test]
fn a_unit_of_the_web_page_keeps_agents_and_escapes_its_arguments() {
    let args = ["--allow-host", "a b$c%"].map(str::to_owned).to_vec();
    let boot = Boot { role: ServiceRole::WebPage(args), ..boot(Path::new("/usr/local/bin/symposium")) };
    let text = unit(&boot);
    let start = "ExecStart=\"/usr/local/bin/symposium\" web serve \"--allow-host\" \"a b$$c%%\"\n";
    assert!(text.contains(start), "{text}");
    assert!(text.contains("\nKillMode=process\n") && text.contains("Environment=\"PATH="), "{text}");
}

#[test]
fn unusual_paths_are_escaped_in_the_unit() {
    for (word, expected) in [
        ("/a b/s", r#""/a b/s""#),
        ("/100%/s", r#""/100%%/s""#),
        (r#"/"q"\/s"#, r#""/\"q\"\\/s""#),
        ("/a$b/s", r#""/a$b/s""#),
        ("/a\nb/s", r#""/a\x0ab/s""#),
        ("/ü/s", r#""/ü/s""#),
    ] {
        assert_eq!(quoted(OsStr::new(word)), expected);
    }
    assert_eq!(program(OsStr::new("/a $b%/s")), r#""/a $b%%/s""#);
    assert_eq!(program(OsStr::new(r#"/a "$b"/s"#)), r#"/usr/bin/env "/a \"$$b\"/s""#);
    assert_eq!(quoted(OsStr::from_bytes(b"/\xff/s")), r#""/\xff/s""#);
}

/// systemd reports every line that it does not understand, and a program that does not exist.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test's own child")]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn systemd_accepts_the_unit() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join("a b 100% $HOME ü");
    std::fs::create_dir(&odd).unwrap();
    let exe = odd.join("symposium");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o755).open(&exe).unwrap();
    let good = dir.path().join("symposium.service");
    std::fs::write(&good, unit(&boot(&exe))).unwrap();
    let bad = dir.path().join("other.service");
    std::fs::write(&bad, unit(&boot(&odd.join("missing")))).unwrap();
    let verify = |file: &Path| {
        Command::new("systemd-analyze")
            .args(["--user", "--man=no", "verify"])
            .arg(file)
            .env("XDG_RUNTIME_DIR", dir.path())
            .output()
    };
    let Ok(output) = verify(&good) else {
        return eprintln!("skipped: systemd-analyze is not here");
    };
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let quotes = dir.path().join("quotes.service");
    std::fs::write(&quotes, unit(&boot(Path::new("/a \"b\" \\ c/s")))).unwrap();
    assert!(verify(&quotes).unwrap().status.success());
    assert!(output.status.success() && !stderr.contains("symposium.service"), "{stderr}");
    let output = verify(&bad).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("other.service") && stderr.contains("missing is not executable"), "{stderr}");
}
