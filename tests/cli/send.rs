//! `agent send` to an agent CLI: prompts arrive verbatim and exactly once, and are never typed into an agent that is
//! not ready.

use insta::assert_snapshot;
use serde_json::json;

use super::{agent, prompts, shown, spawned, status, wait_for};
use crate::support::TestEnv;

/// Starts an idle demo agent with an empty conversation.
fn demo(env: &TestEnv) {
    spawned(env, &["demo", "--name", "a"]);
    wait_for(env, "a", "idle");
}

#[test]
fn a_prompt_arrives_once_and_is_confirmed() {
    let env = TestEnv::new();
    demo(&env);
    let outcome = agent(&env, &["send", "a", "hello there"]).ok();
    assert_eq!(outcome.stdout, "");
    assert_eq!(outcome.stderr, "delivered to `a`: the agent reported exactly this text\n");
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["hello there"]);
    let outcome = agent(&env, &["send", "--json", "a", "again"]).ok();
    let confirmed = "the agent reported exactly this text";
    assert_eq!(outcome.json(), json!({"agent": "a", "delivered": true, "confirmed_by": confirmed}));
    assert_eq!(prompts(&env, "a"), ["hello there", "again"]);
}

#[test]
fn an_agent_is_working_as_soon_as_it_took_a_prompt() {
    let env = TestEnv::new();
    demo(&env);
    for _ in 0..2 {
        agent(&env, &["send", "a", "/work 1s"]).ok();
        assert_eq!(env.registry()["sessions"]["a"]["status"]["status"], "working");
        wait_for(&env, "a", "idle");
        assert_eq!(shown(&env, "a")["reason"], "Worked for 1s.");
    }
}

#[test]
fn lines_and_unicode_arrive_as_one_prompt() {
    let env = TestEnv::new();
    demo(&env);
    let text = "first\n\n  indented\tand a tab\n$(touch x) `y` #{pane_id} ; \\n 'q' \"q\" %s ~\nнаконец 日本語 é e\u{301} 👩‍👩‍👧 🦀";
    agent(&env, &["send", "a", "-"]).stdin(format!("{text}\n")).ok();
    assert_eq!(prompts(&env, "a"), [text]);
    assert!(!env.project().join("x").exists());
}

#[test]
fn a_prompt_of_200_kilobytes_arrives_completely() {
    let env = TestEnv::new();
    demo(&env);
    let text: String =
        (0..5000).map(|n| format!("line {n}: the quick brown fox jumps over the dog\n")).collect();
    assert!(text.len() > 200_000);
    agent(&env, &["send", "a", "-"]).stdin(text.clone()).ok();
    assert_eq!(prompts(&env, "a"), [text.trim_end()]);
}

#[test]
fn a_prompt_may_begin_with_dashes() {
    let env = TestEnv::new();
    demo(&env);
    agent(&env, &["send", "a", "--help me"]).ok();
    wait_for(&env, "a", "idle");
    agent(&env, &["send", "a", "-"]).stdin("-").ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["--help me", "-"]);
}

#[test]
fn concurrent_senders_each_deliver_once() {
    let env = TestEnv::new();
    demo(&env);
    let texts = ["/work 10ms one", "/work 10ms two", "/work 10ms three"];
    let senders: Vec<_> = texts.iter().map(|text| agent(&env, &["send", "a", text]).start()).collect();
    let mut taken: Vec<&str> = Vec::new();
    for (sender, text) in senders.into_iter().zip(texts) {
        let outcome = sender.finish();
        match outcome.code {
            0 => taken.push(text),
            1 => assert!(outcome.stderr.contains("is busy"), "{outcome:?}"),
            _ => panic!("{outcome:?}"),
        }
    }
    wait_for(&env, "a", "idle");
    let mut seen = prompts(&env, "a");
    seen.sort();
    taken.sort();
    assert_eq!(seen, taken);
    assert!(!taken.is_empty());
}

#[test]
fn send_leaves_a_draft_unchanged() {
    let env = TestEnv::new();
    demo(&env);
    env.tmux(["send-keys", "-t", "=a:", "-l", "half a thou"]).ok();
    env.wait_until("the draft is shown", || agent(&env, &["peek", "a"]).ok().stdout.contains("half a thou"));
    let outcome = agent(&env, &["send", "a", "hello"]).fails(6);
    assert_snapshot!(outcome.stderr, @"
    error: delivery to agent `a` is not confirmed: its input line contains an unsent draft; nothing was typed
      half a thou
    hint: look with `symposium agent peek a`, or `symposium agent attach a`
    ");
    env.tmux(["send-keys", "-t", "=a:", "-l", "ght"]).ok();
    env.tmux(["send-keys", "-t", "=a:", "Enter"]).ok();
    env.wait_until("the draft is sent by its owner", || prompts(&env, "a") == ["half a thought"]);
}

#[test]
fn send_does_not_answer_a_dialog() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/ask rm -rf build"]);
    wait_for(&env, "a", "waiting");
    let outcome = agent(&env, &["send", "a", "yes please"]).fails(6);
    assert_snapshot!(outcome.stderr, @"
    error: delivery to agent `a` is not confirmed: it is waiting for an answer to its dialog; nothing was typed
      Do you want to proceed?
    hint: look with `symposium agent peek a`, or `symposium agent attach a`
    ");
    assert_eq!(shown(&env, "a")["waiting_for"], "approval");
    assert_eq!(prompts(&env, "a"), ["/ask rm -rf build"]);
}

#[test]
fn send_waits_for_a_working_agent() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/work 4s"]);
    wait_for(&env, "a", "working");
    agent(&env, &["send", "a", "next"]).ok();
    assert!(env.tmux(["capture-pane", "-p", "-t", "=a:"]).ok().stdout.contains("Worked for 4s."));
    assert_eq!(prompts(&env, "a"), ["/work 4s", "next"]);
}

