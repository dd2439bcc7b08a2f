//! `agent wait` and `agent interrupt`.

use std::time::{Duration, Instant};

use insta::assert_snapshot;

use super::{agent, prompts, spawned, status, wait_for};
use crate::support::TestEnv;

#[test]
fn wait_prints_the_status_it_waited_for() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/work 300ms"]);
    assert_eq!(
        agent(&env, &["wait", "a", "--for", "idle,crashed", "--timeout", "20s"]).ok().stdout,
        "idle\n"
    );
    agent(&env, &["send", "a", "/ask make"]).ok();
    let outcome = agent(&env, &["wait", "a", "--for", "waiting"]).ok();
    assert_eq!(outcome.stdout, "waiting(approval)\n");
    let json = agent(&env, &["wait", "a", "--for", "waiting", "--json"]).ok().json();
    assert_eq!((&json["name"], &json["status"]), (&"a".into(), &"waiting".into()));
}

#[test]
fn wait_returns_soon_after_the_change() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let waiter = agent(&env, &["wait", "a", "--for", "stopped"]).start();
    let begun = Instant::now();
    agent(&env, &["kill", "a"]).ok();
    let (killed, usual) = (Instant::now(), begun.elapsed());
    assert_eq!(waiter.finish().ok().stdout, "stopped\n");
    // On a loaded machine the waiter's last look takes as long as the kill.
    let took = killed.elapsed();
    assert!(took < Duration::from_secs(3) + usual, "{took:?} after a kill of {usual:?}");
}

#[test]
fn wait_ends_at_its_timeout() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let outcome = agent(&env, &["wait", "a", "--for", "idle,exited", "--timeout", "100ms"])
        .within(Duration::from_secs(10))
        .fails(7);
    assert_snapshot!(env.redacted(&outcome.stderr), @"error: agent `a` is working, it did not become idle or exited within [DURATION]");
    agent(&env, &["wait", "b", "--for", "idle"]).fails(3);
    agent(&env, &["wait", "a"]).fails(2);
    agent(&env, &["wait", "a", "--for", "sleeping"]).fails(2);
}

#[test]
fn interrupt_stops_the_turn_and_keeps_the_agent() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/work 1h"]);
    wait_for(&env, "a", "working");
    let outcome = agent(&env, &["interrupt", "a"]).ok();
    assert_eq!(outcome.stderr, "pressed Escape in `a`: it is back at its prompt\n");
    wait_for(&env, "a", "idle");
    agent(&env, &["send", "a", "next"]).ok();
    assert_eq!(prompts(&env, "a"), ["/work 1h", "next"]);
}

#[test]
fn a_prompt_restored_after_an_interrupt_is_removed_and_reported() {
    let env = TestEnv::new();
    super::without_settling(&env, &["claude"]);
    // Like Claude Code: the prompt is shown until its turn is drawn, and again some frames after the turn was stopped.
    let drawn = r#"exec bash -c '
        prompt() { printf "\033[2J\033[H──────\r\n❯ %s\r\n──────\r\n" "$1"; }
        prompt "take your time"
        while [ ! -e told ]; do sleep 0.05; done
        sleep 0.3
        printf "\033[2J\033[H✻ Misting… (3s · esc to interrupt)\r\n──────\r\n❯ \r\n──────\r\n"
        trap "prompt" INT
        while :; do
            key=
            IFS= read -rsN1 key
            if [ "$key" = "$(printf "\\033")" ]; then prompt; sleep 0.1; prompt "take your time"; fi
        done'"#;
    env.fake_program("claude", drawn);
    spawned(&env, &["claude", "--name", "a"]);
    env.wait_until("the prompt is shown", || {
        agent(&env, &["peek", "a"]).ok().stdout.contains("take your time")
    });
    let prompted =
        r#"{"hook_event_name":"UserPromptSubmit","prompt":"take your time","session_id":"0b9e2c1a"}"#;
    env.symposium(["event", "agent"])
        .env("SYMPOSIUM_AGENT", "a")
        .env("SYMPOSIUM_AGENT_ID", super::shown(&env, "a")["id"].as_str().unwrap())
        .stdin(prompted)
        .ok();
    assert_eq!(status(&env, "a"), "working");
    std::fs::write(env.project().join("told"), "").unwrap();
    let stderr = agent(&env, &["interrupt", "a"]).ok().stderr;
    assert!(stderr.contains("which was cleared: take your time"), "{stderr}");
    assert!(!agent(&env, &["peek", "a"]).ok().stdout.contains("take your time"));
}

