//! `symposium doctor`: the checks, their results and the advice.

use insta::assert_snapshot;

use super::spawned;
use crate::support::TestEnv;
use crate::support::disk::Disk;

/// Returns the checks without those that depend on the machine, the version of tmux and the user.
fn line_with(env: &TestEnv, text: &str) -> String {
    let uid = format!("tmux-{}", rustix::process::getuid().as_raw());
    let version = regex_lite::Regex::new(r"3\.\d+[a-z]?|\bmaster\b|next-\S+").unwrap();
    let text = env.redacted(text).replace(&uid, "tmux-[UID]");
    let space = regex_lite::Regex::new(r"[0-9.]+ (B|[KMGT]iB) free").unwrap();
    let text = space.replace_all(&text, "[SIZE] free").into_owned();
    // After the sizes: a size such as 53.3 GiB contains what looks like a version of tmux.
    let text = version.replace_all(&text, "[VERSION]").into_owned();
    let mut kept = String::new();
    let mut skipping = false;
    for line in text.lines() {
        let depends =
            ["logout", "file descriptors"].iter().any(|what| line[4..].trim_start().starts_with(what));
        skipping = depends || skipping && line.starts_with("      do:");
        if !skipping {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[test]
fn doctor_reports_a_healthy_machine_with_two_clis() {
    let env = TestEnv::new();
    env.fake_program("claude", "echo '2.1.325 (Claude Code)'");
    env.fake_program("codex", "echo no config >&2; exit 1");
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let outcome = env.symposium(["doctor"]).outcome();
    assert_snapshot!(line_with(&env, &outcome.stdout), @"
    ok    tmux: [VERSION] at [ROOT]/tools/tmux
    ok    state directory: [ROOT]/home/.symposium, private
    ok    disk: writable, [SIZE] free
    ok    registry: 1 agent
    ok    server: tmux [VERSION] at [ROOT]/sockets/tmux-[UID]/symposium, 1 agent live
    ok    configuration: config.toml: not present, using defaults
    ok    ledger: 1 line written so far
    ok    supervisor: it is not running, and agents do not start it (config.toml)
    ok    claude: 2.1.325 (Claude Code) at [ROOT]/fakes/claude
    note  codex: `[ROOT]/fakes/codex --version` failed: no config
          do: run it once in a terminal
    ");
}

#[test]
fn doctor_reports_missing_tmux_and_missing_clis() {
    let env = TestEnv::new();
    env.forget_program("tmux");
    let outcome = env.symposium(["doctor"]).fails(1);
    let text = regex_lite::Regex::new("do: install it: .*")
        .unwrap()
        .replace_all(&outcome.stdout, "do: install it: [HOW]")
        .into_owned();
    assert_snapshot!(line_with(&env, &text), @"
    BAD   tmux: tmux is not installed, or not in PATH
          do: install it: [HOW]
    ok    state directory: [ROOT]/home/.symposium, private
    ok    disk: writable, [SIZE] free
    ok    registry: 0 agents
    note  server: not checked: tmux is not available
          do: see above
    ok    configuration: config.toml: not present, using defaults
    ok    ledger: no events yet
    ok    supervisor: it is not running, and agents do not start it (config.toml)
    note  agent CLIs: none in PATH; `default` is the demo agent
          do: npm install -g @anthropic-ai/claude-code
    ");
}

#[test]
fn doctor_reports_lost_agents_open_permissions_and_a_broken_registry() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    env.tmux(["kill-server"]).ok();
    let outcome = env.symposium(["doctor"]).outcome();
    assert!(
        outcome.stdout.contains("; 1 agent is lost\n      do: symposium agent restore --all\n"),
        "{outcome:?}"
    );
    let file = env.state().join("agent-sessions.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let outcome = env.symposium(["doctor"]).fails(1);
    assert!(
        outcome.stdout.contains("BAD   state directory: other users can read: ")
            && outcome.stdout.contains("do: chmod -R go-rwx "),
        "{outcome:?}"
    );
    std::fs::write(&file, r#"{"format":99,"sessions":{}}"#).unwrap();
    let outcome = env.symposium(["doctor"]).fails(1);
    assert!(
        outcome
            .stdout
            .contains("it was written by a newer version of symposium (format 99, this version supports 1)"),
        "{outcome:?}"
    );
}

#[test]
fn doctor_reports_a_missing_notify_command() {
    let env = TestEnv::new();
    super::without_settling(&env, &[]);
    std::fs::write(env.state().join("config.toml"), "[notify]\ncommand = [\"/nonexistent\", \"x\"]\n")
        .unwrap();
    let outcome = env.symposium(["doctor"]).fails(1);
    let line_with =
        "BAD   configuration: `command` of [notify] cannot be run: there is no program `/nonexistent`\n";
    assert!(outcome.stdout.contains(line_with), "{outcome:?}");
}

#[test]
fn doctor_json_has_a_row_for_each_check() {
    let env = TestEnv::new();
    let rows = env.symposium(["doctor", "--json"]).outcome().json();
    let rows = rows.as_array().expect("a list");
    let what: Vec<&str> =
        rows.iter().map(|row| row["what"].as_str().unwrap()).filter(|what| *what != "logout").collect();
    assert_eq!(
        what,
        [
            "tmux",
            "state directory",
            "disk",
            "registry",
            "server",
            "configuration",
            "ledger",
            "supervisor",
            "agent CLIs"
        ]
    );
    assert!(rows.iter().all(|row| ["good", "note", "bad"].contains(&row["health"].as_str().unwrap())));
}

#[test]
fn doctor_reports_a_full_disk_and_list_still_shows_running_agents() {
    let env = TestEnv::new();
    let Some(disk) = Disk::under(&env.state()) else { return };
    spawned(&env, &["--name", "a", "--", "sh", "-c", "echo here; sleep 1000"]);
    // The state after a spawn that could not be recorded.
    env.edit_registry(|registry| registry["sessions"] = serde_json::json!({}));
    let filler = disk.fill();
    let outcome = env.symposium(["doctor"]).fails(1);
    assert!(outcome.stdout.contains("BAD   disk: "), "{outcome:?}");
    assert!(outcome.stdout.contains("No space left on device"), "{outcome:?}");
    assert!(outcome.stdout.contains(", 1 agent live"), "{outcome:?}");
    let listed = env.symposium(["agent", "list"]).ok();
    assert!(listed.stdout.contains("working"), "{listed:?}");
    assert!(listed.stderr.contains("running agents could not be stored: "), "{listed:?}");
    let peeked = env.symposium(["agent", "peek", "a"]).ok();
    assert!(peeked.stdout.contains("here"), "{peeked:?}");
    std::fs::remove_file(filler).unwrap();
    let listed = env.symposium(["agent", "list"]).ok();
    assert!(!listed.stderr.contains("could not be stored"), "{listed:?}");
    env.symposium(["agent", "kill", "a"]).ok();
}

#[test]
fn doctor_reports_kept_damaged_ledgers() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    for name in ["ledger.db.damaged-5", "ledger.db.damaged-5-wal", "ledger.db.damaged-5-2"] {
        std::fs::write(env.state().join(name), "x").unwrap();
    }
    let outcome = env.symposium(["doctor"]).outcome();
    let expected = "note  ledger: 1 line written so far; 2 damaged files are kept from repairs\n";
    assert!(outcome.stdout.contains(expected), "{outcome:?}");
}