#[test]
fn send_to_an_agent_that_works_too_long_types_nothing() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/work 1h"]);
    wait_for(&env, "a", "working");
    let outcome = agent(&env, &["send", "a", "next", "--timeout", "300ms"]).fails(6);
    let first = outcome.stderr.lines().next().unwrap_or_default();
    assert_eq!(first, "error: delivery to agent `a` is not confirmed: it is working; nothing was typed");
    assert_eq!(prompts(&env, "a"), ["/work 1h"]);
}

#[test]
fn send_to_a_hung_agent_is_not_confirmed() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "/hang"]);
    wait_for(&env, "a", "working");
    agent(&env, &["send", "a", "next", "--timeout", "300ms"]).fails(6);
    assert_eq!(prompts(&env, "a"), ["/hang"]);
}

#[test]
fn control_characters_and_empty_prompts_are_refused() {
    let env = TestEnv::new();
    demo(&env);
    let outcome = agent(&env, &["send", "a", "-"]).stdin("one\ntwo \u{1b}[201~rm\n").fails(2);
    assert_snapshot!(outcome.stderr, @"
    error: this text cannot be typed into a terminal: line 2 contains the control character U+001B, which a terminal interprets as a key
    hint: remove it, or put the text into a file and tell the agent to read that file
    ");
    for text in ["a\0b", "a\u{3}", "a\rb", "\n \n", ""] {
        agent(&env, &["send", "a", "-"]).stdin(text).fails(2);
    }
    assert_eq!(prompts(&env, "a"), [""; 0]);
}

#[test]
fn send_to_an_unknown_or_stopped_agent_is_refused() {
    let env = TestEnv::new();
    demo(&env);
    agent(&env, &["send", "b", "hello"]).fails(3);
    agent(&env, &["kill", "a"]).ok();
    let outcome = agent(&env, &["send", "a", "hello"]).fails(1);
    assert_snapshot!(outcome.stderr, @"
    error: agent `a` is not running: stopped (it was ended on request)
    hint: resume it with `symposium agent resume a`
    ");
    assert_eq!(status(&env, "a"), "stopped");
}

#[test]
fn an_agent_whose_directory_is_gone_can_be_hibernated_and_prompted() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    std::fs::remove_dir_all(env.state().join("instances/a")).unwrap();
    agent(&env, &["hibernate", "a"]).ok();
    assert_eq!(status(&env, "a"), "hibernated");
    agent(&env, &["send", "a", "again"]).ok();
    assert_eq!(prompts(&env, "a").last().unwrap(), "again");
}

#[test]
fn send_wakes_an_agent_that_hibernates_during_delivery() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    let send =
        agent(&env, &["send", "a", "are you there"]).env("SYMPOSIUM_FAILPOINT", "stop:send.woken").start();
    env.wait_until("the sender found the agent awake", || send.is_stopped());
    agent(&env, &["hibernate", "a"]).ok();
    send.go_on();
    env.wait_until("the sender checks again", || send.is_stopped());
    send.go_on();
    send.finish().ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["hello", "are you there"]);
}

#[test]
fn send_waits_for_a_hibernation_in_progress() {
    let env = TestEnv::new();
    spawned(&env, &["demo", "--name", "a", "--task", "hello"]);
    wait_for(&env, "a", "idle");
    let sleep = agent(&env, &["hibernate", "a"]).env("SYMPOSIUM_FAILPOINT", "stop:kill.signalled").start();
    env.wait_until("the process has ended", || sleep.is_stopped());
    let send =
        agent(&env, &["send", "a", "are you there"]).env("SYMPOSIUM_FAILPOINT", "stop:send.woken").start();
    env.wait_until("the sender found no hibernated agent", || send.is_stopped());
    send.go_on();
    sleep.go_on();
    sleep.finish().ok();
    env.wait_until("the sender checks again", || send.is_stopped());
    send.go_on();
    send.finish().ok();
    wait_for(&env, "a", "idle");
    assert_eq!(prompts(&env, "a"), ["hello", "are you there"]);
}

#[test]
fn a_prompt_recorded_before_a_clock_change_does_not_confirm_a_new_one() {
    let env = TestEnv::new();
    demo(&env);
    agent(&env, &["send", "a", "first"]).ok();
    wait_for(&env, "a", "idle");
    let file = env.state().join("instances/a/state/prompt.json");
    let mut report: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    report["at"] = "2099-01-01T00:00:00Z".into();
    std::fs::write(&file, report.to_string()).unwrap();
    let outcome = agent(&env, &["send", "a", "second"]).ok();
    assert_eq!(outcome.stderr, "delivered to `a`: the agent reported exactly this text\n");
    assert_eq!(prompts(&env, "a"), ["first", "second"]);
}

#[test]
fn the_input_lock_is_waited_for_until_the_timeout() {
    let env = TestEnv::new();
    demo(&env);
    let lock = std::fs::File::create(env.state().join("instances/a/state/typing.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let begun = std::time::Instant::now();
    let outcome = agent(&env, &["send", "a", "hello", "--timeout", "100ms", "--json"]).fails(1);
    assert!(outcome.stderr.contains("busy"), "{outcome:?}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(9), "{:?}", begun.elapsed());
    drop(lock);
    agent(&env, &["send", "a", "hello"]).ok();
}