#[test]
fn interrupt_sends_control_c_to_a_command() {
    let env = TestEnv::new();
    spawned(
        &env,
        &[
            "--name",
            "a",
            "--",
            "sh",
            "-c",
            "trap 'echo interrupted; exec sleep 1000' INT; echo up; while :; do sleep 0.05; done",
        ],
    );
    env.wait_until("the program is up", || agent(&env, &["peek", "a"]).ok().stdout.contains("up"));
    let outcome = agent(&env, &["interrupt", "a", "--json"]).ok();
    assert_eq!(
        outcome.json(),
        serde_json::json!({"agent": "a", "keys": ["C-c"], "confirmed_by": null, "put_back": null})
    );
    env.wait_until("the program was interrupted", || {
        agent(&env, &["peek", "a"]).ok().stdout.contains("interrupted")
    });
    assert_eq!(status(&env, "a"), "working");
    agent(&env, &["kill", "a"]).ok();
    agent(&env, &["interrupt", "a"]).fails(1);
}

#[test]
fn wait_ends_when_the_agent_is_stopped_but_not_when_it_restarts() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/work 1h"]);
    wait_for(&env, "a", "working");
    let waiter = agent(&env, &["wait", "a", "--for", "idle", "--timeout", "50s"]).start();
    agent(&env, &["restart", "a"]).ok();
    assert_eq!(waiter.finish().ok().stdout, "idle\n");
    let waiter = agent(&env, &["wait", "a", "--for", "waiting,exited", "--timeout", "50s"]).start();
    let begun = Instant::now();
    agent(&env, &["kill", "a"]).ok();
    let outcome = waiter.finish().fails(1);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_snapshot!(outcome.stderr, @"
    error: agent `a` is not running: stopped (it was ended on request)
    hint: resume it with `symposium agent resume a`
    ");
}

#[test]
fn kill_and_rm_do_not_record_the_agent_as_idle() {
    let env = TestEnv::new();
    for (name, end) in [("a", &["kill"][..]), ("b", &["rm", "--force"])] {
        spawned(&env, &["demo", "--name", name, "--task", "/ask make"]);
        wait_for(&env, name, "waiting");
        agent(&env, &[end, &[name]].concat()).ok();
        let ledger = rusqlite::Connection::open(env.state().join("ledger.db")).unwrap();
        let mut rows =
            ledger.prepare("SELECT to_status FROM happenings WHERE name = ?1 ORDER BY id").unwrap();
        let was = rows.query_map([name], |row| row.get::<_, Option<String>>(0)).unwrap();
        let was: Vec<String> = was.filter_map(|status| status.unwrap()).collect();
        assert!(!was.contains(&"idle".to_owned()), "{was:?}");
        assert!(was.contains(&"waiting".to_owned()) && was.contains(&"stopped".to_owned()), "{was:?}");
    }
}

#[test]
fn wait_follows_a_rename() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "old", "--", "sleep", "1000"]);
    let waiter = agent(&env, &["wait", "old", "--for", "stopped"])
        .env("SYMPOSIUM_FAILPOINT", "stop:wait.looked")
        .start();
    env.wait_until("the waiter is stopped at the failpoint", || waiter.is_stopped());
    agent(&env, &["rename", "old", "new"]).ok();
    agent(&env, &["spawn", "--name", "old", "--", "sleep", "1000"]).ok();
    agent(&env, &["kill", "new"]).ok();
    // It may check more than once before it sees the end.
    env.wait_until("the waiter has printed the status", || {
        if waiter.is_stopped() {
            waiter.go_on();
        }
        !waiter.stdout_so_far().is_empty()
    });
    assert_eq!(waiter.finish().ok().stdout, "stopped\n");
}

#[test]
fn wait_keeps_its_timeout_while_tmux_hangs() {
    let env = TestEnv::new();
    spawned(&env, &["--name", "a", "--", "sleep", "1000"]);
    let server = env.tmux(["display-message", "-p", "#{pid}"]).ok().stdout.trim().to_owned();
    env.program("kill", ["-STOP", &server]).ok();
    let begun = Instant::now();
    let outcome = agent(&env, &["wait", "a", "--for", "idle", "--timeout", "2s"]).outcome();
    let took = begun.elapsed();
    env.program("kill", ["-CONT", &server]).ok();
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(outcome.stderr.contains("tmux does not answer, so whether agent `a` became idle is not known"));
    // A single tmux query may take 5 s, and the wait makes two; `--timeout` must end both.
    assert!(took < Duration::from_secs(5), "{took:?}");
}
