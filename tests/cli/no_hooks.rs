//! An agent CLI whose hooks never run, because a wrapper drops them: its status is read from its screen.

use super::{agent, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

/// Makes the demo agent start without its hooks.
pub(crate) fn without_hooks(env: &TestEnv) {
    let script = format!(
        r#"for word; do
  shift
  if [ -n "$drop" ]; then drop=; elif [ "$word" = --settings ]; then drop=1; else set -- "$@" "$word"; fi
done
exec '{}' demo-agent "$@""#,
        env.binary()
    );
    env.fake_program("wrapped", &script);
    super::without_settling(env, &[]);
    let kind = "[demo]\nprogram = [\"wrapped\"]\nargs = []\n";
    std::fs::write(env.state().join("kinds.toml"), kind).expect("writing kinds.toml");
}

#[test]
fn without_hooks_the_screen_confirms_prompts_and_shows_dialogs() {
    let env = TestEnv::new();
    without_hooks(&env);
    spawned(&env, &["demo", "--name", "a"]);
    wait_for(&env, "a", "idle");
    let outcome = agent(&env, &["send", "a", "/ask rm -rf build"]).ok();
    assert_eq!(outcome.stderr, "delivered to `a`: its screen shows that the text was accepted\n");
    wait_for(&env, "a", "waiting");
    assert_eq!(shown(&env, "a")["waiting_for"], "approval");
    agent(&env, &["approve", "a"]).ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["/ask rm -rf build"]);
}

#[test]
fn without_hooks_the_screen_shows_turns_typed_by_the_user() {
    let env = TestEnv::new();
    without_hooks(&env);
    spawned(&env, &["demo", "--name", "a"]);
    wait_for(&env, "a", "idle");
    for _ in 0..2 {
        env.tmux(["send-keys", "-t", "=a:", "/ask make", "Enter"]).ok();
        env.wait_until("the dialog is reported", || status(&env, "a") == "waiting");
        env.tmux(["send-keys", "-t", "=a:", "1"]).ok();
        env.wait_until("the end of the turn is reported", || status(&env, "a") == "idle");
    }
}

#[test]
fn an_unrecognized_screen_makes_the_status_unknown() {
    let env = TestEnv::new();
    super::without_settling(&env, &["claude"]);
    env.fake_program("claude", "echo something new; exec sleep 1000");
    spawned(&env, &["claude", "--name", "a"]);
    env.wait_until("the status is unknown", || status(&env, "a") == "unknown");
    assert_eq!(shown(&env, "a")["reason"], "it is quiet, and its screen shows no known state");
}

#[test]
fn late_hooks_do_not_end_a_turn_seen_on_the_screen() {
    let env = TestEnv::new();
    let spins =
        "n=0; while :; do n=$((n+1)); printf '\\033[2J\\033[H* Thinking… (%ds)\\n' $n; sleep 0.3; done";
    env.fake_program("wrapped", spins);
    super::without_settling(&env, &[]);
    let kind = "[demo]\nprogram = [\"wrapped\"]\nargs = []\n";
    std::fs::write(env.state().join("kinds.toml"), kind).expect("writing kinds.toml");
    spawned(&env, &["demo", "--name", "a"]);
    env.wait_until("the agent is working", || status(&env, "a") == "working");
    let id = shown(&env, "a")["id"].as_str().expect("an id").to_owned();
    let say = |payload: &str| {
        let event = env.symposium(["event", "agent"]).env("SYMPOSIUM_AGENT", "a");
        event.env("SYMPOSIUM_AGENT_ID", &id).stdin(payload).ok();
    };
    say(r#"{"hook_event_name":"SessionStart","session_id":"learned"}"#);
    let now = shown(&env, "a");
    assert_eq!(
        (now["status"].as_str(), now["conversation"]["id"].as_str()),
        (Some("working"), Some("learned"))
    );
    say(r#"{"hook_event_name":"Stop","session_id":"learned","last_assistant_message":"done with it"}"#);
    assert_eq!(status(&env, "a"), "idle");
    // From now on hooks take precedence over the screen, which still shows work.
    agent(&env, &["wait", "a", "--for", "working", "--timeout", "3s"]).fails(7);
}
